"""What the manual says beside the commands: exit codes, variables, files."""

from typing import Final

EXIT_STATUS: Final = (
    ("0", "done"),
    ("1", "a fault of the brain after retries, or of brainctl's own"),
    ("2", "a command line or a request that cannot be right"),
    ("3", "no key, or one that is invalid, revoked or expired"),
    ("4", "the key lacks a scope"),
    ("5", "not found"),
    ("6", "the conversation is busy, or an idempotency key was used for something else"),
    ("7", "rate limited, after retries"),
    ("8", "out of credits"),
    ("9", "the answer failed"),
    ("10", "the wait ran out; the answer goes on"),
    ("11", "the brain could not be reached, or what came back is not the Brain API"),
    ("12", "an expectation of `expect` does not hold"),
    ("130, 143", "interrupted, terminated"),
    ("141", "the reader of the pipe went away"),
)

VARIABLES: Final = (
    ("ALFERA_API_KEY", "The key to use, unless `--profile` or `--env` names another."),
    ("BRAINCTL_BASE_URL", "The brain's address for ALFERA_API_KEY; production where it is not set."),
    ("BRAINCTL_PROFILE", "The profile to use where no option and no key in a variable says otherwise."),
    ("BRAINCTL_ENV", "The environment whose current profile to use, after BRAINCTL_PROFILE."),
    (
        "BRAINCTL_STORE",
        "The store that `brain serve`, `brain workspaces` and a first `brain init` use where no option names one.",
    ),
    ("BRAINCTL_OUTPUT", "How results are printed: human, json or jsonl."),
    ("BRAINCTL_HOME", "One folder for configuration, state, secrets and brains."),
    (
        "BRAINCTL_PACING",
        "`off` for no pacing on this machine, or another limit than the usual one, such as 120/60.",
    ),
    ("BRAINCTL_MODEL", "Where the model of a brain with `semantic on` lies, if not in its package."),
    ("BRAINCTL_KEYRING", "`off` leaves the system's keyring alone."),
    ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE, FORCE_COLOR", "When to colour, where `--color` does not say."),
    ("COLUMNS, LINES, TERM", "The terminal's size and kind."),
    ("HTTPS_PROXY, ALL_PROXY, NO_PROXY", "The proxy to a brain elsewhere, and the hosts that have none."),
    ("SSL_CERT_FILE, SSL_CERT_DIR", "Certificates to trust in place of those that come with brainctl."),
    ("XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME", "Where files belong, on Linux."),
)

FILES: Final = (
    ("~/.config/brainctl/config.json", "Profiles and environments."),
    ("~/.local/share/brainctl/secrets.json", "Secrets, for your eyes only."),
    ("~/.local/share/brainctl/", "Brains of your own."),
    (
        "~/.local/state/brainctl/",
        "What was asked and taught, to go on after an interruption.",
    ),
)
"""On Linux; macOS and Windows have their usual places."""
