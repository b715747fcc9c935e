"""Pairs of facts, the known one first, and what becomes of the second."""

import pytest

from brainctl.engine.capture.claims import Claim, KnownFact, Names, Verdict
from brainctl.engine.capture.compare import compare
from brainctl.engine.capture.pipeline import Pipeline

NAMES = Names(people=("maria", "ana"), members=("lena", "tom"))

REPEATED = """
Deposits are non-refundable inside 30 days. | deposits are non-refundable inside 30 days
Deposits are non-refundable inside 30 days. | Deposits are non\u2011refundable inside 30 days!
Deposits are non-refundable inside 30 days. | The deposit is nonrefundable inside thirty days.
Deposits are non-refundable inside 30 days. | Deposits are not refundable inside 30 days.
On Mondays the office is closed. | The office is closed on Mondays.
The office is closed on Mondays. | The office is closed on Monday
The rose wall costs 300 euros. | The rose wall costs €300.
The rose wall costs 1,500 euros. | The rose wall costs 1500 euro
Maria's wedding is on September 14. | Maria's wedding is on 14 September
Maria's wedding is on September 14. | Maria's wedding is on the 14th of September.
Maria's wedding is on September 14. | maria's wedding is on sept 14
The event is on 2026-09-14. | The event is on September 14, 2026.
The barn seats twelve guests. | The barn seats 12 guests
Colours can be chosen freely. | Colors can be chosen freely.
Guests may bring dogs. | Guests can bring dogs.
We don't accept cheques. | We do not accept checks.
Dogs are no longer allowed. | Dogs are not allowed.
“Quiet hours” start at 22:00. | "Quiet hours" start at 22:00
Check-in opens at 14:00. | Check\u2013in opens at 14:00
The fridge   is in the barn. | The fridge is in the barn
Maria is allergic to nuts. | MARIA IS ALLERGIC TO NUTS
Invoices are due after 14 days. | Invoices are due after fourteen days.
Delivery is free within 10 km. | Delivery is free within 10 kilometres.
The tip is 10%. | The tip is 10 percent.
Cancelled events pay half. | Canceled events pay half.
Delivery day is Tuesday. | Tuesday is delivery day.
The code word for the warehouse is Bluebird. | The warehouse code word is Bluebird.
Complaints are handled by Petra. | Petra handles complaints.
Smoking is forbidden in the yard. | Smoking is not allowed in the yard.
The pool closes at 9 pm. | The pool closes at 21:00.
"""

REPLACED = """
Deposits are non-refundable inside 30 days. | Deposits are non-refundable inside 14 days.
Maria's wedding is on September 7. | Maria's wedding moved to September 14.
Maria's wedding moved to September 14. | Maria's wedding is on September 7.
Maria's wedding is on September 7. | Maria's wedding was moved from September 7 to September 14.
Maria's wedding has been moved once, from 10 October 2026 to 22 May 2027. | Maria's wedding has moved to 5 June 2027.
Corkage is 9 euros a bottle. | Corkage is now 11 euros a bottle.
Check-in opens at 14:00. | Check-in opens at 15:00.
Check-in opens at 14:00. | Check-in now opens at 15:00.
Delivery costs 15 euros. | Delivery costs 18 euros.
Delivery costs 15 euros. | Delivery now costs €18.
Dogs are allowed. | Dogs are not allowed.
Dogs are allowed. | Dogs are no longer allowed.
Dogs are not allowed. | Dogs are allowed.
We accept cheques. | We no longer accept cheques.
Maria prefers roses. | Maria now prefers lilies instead of roses.
The barn seats 80 guests. | Correction: the barn seats 90 guests.
The tasting is on Tuesday. | The tasting is on Thursday.
The rose wall costs 300 euros. | From now on the rose wall costs 350 euros.
The rose wall costs 300 euros. | The rose wall costs 350 euros.
Refund policy: half is kept inside 30 days. | Refund policy: half is kept inside 60 days.
Refunds take 5 working days. | Refunds take 5 working weeks.
Table 4 seats 6 guests. | Table 4 seats 8 guests.
Maria's phone number is 555 0123. | Maria's phone number changed to 555 0199.
The event is on September 14, 2026. | The event is on October 3, 2026.
Guests can bring dogs. | Guests can't bring dogs.
The tip is 10%. | The tip is 12%.
Maria wants 80 chairs. | Maria wants 100 chairs.
The lease ends in March 2027. | The lease ends in March 2028.
Our wine comes from Italy. | Our wine now comes from Spain instead of Italy.
We close at 5pm on Fridays. | We close at 6pm on Fridays.
Smoking is permitted on the terrace. | Smoking is not permitted on the terrace.
The deposit is 50 euros. | The deposit was raised to 70 euros.
The office is on the third floor. | The office is on the fourth floor.
The head of sales is Oliver. | The new head of sales is Karim.
Jana is our accountant. | Paul is now our accountant.
Priya is the lead on the payments team. | Leadership on the payments team changed. Sam is now the lead.
Order 5521 is pending. | Order 5521 has shipped.
"""

