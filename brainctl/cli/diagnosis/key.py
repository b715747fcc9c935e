"""The key in use: where it comes from, and whether it belongs where it goes."""

from brainctl.cli.diagnosis.finding import Finding, ok, warning
from brainctl.cli.session import Session
from brainctl.contract.keys import LABELS, key_prefix, label_of, masked


def key(session: Session) -> Finding:
    """Which key a command would use. Raises `BrainError` where there is none, or none that can be sent."""
    access = session.access
    secret = access.secret()
    found = f"{masked(key_prefix(secret))} from {access.source}"
    chosen = "" if access.chosen_by == access.source else f", chosen by {access.chosen_by}"
    if access.warnings:
        first, *more = access.warnings
        return warning(f"{found}{chosen}: {first}", " ".join(more))
    return ok(f"{found}{chosen}")


def label(session: Session) -> Finding:
    """Whether the key starts as the keys of its environment do. What must not be sent at all, `key` refuses."""
    from brainctl.profiles.book import read_book

    access = session.access
    found = label_of(access.secret())
    if found is None:
        return warning(f"the key starts with none of {', '.join(LABELS)}", "Check that all of it was copied.")
    if access.environment is None:
        return ok(f"{found} goes to the address that BRAINCTL_BASE_URL gives")
    usual = read_book(session.environ).environment(access.environment).label
    if usual is not None and usual != found:
        return warning(
            f"the key starts with {found}, and the environment {access.environment} was made for {usual}",
            "Check that it is the key of this environment.",
        )
    return ok(f"{found} belongs to the environment {access.environment}")
