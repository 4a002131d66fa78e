"""The contract that each document type's folder fills.

What the rest of carimbo knows of a type is what stands here; nothing outside a type's folder asks for a
type by its name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from carimbo.fiscal.company import Company
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body, Changes, Integer
from carimbo.fiscal.hint import Hint
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.software import Software

# 890-919 belong to the tax offices, 920-969 to issuers with a CPF, 970-989 to PAA (MOC, serie).
Series = Annotated[Integer, Field(ge=0, le=889, description="Série de 0 a 889.")]
Number = Annotated[
    Integer, Field(ge=1, le=999_999_999, description="Próximo número; guardado por ambiente e série.")
]


class ModuleEnvironment(StrEnum):
    """An environment that a module may have apart from its company's; `test` means homologation."""

    PRODUCTION = "production"
    HOMOLOGATION = "homologation"
    TEST = "test"


class ModuleSettings(Changes):
    """A company's settings for one document type: every type numbers its documents."""

    series: Series = 1
    number: Number | None = None

    def environment_beside(self, companys: Environment) -> Environment:
        """The environment of this module: its own, where it has one, before the company's."""
        own = getattr(self, "environment", None)
        if own is None:
            return companys
        return Environment.PRODUCTION if own is ModuleEnvironment.PRODUCTION else Environment.HOMOLOGATION


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


@dataclass(frozen=True, slots=True)
class Review:
    """What is to be said of a request before a number is spent on it."""

    problems: tuple[Problem, ...] = ()
    """Everything that keeps it from being issued."""
    warnings: tuple[str, ...] = ()
    """What was assumed, and what may be refused; sentences in Portuguese."""


ReviewRequest = Callable[[Any, Issuance], Review]
"""Tells what would keep a validated request from being issued, without signing anything."""

Issue = Callable[[Any, Issuance], SignedDocument | tuple[Problem, ...]]
"""Makes the signed document of a validated request, or tells every problem that keeps it from being made."""

HintForRejection = Callable[[str, str], Hint | None]
"""Tells, of an authority's code and words, where to look in the request and what to change."""

PrintedEmission = Callable[[Any, Company, Environment], Emission | tuple[Problem, ...] | None]
"""Reads the emission of a document that was issued elsewhere already; None when it was not."""


@dataclass(frozen=True, slots=True)
class Issuing:
    """How a type's requests become signed documents."""

    request: type[Body]
    review: ReviewRequest
    issue: Issue
    hint: HintForRejection
    printed_emission: PrintedEmission | None = None
    """For a type whose documents may be on paper before the service hears of them."""


@dataclass(frozen=True)
class DocumentType:
    """One kind of fiscal document."""

    name: str
    """`type` in records, and the module's name in a company's settings."""
    title: str
    """What people call it."""
    settings: type[ModuleSettings]
    feature: str | None = None
    """The feature that a subscription needs in order to issue it."""
    issuing: Issuing | None = None
    """None while the type can't be issued yet."""
    secret_settings: tuple[str, ...] = ()
    """Dotted paths of settings that are sealed at rest and masked on read."""
