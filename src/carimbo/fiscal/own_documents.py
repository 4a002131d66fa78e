"""Documents of the company that a request refers to by their keys, and filling the request from them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from carimbo.fiscal.catalog.filling import FillingReview


@dataclass(frozen=True, slots=True)
class OwnDocument:
    """An authorized document that the company issued or received; it may be canceled or replaced since."""

    type: str
    """The name of its document type."""
    request: Mapping[str, Any] = field(repr=False)
    """The body that it was issued from; empty for a received document."""
    signed: bytes = field(repr=False)
    """The signed XML."""
    is_canceled: bool = False
    is_replaced: bool = False
    """Whether another document replaces it; it stays authorized."""


@dataclass(frozen=True, slots=True)
class ReferenceFilling:
    """How requests of a type are filled from documents of the company that they refer to."""

    keys: Callable[[Any], tuple[str, ...]]
    """Returns the access keys of the documents that a validated request is filled from."""
    fill: Callable[
        [Mapping[str, Any], Any, Mapping[str, OwnDocument]], tuple[Mapping[str, Any], FillingReview]
    ]
    """Returns the body with its missing fields filled, and the problems and warnings of filling it.

    Takes the body, its validated request, and the documents that the company has, by their keys. Existing
    fields of the body are kept.
    """
    is_own_warning: Callable[[str], bool]
    """Returns whether a stored warning of a document comes from `fill`."""
    query_flag: str | None = None
    """The field of the body that asks for filling, if the query of the request may have it too."""
