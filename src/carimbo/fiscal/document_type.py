"""The contract that each document type's folder fills.

What the rest of carimbo knows of a type is what stands here; nothing outside a type's folder asks for a
type by its name.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from carimbo.fiscal.fields import Changes, Integer

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
    secret_settings: tuple[str, ...] = ()
    """Dotted paths of settings that are sealed at rest and masked on read."""
