"""The way in and the only way out: every error becomes one message and one exit code here."""

import gc
import os
import sys

from brainctl import __version__


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit code. Never raises."""
    # A list rather than a Sequence: importing collections costs a tenth of an interpreter's start.
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]):
        # Answered before anything is imported; os.write also survives a closed stream.
        try:
            os.write(1, f"brainctl {__version__}\n".encode())
        except BrokenPipeError:
            return 141
        except OSError:
            return 1
        return 0
    # A short-lived process allocates, answers and is gone: collecting costs more than it frees.
    gc.disable()
    if arguments[:1] == ["__complete"]:
        from brainctl.cli.completing import complete

        code = complete(arguments[1:])
    else:
        try:
            from brainctl.cli.run import run
        except KeyboardInterrupt:
            # Before there is anything that could say more.
            return 130
        code = run(arguments)
    # Else the interpreter, on its way out, walks over all that was imported: a tenth of a short command's time.
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(main())
