"""A brain that has something in every table, and what is looked at to say that two brains are the same."""

from typing import Any

from brainctl.engine.answers.workshop import is_busy
from brainctl.engine.moving.moving import Move, Moved
from brainctl.engine.owner import Owner
from brainctl.engine.store.capturing import write_capturing
from brainctl.engine.store.opening import is_database
from brainctl.engine.store.tables import COPIED, MADE_ANEW, Digest, digest_of
from brainctl.engine.store.vectors import add_vectors, read_pending, write_model
from tests.engine.house import House
from tests.spot import Spot

FIRST, SECOND = (f"fact_{number:026}" for number in (900_001, 900_002))


def fill(house: House, facts: int = 12) -> str:
    """Put something in every table, and give the secret of a key that may do everything."""
    owner = house.owner
    owner.add_person("cust_1", "Maria")
    owner.add_person("cust_2", "Zoë Ångström")
    owner.add_member("Tomas")
    owner.set_worker("night", model="m", base_url="https://models.test/v1", key_env="MODEL_KEY")
    owner.set_credits(500)
    owner.capture_with("day")
    secret = house.key("internal")
    internal, external = house.brain(secret, plain=True), house.external(plain=True)
    owner.revoke_key(owner.create_key("gone", "internal", ["memory.read"]).key.name)
    for number in range(facts):
        house.now += 1
        taught = f"decision/general/hall {number % 5}: it seats {number} guests 🎻"
        internal.teach({"facts": [{"text": taught}]})
    external.teach({"facts": [{"text": "decision/general/hall: we never close"}]})
    internal.teach({"facts": [{"text": "decision/general/bell: it rings at eight"}]})
    internal.teach({"facts": [{"text": "decision/general/bell: now it rings at nine"}]})
    internal.teach({"facts": [{"text": "decision/general/bell: now it rings at nine"}]})
    house.add("Maria likes the window seat", "person", subject="Maria", confidence=0.1 + 0.2)
    # Superseded by an older one, since the owner took the change back.
    house.add("The gate is red", fact_id=FIRST)
    house.add("The gate is blue", fact_id=SECOND)
    with owner.store.writing(house.workspace) as writing:
        writing.supersede(FIRST, by=SECOND)
    owner.restore(FIRST)
    owner.forget([house.add("It was a secret")])
    asked = internal.enqueue(
        {"input": "When does the bell ring?", "conversation_id": "c1", "end_user": {"id": "cust_1"}}, "once"
    )
    internal.work_until(asked["answer_id"], 20)
    # Or what worked on it may take the next one as well.
    assert not is_busy(20)
    internal.enqueue({"input": "And tomorrow?", "conversation_id": "c1"}, "twice")
    with owner.store.transaction() as connection:
        write_model(connection, house.workspace, "the digest of a model")
        vectors = [(each, bytes(range(8))) for each in read_pending(connection, house.workspace, facts)]
        add_vectors(connection, house.workspace, vectors)
        write_capturing(connection, house.workspace, "night")
    return secret


def digests(owner: Owner) -> dict[str, Digest]:
    with owner.store.reading() as connection:
        return {table.name: digest_of(connection, owner.workspace, table) for table in (*COPIED, *MADE_ANEW)}


def nothing(*_: object) -> None:
    """Is told of progress, and does nothing about it."""


def way(house: House, to: Spot, **how: Any) -> Move:
    """The way of a brain to a spot, which has a name of its own only in a database."""
    name = to.name if is_database(to.address) else None
    return Move(house.owner.store, house.workspace, to.address, name=name, clock=house.clock, **how)


def moved(house: House, to: Spot, **how: Any) -> Moved:
    return way(house, to, **how).run(nothing)
