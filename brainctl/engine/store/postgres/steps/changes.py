"""A step of a brain's database: what changed the vectors that somebody sees, noted once a transaction.

Counted up with every vector, the one row that counts had a dead copy for each, and each of many went through all of
them.
"""

from typing import Final

# The number of the transaction that was the last to change something, which no other one has.
CHANGES: Final = (
    """
    CREATE OR REPLACE FUNCTION await_vector_elsewhere() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE vectors_pending SET hidden = CASE WHEN NEW.shelf IN ('open', 'personal') THEN 0 ELSE 1 END
            WHERE workspace = NEW.workspace AND row = NEW.row;
        UPDATE meanings SET changes = CAST(CAST(pg_current_xact_id() AS text) AS bigint)
            WHERE workspace = NEW.workspace AND changes <> CAST(CAST(pg_current_xact_id() AS text) AS bigint);
        RETURN NULL;
    END
    $$
    """,
    "DROP TRIGGER vectors_changed ON vectors",
    "DROP FUNCTION count_change()",
    """
    CREATE FUNCTION note_changes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE meanings SET changes = CAST(CAST(pg_current_xact_id() AS text) AS bigint)
            WHERE workspace = ANY (ARRAY(SELECT DISTINCT workspace FROM changed))
            AND changes <> CAST(CAST(pg_current_xact_id() AS text) AS bigint);
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE TRIGGER vectors_added AFTER INSERT ON vectors REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_changes()
    """,
    """
    CREATE TRIGGER vectors_replaced AFTER UPDATE ON vectors REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_changes()
    """,
    """
    CREATE TRIGGER vectors_gone AFTER DELETE ON vectors REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_changes()
    """,
)
