"""Tests of the CT-e rules: each violation is one change of an accepted document."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.cte.family import DOCUMENTS
from carimbo.simulator.cte.judged import JudgedCte
from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.rules import AuthorityVerdict
from unit.simulator.cte.bases import AT_SP, STORED_BEFORE, base
from unit.simulator.cte.sample_cte import mutated
from unit.simulator.rule_tester import RuleTester, RuleViolation, schema_errors


@dataclass(frozen=True)
class Violation(RuleViolation):
    """A change of an accepted CT-e that breaks one rule; its base is a name of `BASES`."""

    base: str = "cte"
    quoted: bool = True
    """Whether the QR code is computed again after the edit."""
    also_off: Collection[str] = field(default_factory=frozenset)
    """Rules that this change cannot help breaking too."""
    masked_by: Collection[str] = field(default_factory=frozenset)
    """Rules that refuse the same change earlier, and are off in the test."""

    def prepare_context(self, context: RequestContext, xml: bytes) -> None:
        store_before(self.base, context)
        self.prepare(context, xml)


def store_before(name: str, context: RequestContext) -> None:
    """Stores everything that a base refers to."""
    if name in STORED_BEFORE:
        STORED_BEFORE[name](context)


@dataclass(frozen=True)
class CteRuleTester(RuleTester[Violation, AuthorityVerdict | None]):
    """Tests the rules of CT-e."""

    usual_path = AT_SP
    schema: ClassVar[Schema] = Schema.CTE

    def check(self, violation: Violation) -> None:
        """Checks that the base is accepted, and that only the named rules refuse the change."""
        assert self.verdict_on_base(violation.base) is None
        broken = self.broken(violation)
        assert not violation.fits_schema or schema_errors(self.schema, broken) == []
        masks = frozenset(violation.masked_by)
        refusal = self.verdict_on(broken, violation, rules_off=masks)
        assert refusal is not None, "accepted"
        assert refusal.code == violation.code, refusal
        assert violation.detail in refusal.detail
        off = masks | {violation.code, *violation.also_off}
        assert self.verdict_on(broken, violation, rules_off=off) is None

    def verdict_on_base(self, name: str) -> AuthorityVerdict | None:
        """Returns the verdict on an unchanged document."""
        return self.verdict(self.base(name), prepare=lambda context, _: self.store_before(name, context))

    def base(self, name: str) -> bytes:
        """Returns an accepted document."""
        return base(name, self.signer)

    def store_before(self, name: str, context: RequestContext) -> None:
        """Stores everything that a base refers to."""
        store_before(name, context)

    def edited(self, violation: Violation, signer: Signer) -> bytes:
        accepted = self.base(violation.base)
        return mutated(accepted, violation.edit, signer, keyed=violation.keyed, quoted=violation.quoted)

    def judged(
        self, xml: bytes, service_path: ServicePath, context: RequestContext
    ) -> AuthorityVerdict | None:
        return DOCUMENTS.refusal_of(JudgedCte(etree.fromstring(xml), service_path, context))
