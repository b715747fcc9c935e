"""An error as a person reads it."""

from typing import Any

from brainctl.cli.exits import outcome_of
from brainctl.contract.errors import BrainError


def error_lines(error: BrainError, *, key_name: str | None = None) -> list[str]:
    """The sentence first, then each detail worth a line, then what to do next."""
    lines = [_sentence(error.message)]
    lines.extend(_details(error))
    if error.code == "scope_missing" and key_name:
        lines.append(f"The key in use is {key_name}.")
    if advice := outcome_of(error).advice:
        lines.append(advice)
    if error.request_id:
        lines.append(f"Request id: {error.request_id}")
    return lines


def _sentence(message: str) -> str:
    message = message.strip()
    return message if message.endswith((".", "!", "?", ":")) else f"{message}."


def _details(error: BrainError) -> list[str]:
    """Whatever the brain said beyond its message, generically: its shape is not promised."""
    details = error.details
    if not isinstance(details, dict):
        return [] if details is None else [f"Details: {_plain(details)}"]
    fields = details.get("fields")
    if isinstance(fields, list) and all(isinstance(field, dict) for field in fields):
        if len(fields) == 1 and str(fields[0].get("field")) in error.message:
            return []
        return [f"  {field.get('field')}: {field.get('message')}" for field in fields]
    # What the sentence says already is not said again.
    plain = {name: _plain(value) for name, value in details.items()}
    return [f"  {name}: {value}" for name, value in plain.items() if value not in error.message]


def _plain(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
