import signal

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_configure() -> None:
    """Hear Ctrl-C, as the commands that tests start shall: a shell has jobs in the background ignore it, and those
    they start in turn.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
