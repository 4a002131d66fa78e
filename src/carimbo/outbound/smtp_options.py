"""Options of the mail server; apart from `smtp.py`, so that the settings load no mail library."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Security(StrEnum):
    """How the connection to the mail server is encrypted."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class SmtpOptions:
    """Address and settings of the mail server."""

    host: str
    port: int
    security: Security
    username: str | None
    password: str | None = field(repr=False)
    ca_file: Path | None
    seconds: float
    """Time limit of a whole SMTP session."""
