"""The one way in which a place for files cannot be found."""

from brainctl.contract.errors import BrainError


class NoHomeError(BrainError):
    """No home folder is known, so no file of brainctl's can be found."""

    def __init__(self) -> None:
        super().__init__(
            "usage",
            "No home folder is known for this user, so there is no place for keys and settings: "
            "set HOME, or set BRAINCTL_HOME to a folder of your choice.",
        )
