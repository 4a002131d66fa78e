"""Tests of the MDF-e rules: each violation is one change of an accepted document."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.mdfe.family import DOCUMENTS
from carimbo.simulator.mdfe.judged import JudgedMdfe
from carimbo.simulator.rules import AuthorityVerdict
from unit.fiscal.goods.support import CPF, signer_of
from unit.simulator.mdfe.bases import AT_SVRS, OF_PERSONS, base
from unit.simulator.mdfe.sample_mdfe import mutated
from unit.simulator.rule_tester import RuleTester, RuleViolation, schema_errors
from unit.simulator.rules.certificates import of_person


@dataclass(frozen=True)
class Violation(RuleViolation):
    """A change of an accepted MDF-e that breaks one rule; its base is a name of `BASES`."""

    base: str = "mdfe"
    quoted: bool = True
    """Whether the QR code is computed again after the edit."""
    also_off: Collection[str] = field(default_factory=frozenset)
    """Rules that this change cannot help breaking too."""
    masked_by: Collection[str] = field(default_factory=frozenset)
    """Rules that refuse the same change earlier, and are off in the test."""


@dataclass(frozen=True)
class MdfeRuleTester(RuleTester[Violation, AuthorityVerdict | None]):
    """Tests the rules of MDF-e."""

    usual_path = AT_SVRS
    schema: ClassVar[Schema] = Schema.MDFE

    def check(self, violation: Violation) -> None:
        """Checks that the base is accepted, and that only the named rules refuse the change."""
        assert self.verdict(self.base(violation.base)) is None
        broken = self.broken(violation)
        assert not violation.fits_schema or schema_errors(self.schema, broken) == []
        masks = frozenset(violation.masked_by)
        refusal = self.verdict_on(broken, violation, rules_off=masks)
        assert refusal is not None, "accepted"
        assert refusal.code == violation.code, refusal
        assert violation.detail in refusal.detail
        off = masks | {violation.code, *violation.also_off}
        assert self.verdict_on(broken, violation, rules_off=off) is None

    def accepts(self, accepted: Violation) -> bool:
        """Returns whether a changed document is accepted."""
        xml = self.broken(accepted)
        assert schema_errors(self.schema, xml) == []
        return self.verdict_on(xml, accepted) is None

    def base(self, name: str) -> bytes:
        """Returns an accepted document."""
        return base(name, self.signer_of(name))

    def signer_of(self, base: str) -> Signer:
        return signer_of(of_person(self.authority, CPF)) if base in OF_PERSONS else self.signer

    def edited(self, violation: Violation, signer: Signer) -> bytes:
        accepted = self.base(violation.base)
        return mutated(accepted, violation.edit, signer, keyed=violation.keyed, quoted=violation.quoted)

    def judged(
        self, xml: bytes, service_path: ServicePath, context: RequestContext
    ) -> AuthorityVerdict | None:
        return DOCUMENTS.refusal_of(JudgedMdfe(etree.fromstring(xml), service_path, context))
