"""Sentences, and the kind, the subject and the audience capture gives them."""

import pytest

from brainctl.contract.bounds import CUSTOMER_FACING_KINDS, KINDS
from brainctl.engine.capture.claims import Names
from brainctl.engine.capture.kind import Kind
from brainctl.engine.capture.pipeline import Pipeline
from brainctl.engine.capture.subject import judge_subject

NOBODY = Names(people=(), members=())
KNOWN = Names(people=("maria", "ana lopez", "li wei", "rose"), members=("tom becker", "lena", "mark"))

GENERAL = """
Deposits are non-refundable inside 30 days of the event date. | decision | deposit
Weddings cancelled more than 90 days out get the full deposit back. | decision | wedding
Refund policy: deposits are kept inside 30 days. | decision | refund policy
Note: deliveries cost 15 euros. | decision | delivery
Correction: the deposit is 300 euros | decision | deposit
We close at 5pm on Fridays. | decision | opening hour
We charge 50 euros for late pickup | decision | late pickup
On Mondays the office is closed. | observation | office
Table 4 seats 6 guests. | observation | table 4
Delivery costs 15 euros. | decision | delivery
Delivery costs are 15 euros within the city. | decision | delivery cost
Check-in opens at 14:00. | decision | check-in
Deliveries stop on June 3 | observation | delivery
We are closed on 1 May. | decision | opening hour
The garden is booked until April 12. | observation | garden
The terrace opens in May. | observation | terrace
The bar is closed from June to August. | observation | bar
Prices change in January 2027. | decision | price
The rose wall costs 300 to rent. | decision | rose wall
Guests will be refunded and may bring dogs | decision | guest
mark the boxes before shipping | observation | box
The Great Hall seats 120 | observation | great hall
DOGS ARE NOT ALLOWED | decision | dog
Email info@venue.com for bookings | observation |
Valentine's Day orders close on February 10. | observation | valentine day order
Send invoices on Fridays | observation | invoice
Never give refunds without approval | decision | refund
There is a parking lot behind the barn | observation | parking lot
Stripe fees are 2.9% | decision | stripe fee
Hydrangeas need cold water | observation | hydrangea
We decided to stop offering free tastings | decision | free tasting
Opening hours are 9 to 5 | decision | opening hour
Refunds take 5 working days | decision | refund
The venue has two wheelchair ramps. | observation | venue
Vegan menus are available on request. | observation | vegan menu
Complaints are answered within two days. | observation | complaint
Parking is difficult on Saturdays. | observation | parking
Smoking is forbidden in the barn. | decision | smoking
Children under 6 eat for free. | observation | children
Invoices are due after 14 days. | decision | invoice
Gift vouchers are valid for three years. | decision | gift voucher
We only accept cards. | decision | card
The wifi is fast in the garden room. | observation | wifi
Our menu changes every season. | observation | menu
In summer, the terrace is open until midnight. | observation | terrace
The bakery next door opens at 7:00. | decision | bakery next door
Most couples choose a buffet. | observation | couple
Deposits can be paid by card or bank transfer. | decision | deposit
A customer who cancels late pays half. | observation | customer
Cakes are delivered in the morning. | observation | cake
We offer halal and kosher menus. | decision | halal
The A4 flyers are free of charge. | decision | a4 flyer
Our address is 12 Garden Road, Berlin. | observation | address
German and Spanish are spoken at the desk. | observation | german
We deliver to Berlin and Hamburg. | decision | berlin
"""

