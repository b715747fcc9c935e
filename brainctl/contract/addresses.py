"""Which hosts are this machine, so that nothing need hide a key on the way there."""


def is_loopback(host: str) -> bool:
    """Whether a host name or IP address, without brackets, can only be this machine."""
    if host.lower() == "localhost":
        return True
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