NEW = """
Deposits are non-refundable inside 30 days. | Deposits are non-refundable outside 30 days.
Deposits are kept inside 30 days for weddings. | Deposits are kept inside 30 days for funerals.
Maria is allergic to nuts. | Ana is allergic to nuts.
Maria is allergic to nuts. | Maria is allergic to milk.
Maria prefers white roses. | Maria prefers morning calls.
Maria's wedding is on September 14. | Maria's wedding has 80 guests.
Maria's wedding is on September 14. | Maria's wedding rehearsal moved to September 13.
Maria's wedding is on September 14. | Maria is allergic to nuts.
Maria is allergic to nuts. | Maria's wedding moved to September 14.
Maria wants a band. | Maria now wants a vegan menu.
Table 4 seats 6 guests. | Table 5 seats 6 guests.
Table 4 seats 6 guests. | Table 5 seats 8 guests.
The barn seats 80 guests. | The great hall seats 120 guests.
Small bouquets cost 40 euros. | Large bouquets cost 60 euros.
On Mondays we open at 9. | On Tuesdays we open at 10.
On Mondays we open at 9. | On Tuesdays we open at 9.
Guests may bring dogs. | Guests must bring dogs.
Guests may bring dogs. | Only guests may bring dogs.
All guests get a seat. | Some guests get a seat.
Set up tables before the ceremony. | Set up tables after the ceremony.
Roses are cut before tulips. | Tulips are cut before roses.
The florist pays the caterer. | The caterer pays the florist.
Maria owes Ana 20 euros. | Ana owes Maria 20 euros.
The shuttle runs from Berlin to Hamburg. | The shuttle runs from Hamburg to Berlin.
Weddings cancelled more than 90 days out get the full deposit back. | Weddings cancelled more than 30 days out get half the deposit back.
Orders over 50 euros ship for 5 euros. | Orders over 100 euros ship for 3 euros.
The fridge broke on May 3. | The fridge broke on May 10.
Maria paid 300 euros. | Maria paid 500 euros.
Maria asked for a tasting on September 3. | Maria asked for a tasting on September 10.
The barn seats 80 guests. | The barn costs 80 euros.
Dogs allowed? | Dogs allowed
The terrace is open. | The kitchen is closed.
Tea is served at 4. | Coffee is served at 4.
The large hall on the ground floor with its own bar and terrace can be booked for parties in winter. | The small hall on the ground floor with its own bar and terrace can be booked for parties in winter.
Delivery is free within 10 km. | Delivery is free within 10 km on Sundays.
The price of the barn is 900 euros. | The lowest price of the barn is 700 euros, internal only.
Payment is due before the event. | Payment is due before the event unless agreed.
Refunds take 5 days. | Refunds take 5 to 10 days.
Open from 9 to 5. | Open from 5 to 9.
Lilies cost 4 euros. | Lilies cost 4 dollars per stem.
Lena's manager is Tom. | Tom's manager is Lena.
The barn is part of the hall. | The hall is part of the barn.
Lena trains Tom. | Tom trains Lena.
The extended warranty lasts 2 years. | The warranty was raised to 5 years.
Jonas speaks Italian. | Jonas speaks Greek.
Maria is our client. | Ana is our client.
Maria is our client. | Ana is now our client.
Our client is Maria. | Our client is Ana.
Jana is our accountant. | Paul is our accountant.
Luis works in accounting. | Luis no longer works at Verdant.
😀 | 😎
!!! | ???
"""