PERSON = """
Maria's wedding moved to September 14. | profile_fact | maria
Maria confirmed the September 14 date by email on July 30. | profile_fact | maria
Maria is allergic to nuts. | preference | maria
maria asked for lilies | preference | maria
Maria Silva wants a vegan cake. | preference | maria silva
Oluwaseun's order is late | profile_fact | oluwaseun
priyanka asked about the tasting | profile_fact | priyanka
zorblatt said the cake was dry | profile_fact | zorblatt
zorblatt tends to stay late | profile_fact |
zorblatt found the bar too loud | profile_fact |
May cancelled the tasting | decision |
In June, April and May pay together | profile_fact |
will asked about the invoice | observation |
mark wants lilies | preference | mark
refund for grace | profile_fact | grace
The refund went to grace. | decision |
Baker cancelled the wedding | profile_fact |
The baker wedding is in the barn | profile_fact |
We gave Green a discount | profile_fact |
Mr Baker wants tulips | preference | baker
Dr. Stone prefers mornings | preference | stone
Ms. Adeyemi paid | profile_fact | adeyemi
cust_419 prefers mornings | preference | cust_419
u1234 likes lilies | preference | u1234
customer_77 moved to Berlin | profile_fact | customer_77
He came at noon. | profile_fact |
She loves peonies | preference |
I prefer email | preference | email
My dog comes along | observation | dog
Write to john.d@venue.com for bookings | profile_fact | john
Write to maz@example.com | profile_fact |
Call +49 170 1234567 after 8 | observation |
Message @zorblatt about the flowers | profile_fact |
El depósito no es reembolsable | profile_fact |
押金不退 | profile_fact |
Задаток не возвращается | profile_fact |
The head table goes to Xanthe | observation |
Anna-Marie Smith wants a vegan cake | preference | anna marie smith
Xyrofel sells chairs | profile_fact |
the oluwaseun wedding is on friday | profile_fact | oluwaseun
The bride wants a string quartet. | preference | bride
This customer pays by card. | profile_fact | customer
JOHN WANTS TULIPS | preference | john
ZORBLATT WANTS TULIPS | preference |
Refund policy: Maria gets everything back. | decision | maria
Deposits for Ana are kept. | profile_fact | ana
The birthday of josé is on Monday | profile_fact | jose
JP wants a refund | preference |
The refund from May is due. | decision |
The table of April, not of June, is by the window. | observation |
The deposit of O'Brien is paid | decision |
The florist recommends Joy for bouquets | profile_fact |
Invoice 113 goes to willow | observation |
Ask dean before delivery | profile_fact |
Marias wedding is on Sunday | profile_fact | maria
They want a refund. | preference |
Rose bouquets cost 40 euros. | profile_fact | rose bouquet
Jordan lives next door. | profile_fact |
"""

INTERNAL = """
Our margin on bouquets is 62%. | workspace_profile
The cost price of a peony is 1.20 euros. | workspace_profile
We buy roses at 40 cents a stem. | workspace_profile
Between us, the barn roof leaks. | workspace_profile
Don't tell clients that the chef is leaving. | workspace_profile
Internal only: the lowest price for the barn is 900 euros. | workspace_profile
Confidential: the house is for sale. | workspace_profile
The Greenfield account is a late payer. | relationship
Clients from the agency haggle about every line. | relationship
The bride is difficult and her mother is rude. | relationship
Maria pays late. | relationship
Be careful with customers who ask for cash. | relationship
Chef salaries rise by 3% in March. | roster
Maternity leave starts in May. | roster
The night shift starts at 22:00. | roster
Our staff wears black. | roster
Anna is on leave until Monday. | roster
The fridge broke on Saturday. | incident
A guest complained about the cold soup. | incident
The delivery was damaged on the way. | incident
We forgot to order candles. | incident
The website went down for two hours. | incident
Jordan is our head chef. | role
Samir is responsible for purchasing. | role
The website redesign goes live in spring. | project
The migration to the new till is in progress. | project
Every Monday we count the stock. | routine
Before closing, check the ovens. | routine
Recap of the planning channel: three new bookings. | channel_digest
#events: the band confirmed. | channel_digest
Discussed in Slack: new linen colours. | channel_digest
Maria is the sister of Ana. | relationship
The bakery has worked with us since 2019. | relationship
Our competitor lowered the price of tents. | relationship
Our company was founded in 2014 by two friends. | workspace_profile
If they push, give 10% off. | workspace_profile
The alarm code is 4711. | workspace_profile
Payroll runs on the 25th. | roster
"""


def _rows(table: str) -> list[tuple[str, ...]]:
    return [tuple(cell.strip() for cell in line.split(" | ")) for line in table.strip().splitlines()]


def _padded(table: str) -> list[tuple[str, str, str]]:
    return [
        (row[0].removesuffix(" |"), row[1].removesuffix(" |"), row[2] if len(row) > 2 else "")
        for row in _rows(table)
    ]


@pytest.mark.parametrize(("text", "kind", "subject"), _padded(GENERAL))
def test_what_names_nobody_is_general(text: str, kind: str, subject: str) -> None:
    claim = Pipeline().read(text, NOBODY)
    assert (claim.about, claim.kind) == ("general", kind)
    assert not subject or claim.subject == subject


@pytest.mark.parametrize(("text", "kind", "subject"), _padded(PERSON))
def test_what_may_name_somebody_is_about_a_person(text: str, kind: str, subject: str) -> None:
    claim = Pipeline().read(text, NOBODY)
    assert (claim.about, claim.kind) == ("person", kind)
    assert not subject or claim.subject == subject


@pytest.mark.parametrize(("text", "kind"), _rows(INTERNAL))
def test_what_is_internal_is_of_an_internal_kind(text: str, kind: str) -> None:
    claim = Pipeline().read(text, NOBODY)
    assert claim.kind == kind
    assert kind in KINDS
    assert kind not in CUSTOMER_FACING_KINDS


