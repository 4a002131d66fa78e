"""Whom a document is for, as far as it says."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Addressee:
    """Who receives a document; None is what nobody told."""

    name: str | None
    email: str | None
    tax_id: str | None = None
