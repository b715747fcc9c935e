"""The phrases by which the kind of a text is told. A star stands for any ending of its word."""

from typing import Final


def _cues(listed: str) -> tuple[str, ...]:
    """The phrases of a list parted by commas, as they stand between the blanks of a folded text."""
    cues = (" ".join(cue.split()) for cue in listed.split(","))
    return tuple(f" {cue[:-1]}" if cue.endswith("*") else f" {cue} " for cue in cues)


PAY_AND_STAFF: Final = _cues(
    """
    salar*, wage, wages, payroll, payslip*, hourly rate of, sick leave, on leave, parental leave,
    maternity leave, sick day*, called in sick, calls in sick, days off, day off, overtime, rota,
    roster*, on shift, on call, shift, shifts, night shift*, headcount, probation, notice period of,
    gave notice, resign*, was fired, got fired, was hired, new hire*, performance review*, warning
    letter, understaffed, our team, the team, team member*, staff member*, our staff, the staff, all
    staff, employees, employee, interns, colleague*, coworker*
    """
)
CANDID: Final = _cues(
    """
    difficult, rude, haggle*, haggling, late payer, slow payer, pays late, paid late, never pays, always
    late, late on payment*, bad debt, cheapskate, stingy, annoying, fussy, picky, demanding, stubborn,
    arrogant, aggressive, unreliable, untrustworthy, dishonest, liar, lies, lied, drunk, hard to please,
    hard work, hard to deal, a pain, nightmare*, complains, complains about everything, threatens,
    threatened, blacklist*, do not trust, dont trust, cannot be trusted, cant be trusted, be careful
    with, watch out for, keep an eye on, not worth, avoid working with, credit risk, owes, owed us, will
    push, pushes back, pushes for, sue us, suing, crazy, stupid, idiot, hates us, moody, cheap, tight
    with money, high maintenance
    """
)
SOMEBODY: Final = _cues(
    """
    client, clients, customer, customers, guest, guests, bride, brides, groom, couple, couples, family,
    mother, father, planner, planners, supplier, suppliers, vendor, vendors, tenant, tenants, them, him,
    her, he, she
    """
)
BUSINESS_SECRETS: Final = _cues(
    """
    as low as, not worth, asks twice, ask twice, if a customer asks, if the customer asks, if a client
    asks, we keep 1*, we keep 2*, we keep 3*, we keep 4*, we keep 5*, we keep 6*, we keep 7*, we keep
    8*, we keep 9*, we earn*, we make on, our suppliers charge*, markdown*, margin, margins, markup,
    mark up of, marked up, gross profit*, net profit*, profit, profits, profitable, loss making,
    breakeven, break even, cost price, costs us, costs of goods, our cost, our costs, we buy, we bought,
    purchase price, wholesale price, wholesale cost*, buying price, supplier price*, supplier discount*,
    supplier cost*, kickback*, referral fee*, revenue, turnover, cash flow, cashflow, runway, our bank,
    bank balance, overdraft, loan, our debt*, tax bill, investor*, shareholder*, valuation, floor price,
    lowest price, lowest we, bottom price, walk away price, walkaway, negotiat*, if they push, if they
    ask, if they insist, if they threaten, if pushed, if pressed, internal, internally, internal only,
    confidential*, between us, between ourselves, off the record, do not tell, dont tell, never tell,
    not tell, not mention, dont mention, do not mention, never mention, do not share, dont share, not
    for customer*, not for client*, secret*, keep quiet, keep this quiet, keep it quiet, not public*,
    not to be shared, password*, passcode*, pin code*, door code*, alarm code*, gate code*, safe code*,
    lawsuit*, legal action, acquisition, layoff*, our company was founded, the company was founded, was
    founded in, we were founded, our company is, the company is, the company has, our company has, our
    company employs, we are a family business, our mission, our legal name, registered as, registration
    number, vat number, headquartered, our strategy, we pay for, we pay our, it costs us, cost us
    """
)
INCIDENTS: Final = _cues(
    """
    incident*, accident*, complained, complaint from, complaint about, complaint by, a complaint, broke,
    broke down, was damaged, were damaged, got damaged, damaged the, failed, fell over, fell off,
    collapsed, caught fire, flooded, flood in, leaked, leaking, spilled, spilt, outage, went down, was
    down, crashed, double booked, doublebooked, overbooked, forgot to, we forgot, was lost, were lost,
    got lost, went missing, was stolen, were stolen, stolen, theft, injured, hurt, ambulance, food
    poisoning, allergic reaction, by mistake, our mistake, wrong order, wrong address, wrong flowers,
    arrived late, arrived two, hours late, minutes late, late delivery, apologised, apologized, refunded
    in full after, chargeback, power cut, breach, data leak, postmortem, root cause, is broken, are
    broken, was broken, were broken
    """
)
ROLES: Final = _cues(
    """
    is our, is the owner, is the manager, is the head, is the lead, is head of, is responsible for, are
    responsible for, in charge of, reports to, is the main contact, is the contact for, is the point of
    contact, takes care of, looks after, handles, head chef, head florist, account manager, event
    manager, general manager, office manager, managing director, oversees, approves all, signs off, job
    title, took over, takes over from, covers for, stands in for, runs the
    """
)
PROJECTS: Final = _cues(
    """
    project, projects, milestone*, roadmap, sprint*, rollout, roll out, kickoff, kick off, go live, goes
    live, launch of, launches in, we launch, will launch, migrating, migration, we are building, we are
    redesigning, redesign*, renovation, renovating, relaunch*, phase one, phase two, phase 1, phase 2,
    backlog, in progress, is on track, behind schedule, deadline for the, pilot, proof of concept
    """
)
ROUTINES: Final = _cues(
    """
    routine*, checklist*, stand up, standup, daily report, weekly report, monthly report, weekly
    meeting, weekly review, monthly review, every morning we, every evening we, every night we, every
    day we, every week we, every month we, each morning we, each evening we, each week we, every monday
    we, every tuesday we, every wednesday we, every thursday we, every friday we, every saturday we,
    every sunday we, before opening, before closing, after closing, at the end of each, at the end of
    every, first of the month, end of the month we, stock count, stocktake, inventory count, back up,
    backup, backups
    """
)
DIGESTS: Final = _cues(
    """
    digest, channel, in slack, on slack, slack thread, slack channel, in teams chat, whatsapp group,
    group chat, recap of, summary of the, summary of this, summary of last, meeting notes, this week in,
    thread about, discussed in, meeting minutes
    """
)
RELATIONSHIPS: Final = _cues(
    """
    supplier, suppliers, wholesaler*, landlord, our bank, married to, is engaged to, sister of, brother
    of, mother of, father of, daughter of, son of, cousin of, friend of, friends with, is related to,
    knows the owner, referred by, was referred, refers, referred us, introduced us, works closely with,
    has worked with us, worked with us, long standing, longstanding, our supplier, our main supplier,
    our competitor*, a competitor*, competes with, our landlord, our accountant, our lawyer, our
    investor*, repeat customer, repeat client, loyal customer, loyal client, business partner*, our
    partner*, dating, divorc*, their ex, s wife, s husband, mother in law
    """
)
PREFERENCES: Final = _cues(
    """
    prefer*, would rather, likes, like to have, likes to, loves, favourite, favorite, favours, favors,
    dislike*, hates, can stand, is allergic, are allergic, allergic to, allergy,
    allergies, intolerant, vegan, vegetarian, gluten free diet, wants, want, wanted, wishes, wish for,
    asked for, asks for, would like, best reached, likes email, enjoys, keen on, eat, eats, drink,
    drinks, decided on
    """
)
AGREED: Final = _cues(
    """
    we decided, we have decided, weve decided, we agreed, we have agreed, we chose, we approved, was
    decided, was agreed, it was agreed, decision*, policy, policies
    """
)
RULES: Final = _cues(
    """
    rule, rules, refund*, refundable, deposit, deposits, cancellation*, cancelled, canceled, must, may
    only, may be, may bring, may use, may take, may stay, may leave, may pay, may enter, may park, may
    smoke, may cancel, may change, may choose, allow, allows, allowed, permit, permits, permitted,
    forbidden, prohibited, required, require, requires, requirement, mandatory, compulsory, optional, at
    least, at most, later than, more than, minimum, maximum, limited to, up to, accept, accepts,
    accepted, we charge, charged, fee, fees, surcharge, price, prices, priced, cost, costs, costing,
    discount*, free of charge, is free, are free, included, includes, valid for, expires, expire, due,
    deadline, deadlines, payable, terms, warranty, guarantee*, closed on, open on, open from, opens at,
    closes at, close at, closes on, opening hours, opening hour, hours are, always, we only, we offer,
    we deliver, delivery is, deliveries are
    """
)
"""None of them says "not": a rule and what denies it are of one kind."""
MONEY_WORDS: Final = _cues("euro, euros, eur, dollar, dollars, usd, gbp, chf, percent")
MONEY_SIGNS: Final = ("\u20ac", "$", "\u00a3", "\u00a5", "%")