@pytest.mark.parametrize(
    ("text", "subject", "about"),
    [
        ("Maria wants lilies.", "maria", "person"),
        ("The deposit of MARÍA is paid.", "maria", "person"),
        ("Refund policy: maria gets half.", "maria", "person"),
        ("Ana Lopez wants lilies.", "ana lopez", "person"),
        ("ana lopez's deposit is paid", "ana lopez", "person"),
        ("Ana wants lilies.", "ana", "person"),
        ("Maria and Ana Lopez share a table.", "maria", "person"),
        ("Lena met Maria.", "lena", "team"),
        ("Maria asked for Lena.", "lena", "team"),
        ("Tom Becker is on leave.", "tom becker", "team"),
        ("Tom is on leave.", "tom becker", "team"),
        ("Mark wants lilies.", "mark", "team"),
        ("mark the boxes before shipping", "box", "general"),
        ("The rose wall costs 300.", "rose wall", "general"),
        ("Rose wants lilies.", "rose", "person"),
        ("Li Wei booked the barn.", "li wei", "person"),
        ("The worker answered 12 tickets.", "worker", "worker"),
        ("Our staff wears black.", "staff", "team"),
        ("Mariana wants lilies.", "mariana", "person"),
    ],
)
def test_a_registered_name_makes_it_theirs(text: str, subject: str, about: str) -> None:
    claim = Pipeline().read(text, KNOWN)
    assert claim.about == about
    assert claim.subject == subject


def test_a_colleague_and_a_customer_of_one_first_name_keep_it_in_the_team() -> None:
    names = Names(people=("maria",), members=("maria keller",))
    assert Pipeline().read("Maria is on leave until May 3.", names).about == "team"


def test_a_customers_whole_name_is_not_taken_for_a_colleagues_first() -> None:
    names = Names(people=("maria silva",), members=("maria keller",))
    claim = Pipeline().read("Maria Silva wants lilies.", names)
    assert (claim.subject, claim.about) == ("maria silva", "person")


@pytest.mark.parametrize(
    ("subject", "about"),
    [
        ("refund policy", "general"),
        ("opening hours", "general"),
        ("wedding cancellations", "general"),
        ("great hall", "general"),
        ("white roses", "general"),
        ("delivery to Berlin", "general"),
        ("supplier terms", "general"),
        ("table 12", "general"),
        ("maria", "person"),
        ("Maria Silva", "person"),
        ("grace period", "person"),
        ("baker", "person"),
        ("baker wedding", "person"),
        ("customer green", "person"),
        ("zorblatt", "person"),
        ("cust_419", "person"),
        ("bob@example.com", "person"),
        ("押金", "person"),
        ("", "person"),
        ("worker", "worker"),
        ("Assistant", "worker"),
        ("staff", "team"),
        ("Lena", "team"),
        ("tom becker", "team"),
        ("ana lopez", "person"),
    ],
)
def test_a_stated_subject_is_judged_by_its_own_words(subject: str, about: str) -> None:
    assert judge_subject(subject, KNOWN) == about


def test_a_text_that_is_unsure_of_itself_is_less_confident() -> None:
    sure = Pipeline().read("The barn seats 80.", NOBODY)
    unsure = Pipeline().read("The barn probably seats 80.", NOBODY)
    assert unsure.confidence < sure.confidence


def test_each_step_can_be_replaced() -> None:
    shouting = Pipeline(kind=lambda *_: Kind("routine", "always"), normalise=str.upper)
    claim = shouting.read("The barn seats 80.", NOBODY)
    assert (claim.kind, claim.normal) == ("routine", "THE BARN SEATS 80.")


@pytest.mark.parametrize(
    ("said", "denied"),
    [
        ("The bar accepts cards.", "The bar does not accept cards."),
        ("Leftovers may be taken home.", "Leftovers may not be taken home."),
        ("We allow payment in instalments.", "We don't allow payment in instalments."),
        ("Guests must bring a towel.", "Guests mustn't bring a towel."),
        ("Breakfast is included.", "Breakfast is not included."),
        ("Maria eats fish.", "Maria does not eat fish."),
        ("Maria is keen on lilies.", "Maria isn't keen on lilies."),
        ("Order 12 is confirmed.", "Order 12 is cancelled."),
        ("The annex is heated.", "The annex is no longer heated."),
    ],
)
def test_what_denies_a_fact_is_of_its_kind(said: str, denied: str) -> None:
    one, other = Pipeline().read(said, KNOWN), Pipeline().read(denied, KNOWN)
    assert one.kind == other.kind


def test_a_thing_that_may_be_somebodys_is_observed_and_still_kept_from_customers() -> None:
    claim = Pipeline().read("Our office is at 12 Wexholm Lane.", NOBODY)
    assert (claim.subject, claim.kind, claim.about) == ("office", "observation", "person")
