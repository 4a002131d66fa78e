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
