"""What a signed document is made of besides its request, and what a review says of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from carimbo.fiscal.company import Company
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.municipal_agreement import Agreement
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.software import Software


@dataclass(frozen=True, slots=True)
class Replaced:
    """A document of ours that another takes the place of."""

    access_key: str
    signed: bytes = field(repr=False)
    """What we signed of it."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What others have to say of a document before it is made."""

    agreements: Mapping[str, Agreement] = field(default_factory=dict)
    """By municipality (IBGE), what is known of its agreement with the authority."""
    iss_rate: Decimal | None = None
    """What the municipality that taxes told the authority, in percent, if that was asked and known."""
    replaced: Replaced | None = None
    """The document that this one takes the place of, if that may be replaced."""


@dataclass(frozen=True, slots=True)
class Issuance:
    """Everything but the request that a signed document is made of."""

    company: Company
    emission: Emission
    software: Software
    settings: ModuleSettings
    signer: Signer
    schemas: Schemas
    now: datetime
    """When the document is made, which the authorities hold its date against."""
    asked_at: datetime | None = None
    """When the document was asked for, if that was before now: it may wait for its authority for days."""
    surroundings: Surroundings = Surroundings()
    unfilled: tuple[Problem, ...] = ()
    """What kept the request from being filled from the catalog, if it is only reviewed."""


Lines = tuple[Mapping[str, Any], ...]
"""The lines of a document as callers see them: exact values under the names of our JSON."""


class Preview(Protocol):
    """What a document would be if it were issued as it stands."""

    @property
    def amount(self) -> Decimal:
        """What it amounts to."""

    @property
    def totals(self) -> Mapping[str, Any]:
        """Everything that it adds up to, exact values under the names of our JSON."""

    @property
    def lines(self) -> Lines:
        """Its lines."""

    @property
    def xml(self) -> bytes:
        """Its text, unsigned."""


@dataclass(frozen=True, slots=True)
class Review:
    """What is to be said of a request before a number is spent on it."""

    problems: tuple[Problem, ...] = ()
    """Everything that keeps it from being issued."""
    warnings: tuple[str, ...] = ()
    """What was assumed, and what may be refused; sentences in Portuguese."""
    preview: Preview | None = None
    """None when too much is wrong for a document to be composed and written."""

    @property
    def amount(self) -> Decimal:
        """What the document amounts to; zero without a preview."""
        return self.preview.amount if self.preview else Decimal(0)


@dataclass(frozen=True, slots=True)
class SignedIdentity:
    """Which document a signed one is, and when it was issued."""

    access_key: str
    issued_at: datetime


@dataclass(frozen=True, slots=True)
class AuthorizedAmounts:
    """What an authority computed for a document; None for whatever it did not."""

    total_due: Decimal | None = None
    """What the receiver pays, where taxes are added to the amount."""
    cbs_rate: Decimal | None = None
    """The rate of the CBS that it applied, in percent."""
    expected_cbs_rate: Decimal | None = None
    """The rate of the CBS in our table, in percent; None while it is unknown."""
