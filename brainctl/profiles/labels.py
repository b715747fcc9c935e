"""The rule that the wrong host must not see a secret."""

from brainctl.contract.errors import BrainError
from brainctl.contract.keys import LABELS, label_of
from brainctl.profiles.addresses import is_production
from brainctl.profiles.entries import Environment

LIVE, TEST = LABELS


def refuse_foreign_label(environment: Environment, secret: str, *, address_given: bool = False) -> None:
    """Raise `BrainError` (`usage`) where a key's label says that it belongs to another host than this environment's.

    An `ak_test_` key does not go to production, nor an `ak_live_` key to where keys are `ak_test_`.
    With `address_given`, this very call names the address, and the user's word stands.
    """
    if address_given or environment.base_url is None:
        return
    label = label_of(secret)
    if label == TEST and is_production(environment.base_url):
        takes = LIVE
    elif label == LIVE and environment.label == TEST and not is_production(environment.base_url):
        takes = TEST
    else:
        return
    raise BrainError(
        "usage",
        f"The key was not sent: it starts with {label}, and the environment {environment.name} takes keys that start "
        f"with {takes}. Use the environment that the key belongs to, or give the address in the same call.",
    )
