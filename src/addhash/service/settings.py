"""What a server allows, and to whom."""

import ipaddress
import re
from dataclasses import dataclass

TOKEN = re.compile(r"[\x21-\x7e]+")
HOST = re.compile(r"\*|\[[0-9A-Fa-f:.]+\]|[^\s,/:@\[\]]+")
ORIGIN = re.compile(r"\*|https?://[^\s,/@]+")
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where a server listens, who may ask and teach, and how much at a time.

    Parameters
    ----------
    host : str
        The address to listen on. One that others can reach needs a token.
    port : int
        The port to listen on; 0 picks any free one.
    read_token : str or None
        What to send as ``Authorization: Bearer TOKEN`` to ask. Without one, anyone may ask.
    write_token : str or None
        The token to ask and change. With only a read token, no one may change anything.
    trusted_hosts : tuple of str
        Host names that clients may use for the server, besides those of this computer and `host`;
        "*" allows any.
    allowed_origins : tuple of str
        Origins of pages on other sites that may use the server, such as "https://example.com";
        "*" allows any.
    max_body : int
        The most bytes per request.
    max_file : int
        The most bytes per uploaded model.
    max_texts : int
        The most texts per request.
    max_length : int
        The most characters per text.
    max_requests : int
        The most requests at a time; others are told to retry later.
    body_seconds : float
        How long a request may take to arrive.
    languages : bool
        Whether languages are detected, and the detector is served if there is no other model.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    read_token: str | None = None
    write_token: str | None = None
    trusted_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
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
            if token is not None and not TOKEN.fullmatch(token):
                raise ValueError(f"Expected ASCII letters, digits and signs as {name}, no spaces.")
        for host in self.trusted_hosts:
            if not HOST.fullmatch(host):
                raise ValueError(f"Expected a host name or * as a trusted host, got {host!r:.80}.")
        for origin in self.allowed_origins:
            if not ORIGIN.fullmatch(origin):
                raise ValueError(
                    "Expected an origin such as https://example.com (scheme, host and port, no"
                    f" path) or *, got {origin!r:.80}."
                )
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