def _pairs(table: str) -> list[tuple[str, str]]:
    return [
        (first, second) for first, _, second in (line.partition(" | ") for line in table.strip().splitlines())
    ]


def _known(text: str, fact_id: str = "fact_1", recorded_time: int = 1) -> KnownFact:
    claim = Pipeline().read(text, NAMES)
    return KnownFact(fact_id, text, claim.normal, claim.kind, claim.subject, recorded_time)


def _verdict(known: str, told: str) -> Verdict:
    return Pipeline().compare(Pipeline().read(told, NAMES), [_known(known)])


@pytest.mark.parametrize(("known", "told"), _pairs(REPEATED))
def test_a_repeat_in_other_words_is_skipped(known: str, told: str) -> None:
    assert _verdict(known, told)[:2] == ("skip", "fact_1")


@pytest.mark.parametrize(("known", "told"), _pairs(REPLACED))
def test_an_update_supersedes(known: str, told: str) -> None:
    assert _verdict(known, told)[:2] == ("supersede", "fact_1")


@pytest.mark.parametrize(("known", "told"), _pairs(NEW))
def test_what_only_looks_alike_is_created(known: str, told: str) -> None:
    assert _verdict(known, told)[:2] == ("create", None)


def test_nothing_known_is_created() -> None:
    assert compare(Pipeline().read("The barn seats 80.", NAMES), []).action == "create"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Check-in opens at 14:00.", "Check-in opens at 15:00."),
        ("Dogs are allowed.", "Dogs are no longer allowed."),
        ("Maria's wedding is on September 7.", "Maria's wedding moved to September 14."),
        ("Delivery costs 15 euros.", "Delivery now costs 18 euros."),
    ],
)
def test_taking_an_update_back_ends_with_the_first(first: str, second: str) -> None:
    current = [_known(first, "fact_1")]
    for told, fact_id in ((second, "fact_2"), (first, "fact_3")):
        verdict = compare(Pipeline().read(told, NAMES), current)
        assert verdict[:2] == ("supersede", current[0].fact_id)
        current = [_known(told, fact_id)]
    assert current[0].text == first


def test_of_several_the_closest_is_superseded_then_the_newest() -> None:
    told = Pipeline().read("The barn now costs 950 euros on Sundays.", NAMES)
    far = _known("The barn costs 900 euros.", "fact_far", 9)
    near = _known("The barn costs 900 euros on Sundays.", "fact_near", 1)
    newer = _known("The barn costs 920 euros on Sundays.", "fact_newer", 2)
    assert compare(told, [far, near]).fact_id == "fact_near"
    assert compare(told, [newer, near, far]).fact_id == "fact_newer"


def test_a_repeat_is_skipped_though_another_could_be_superseded() -> None:
    told = Pipeline().read("Check-in opens at 15:00.", NAMES)
    known = [_known("Check-in opens at 14:00.", "fact_1"), _known("check-in opens at 15:00", "fact_2")]
    assert compare(told, known)[:2] == ("skip", "fact_2")


def test_nothing_of_another_subject_or_kind_is_superseded() -> None:
    told = Pipeline().read("Check-in opens at 15:00.", NAMES)
    known = _known("Check-in opens at 14:00.")
    assert compare(told, [known]).action == "supersede"
    assert compare(told, [known._replace(kind="routine")]).action == "create"
    assert compare(told, [known._replace(subject="check-out")]).action == "create"


def test_another_name_in_the_same_place_supersedes_within_a_subject() -> None:
    claim = Claim("The caterer is Weston.", "the caterer is weston", "profile_fact", "caterer", "person", 0.9)
    known = KnownFact(
        "fact_1", "The caterer is Hallmann.", "the caterer is hallmann", "profile_fact", "caterer", 1
    )
    assert compare(claim, [known])[:2] == ("supersede", "fact_1")
