"""Which worker answers: the configured ones, and `main`, which needs no configuration."""

import re
from typing import Final

from brainctl.contract.addresses import is_loopback
from brainctl.contract.bounds import AGENT_DEFAULT, ID_MAX
from brainctl.contract.keys import label_of
from brainctl.contract.requests import QUESTION
from brainctl.contract.shapes import Problem, Record, Text, refusal, validate
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.store import Store
from brainctl.engine.store.workers import (
    WorkerRow,
    delete_worker,
    read_worker,
    read_workers,
    write_worker,
)
from brainctl.engine.worker.worker import Worker, WorkerError

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORKER: Final = Record(
    {
        "slug": QUESTION.fields["agent_slug"],
        "model": Text(ID_MAX),
        "base_url": Text(2000),
        "key_env": Text(ID_MAX),
    },
    required=("slug", "model", "base_url"),
)


def set_worker(
    store: Store, workspace: int, slug: str, *, model: str, base_url: str, key_env: str | None = None
) -> WorkerRow:
    """Configure a worker, or change it. `base_url` is what stands before `/chat/completions`.

    `key_env` names the environment variable that holds the model's key; the key is read at each run and never kept.
    Raises `validation_error`.
    """
    worker = checked_worker(slug, model=model, base_url=base_url, key_env=key_env)
    with store.transaction() as connection:
        write_worker(connection, workspace, worker)
    return worker


def checked_worker(slug: str, *, model: str, base_url: str, key_env: str | None = None) -> WorkerRow:
    """A worker as it is kept. Raises `validation_error`."""
    given = {"slug": slug, "model": model, "base_url": base_url}
    clean = validate(_WORKER, given if key_env is None else {**given, "key_env": key_env})
    problems = [*_address_problems(base_url, with_key=key_env is not None), *_variable_problems(key_env)]
    if problems:
        raise refusal(problems)
    return WorkerRow(clean["slug"], clean["model"], base_url.rstrip("/"), key_env)


def _address_problems(base_url: str, *, with_key: bool) -> list[Problem]:
    from urllib.parse import urlsplit

    wrong = Problem("base_url", "must be an address such as http://127.0.0.1:11434/v1", "address")
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return [wrong]
    if not host or parts.scheme not in {"http", "https"} or not base_url.isascii() or " " in base_url:
        return [wrong]
    if parts.username is not None or parts.query or parts.fragment:
        return [Problem("base_url", "must hold no user, question mark or fragment", "address")]
    if with_key and parts.scheme == "http" and not is_loopback(host):
        return [Problem("base_url", "must be https where a key is sent to another machine", "address")]
    return []


def _variable_problems(key_env: str | None) -> list[Problem]:
    if key_env is None:
        return []
    if not _VARIABLE.fullmatch(key_env) or label_of(key_env):
        return [Problem("key_env", "must be the name of an environment variable, not a key", "variable")]
    return []


def workers(store: Store, workspace: int) -> list[WorkerRow]:
    """The configured workers, by slug."""
    with store.reading() as connection:
        return read_workers(connection, workspace)


def remove_worker(store: Store, workspace: int, slug: str) -> bool:
    """Forget a worker; False where there was none. `main` then answers without a model again."""
    with store.transaction() as connection:
        return delete_worker(connection, workspace, slug)


def require_worker(store: Store, workspace: int, slug: str) -> None:
    """Raises `validation_error` where no worker goes by this slug."""
    if slug == AGENT_DEFAULT:
        return
    with store.reading() as connection:
        known = read_worker(connection, workspace, slug) is not None
    if not known:
        raise refusal([Problem("agent_slug", "no worker has this slug", "unknown_worker")])


def hire(store: Store, row: AnswerRow) -> Worker:
    """The worker that an answer was asked of. Raises `WorkerError` where it has been removed since."""
    with store.reading() as connection:
        configured = read_worker(connection, row.workspace, row.agent_slug)
    if configured is not None:
        from brainctl.engine.worker.model import ModelWorker

        return ModelWorker(configured.model, configured.base_url, configured.key_env)
    if row.agent_slug != AGENT_DEFAULT:
        raise WorkerError("its worker is no longer configured")
    from brainctl.engine.worker.extractive import ExtractiveWorker

    return ExtractiveWorker()
