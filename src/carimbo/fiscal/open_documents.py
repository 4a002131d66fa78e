"""Documents that an authority has as open: authorized, and neither closed nor canceled."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.filing import FilingIssuer, FilingResult


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A document that the authority has as open; any program may have issued it."""

    access_key: str
    protocol: str
    """The protocol of its authorization, which closing it needs."""


@dataclass(frozen=True, slots=True)
class ClosingByKey:
    """How documents of a type that another program issued are closed, by their access key."""

    request: type[Body]
    access_key: Callable[[Any], str]
    """Returns the access key in a validated request."""
    own_closing: Callable[[Any], Body]
    """Returns the request of the usual closing, for a document of this service."""
    issue: Callable[[Any, datetime, FilingIssuer], FilingResult]
    """Returns the signed closing, or all problems that prevent it."""


@dataclass(frozen=True, slots=True)
class OpenTerm:
    """How long documents of a type may be open before the authority refuses new ones."""

    days: int
    warned_days: tuple[int, ...]
    """How many days before the end of the term warnings are sent, the longest first."""
    closing_setting: str
    """The name of the setting with the days after which a company wants open documents closed."""
    usual_closing: Callable[[Any], Body]
    """Returns the request of the closing that is sent then, by the request of the document."""
