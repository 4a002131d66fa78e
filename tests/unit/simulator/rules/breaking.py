"""Tests of the NF-e and NFC-e rules: each violation is one change of an accepted document.

A test file has a list `VIOLATIONS`, and one test over it that calls `tester.check`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from carimbo.fiscal.emission import Contingency, EmissionType
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import HOMOLOGATION, RequestContext, ServicePath
from carimbo.simulator.nfe.authorization import DOCUMENTS
from carimbo.simulator.rules import AuthorityVerdict
from unit.fiscal.goods.support import (
    CONTRIBUTOR,
    NORMAL,
    RIO_DE_JANEIRO,
    emission,
)
from unit.simulator.mutating import AT_SP, case_of, mutated, nfce, nfe
from unit.simulator.rule_tester import RuleTester, RuleViolation, schema_errors
from unit.simulator.rules.content_bases import CONTENT_BASES

NFCE_AT_SP = ServicePath("SP", HOMOLOGATION, "nfce", "NFeAutorizacao4")
OFFLINE = emission(
    type=EmissionType.OFFLINE,
    contingency=Contingency(datetime.fromisoformat("2026-11-14T09:00:00-03:00"), "Sem conexão com a SEFAZ"),
)
QR_3 = {"qrVersion": 3}
IN_RIO = CONTRIBUTOR | {"address": RIO_DE_JANEIRO, "stateRegistration": "77040072"}

BASES: Mapping[str, Callable[[Signer], bytes]] = {
    "nfe": nfe,
    "nfe_normal": lambda signer: nfe(signer, by=NORMAL),
    "nfe_interstate": lambda signer: nfe(signer, by=NORMAL, recipient=IN_RIO),
    "nfce": nfce,
    "nfce_normal": lambda signer: nfce(signer, by=NORMAL),
    "nfce_qr3": lambda signer: nfce(signer, settings=QR_3),
    "nfce_offline": lambda signer: nfce(signer, under=OFFLINE),
    "nfce_offline_qr3": lambda signer: nfce(signer, under=OFFLINE, settings=QR_3),
    **CONTENT_BASES,
}
"""Accepted documents by name; names of model 65 begin with `nfce`."""


@dataclass(frozen=True)
class Violation(RuleViolation):
    """A change of an accepted document that breaks exactly one rule; its base is a name of `BASES`."""

    quoted: bool = True
    """Whether the QR code is computed again after the edit."""


@cache
def base(name: str, signer: Signer) -> bytes:
    """Returns an accepted document, made once."""
    return BASES[name](signer)


def path_of(base: str) -> ServicePath:
    """Returns the path that a base is sent to."""
    return NFCE_AT_SP if base.startswith("nfce") else AT_SP


@dataclass(frozen=True)
class InvoiceRuleTester(RuleTester[Violation, AuthorityVerdict | None]):
    """Tests the rules of NF-e and NFC-e."""

    usual_path = AT_SP

    def check(self, violation: Violation) -> None:
        """Checks that the base is accepted, and that only this rule refuses the change."""
        accepted = base(violation.base, self.signer)
        assert self.verdict(accepted, service_path=path_of(violation.base)) is None
        broken = self.broken(violation)
        assert not violation.fits_schema or xsd_errors(broken) == []
        refusal = self.verdict_on(broken, violation)
        assert refusal is not None, "accepted"
        assert refusal.code == violation.code, refusal
        assert violation.detail in refusal.detail
        assert self.verdict_on(broken, violation, rules_off=frozenset({violation.code})) is None

    def edited(self, violation: Violation, signer: Signer) -> bytes:
        accepted = base(violation.base, self.signer)
        return mutated(accepted, violation.edit, signer, keyed=violation.keyed, quoted=violation.quoted)

    def path_for(self, violation: Violation) -> ServicePath:
        return violation.service_path or path_of(violation.base)

    def judged(
        self, xml: bytes, service_path: ServicePath, context: RequestContext
    ) -> AuthorityVerdict | None:
        return DOCUMENTS.refusal_of(case_of(xml, context, service_path))


def xsd_errors(xml: bytes) -> list[str]:
    """Returns the XSD errors of a document."""
    return schema_errors(Schema.NFE, xml)
