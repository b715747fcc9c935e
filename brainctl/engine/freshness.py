"""Facts that have only just come, where facts are found by their meaning too."""

from brainctl.engine.store.store import Store


def freshen(store: Store, workspace: int) -> None:
    """Before a brain is looked at for anybody: what they find must not tell whether somebody has looked before.

    In a moment, and waiting for nobody; what that is too short for is seen to in the background.
    """
    if store.keeps_meanings(workspace):
        # Most brains are spared this.
        from brainctl.engine.semantic.indexing import catch_up_in_passing

        catch_up_in_passing(store, workspace)
