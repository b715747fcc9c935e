"""Who waits for an answer that another process runs is told by the database, and looks no more."""

from threading import Thread, Timer

import pytest

from tests.answers.house import QUICK, Gate, House, echoes, question


@pytest.mark.parametrize("store_kind", ["postgres"], indirect=True)
def test_who_works_for_an_answer_that_another_runs_is_told_when_it_ends(house: House) -> None:
    gate = Gate()
    never = house.brain(speech=echoes, pace=QUICK._replace(look=3600))
    answer_id = never.enqueue(question())["answer_id"]
    running = Thread(target=house.workshop(gate).run_next)
    running.start()
    assert gate.reached.wait(30)
    letting_go = Timer(0.3, gate.open.set)
    letting_go.start()
    assert never.work_until(answer_id, 120)["output_text"] == "before after"
    running.join()
    letting_go.join()
