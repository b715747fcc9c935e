"""Who decides what becomes of a taught text, in words."""

from typing import Any


def result(model: tuple[str, bool] | None) -> dict[str, Any]:
    """Of the worker whose model helps, and whether it is configured; None where the rules alone decide."""
    slug, configured = model or (None, None)
    return {"capture": "model" if model else "rules", "worker": slug, "configured": configured}


def pairs(found: dict[str, Any]) -> list[tuple[str, str]]:
    told = [("Capture", found["capture"])]
    if found["worker"] is not None:
        told.append(
            ("Worker", found["worker"] if found["configured"] else f"{found['worker']}, not configured")
        )
    return told


def missing(model: tuple[str, bool] | None) -> str | None:
    """What to do where the worker is not there."""
    if model is None or model[1]:
        return None
    return (
        f"Until the worker has a model, the rules capture: `brainctl brain workers set {model[0]} --model NAME "
        "--base-url URL`."
    )
