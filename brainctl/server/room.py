"""How many connections a process has room for."""

from functools import cache
from typing import Final

CONNECTIONS_MOST: Final = 4000
"""More than a process can stream to, and than a proxy has need of."""
_FILES_A_CONNECTION: Final = 3
"""A stream may need another one to a model, and the brain has files of its own."""


@cache
def connections_most() -> int:
    """How many connections this process may have open. Takes as many files as that needs, if the system lets it."""
    try:
        import resource
    except ImportError:
        return CONNECTIONS_MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES_A_CONNECTION * CONNECTIONS_MOST
    most = _at_most(wanted, hard, resource.RLIM_INFINITY)
    if _at_most(wanted, soft, resource.RLIM_INFINITY) < most:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        except (OSError, ValueError):
            most = soft
    return most // _FILES_A_CONNECTION


def _at_most(wanted: int, limit: int, infinity: int) -> int:
    return wanted if limit == infinity else min(wanted, limit)
