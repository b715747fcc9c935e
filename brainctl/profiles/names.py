"""The names that shell completion offers: read in one go, with no network and nothing imported but `json`."""

from collections.abc import Mapping

from brainctl.profiles.paths import config_file


def environment_names(environ: Mapping[str, str]) -> list[str]:
    """Every environment, sorted. Never raises: whatever cannot be read offers nothing."""
    return sorted({"production", *_environments(environ)[1]})


def profile_names(environ: Mapping[str, str], environment: str | None = None) -> list[str]:
    """What may follow `--profile`, sorted: the profiles of `environment`, where one is given.

    Else a plain name where that is enough, and `ENV/NAME` for one that several environments have. Never raises.
    """
    current, environments = _environments(environ)
    if environment is not None:
        return sorted(environments.get(environment, ()))
    here = environ.get("BRAINCTL_ENV") or current
    offered = list(environments.get(here, ()))
    for name, profiles in environments.items():
        for profile in profiles if name != here else ():
            shared = sum(profile in others for others in environments.values()) > 1
            offered.append(f"{name}/{profile}" if shared else profile)
    return sorted(offered)


def _environments(environ: Mapping[str, str]) -> tuple[str, dict[str, list[str]]]:
    import json

    try:
        with open(config_file(environ), "rb") as file:
            content = json.loads(file.read().decode("utf-8-sig"))
        found = {name: list(each.get("profiles", {})) for name, each in content["environments"].items()}
        return str(content.get("current", "production")), found
    except Exception:  # noqa: BLE001  # a completion that fails must offer nothing and say nothing
        return "production", {}
