import signal


def pytest_configure() -> None:
    """Hear Ctrl-C, as the commands that tests start shall: a shell has jobs in the background ignore it, and those
    they start in turn.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
