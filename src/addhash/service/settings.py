"""What a server allows, and to whom."""

import ipaddress
from dataclasses import dataclass

__all__ = ["Settings"]

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where a server listens, who may ask and teach, and how much at a time.

    Parameters
    ----------
    host, port : str, int
        The address to listen on. One that others can reach needs a token.
    read_token, write_token : str or None
        What to send as ``Authorization: Bearer TOKEN``: to ask, and to ask and change. Without a
        read token, anyone may ask. With only a read token, no one may change anything.
    trusted_hosts : tuple of str
        Host names that clients may use for the server, besides those of this computer and `host`;
        "*" allows any.
    max_body, max_file : int
        The most bytes per request, and per uploaded model.
    max_texts, max_length : int
        The most texts per request, and characters per text.
    max_requests : int
        The most requests at a time; others are told to retry later.
    body_seconds : float
        How long a request may take to arrive.
    languages : bool
        Whether the language detector is served if there is no other model.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    read_token: str | None = None
    write_token: str | None = None
    trusted_hosts: tuple[str, ...] = ()
    max_body: int = 16 << 20
    max_file: int = 1 << 30
    max_texts: int = 4096
    max_length: int = 100_000
    max_requests: int = 256
    body_seconds: float = 30.0
    languages: bool = False

    def __post_init__(self) -> None:
        for name in ("read_token", "write_token"):
            token = getattr(self, name)
            if token is not None and not (token.isascii() and token.isprintable() and token):
                raise ValueError(f"Expected ASCII letters without spaces as {name}.")
        if not self.has_token and not self.is_loopback:
            raise ValueError(
                f"Others can reach {self.host}, so a token is needed: set a write token, and a"
                " read token too unless anyone may ask. Or listen on 127.0.0.1."
            )

    @property
    def has_token(self) -> bool:
        """Whether any token is set."""
        return self.read_token is not None or self.write_token is not None

    @property
    def is_loopback(self) -> bool:
        """Whether only this computer can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False

    @property
    def hosts(self) -> frozenset[str]:
        """The host names that the server answers to, without ports."""
        own = f"[{self.host.strip('[]')}]" if ":" in self.host else self.host
        return frozenset(name.lower() for name in (*LOOPBACK_NAMES, own, *self.trusted_hosts))
