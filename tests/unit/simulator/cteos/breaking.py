"""Tests of the CT-e OS rules: each violation is one change of an accepted document."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from typing import ClassVar

from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.cte.family import OS_DOCUMENTS
from carimbo.simulator.cte.judged import JudgedCteOs
from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.rules import AuthorityVerdict
from unit.simulator.cte.breaking import CteRuleTester, Violation
from unit.simulator.cteos.bases import AT_SP, STORED_BEFORE, base


@dataclass(frozen=True)
class OsViolation(Violation):
    """A change of an accepted CT-e OS that breaks one rule; its base is a name of `BASES`."""

    base: str = "people"

    def prepare_context(self, context: RequestContext, xml: bytes) -> None:
        store_before(self.base, context)
        self.prepare(context, xml)


def store_before(name: str, context: RequestContext) -> None:
    """Stores everything that a base refers to."""
    if name in STORED_BEFORE:
        STORED_BEFORE[name](context)


def also_of_cteos(violations: Iterable[Violation], codes: Collection[str]) -> list[OsViolation]:
    """Returns the changes that break rules with these codes in both models."""
    return [_of_cteos(violation) for violation in violations if violation.code in codes]


def _of_cteos(violation: Violation) -> OsViolation:
    values = {field.name: getattr(violation, field.name) for field in fields(violation)}
    where = violation.service_path
    return OsViolation(
        **values
        | {
            "base": "people" if violation.base == "cte" else violation.base,
            "service_path": where and where._replace(family=AT_SP.family, service=AT_SP.service),
        }
    )


@dataclass(frozen=True)
class CteOsRuleTester(CteRuleTester):
    """Tests the rules of CT-e OS."""

    usual_path = AT_SP
    schema: ClassVar[Schema] = Schema.CTE_OS

    def base(self, name: str) -> bytes:
        return base(name, self.signer)

    def store_before(self, name: str, context: RequestContext) -> None:
        store_before(name, context)

    def judged(
        self, xml: bytes, service_path: ServicePath, context: RequestContext
    ) -> AuthorityVerdict | None:
        return OS_DOCUMENTS.refusal_of(JudgedCteOs(etree.fromstring(xml), service_path, context))
