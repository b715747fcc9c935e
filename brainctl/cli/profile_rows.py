"""What is known on this machine of a profile, as every command prints it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from brainctl.profiles.secret_places import kept_in

if TYPE_CHECKING:
    from brainctl.profiles.book import Book
    from brainctl.profiles.entries import Profile


def profile_row(book: "Book", profile: "Profile", environ: Mapping[str, str]) -> dict[str, Any]:
    """A profile as a plain mapping: never its secret, only the prefix and where the secret lies."""
    environment = book.environment(profile.environment)
    return {
        "environment": profile.environment,
        "name": profile.name,
        "current": book.is_current(profile),
        "address": environment.base_url or environment.store,
        "workspace": environment.workspace,
        "key_name": profile.key_name,
        "key_prefix": profile.key_prefix,
        "key_audience": profile.key_audience,
        "scopes": list(profile.scopes) if profile.scopes is not None else None,
        "kept_in": kept_in(environ, profile.place),
    }
