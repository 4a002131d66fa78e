"""One rule broken by one change of an accepted document: the pattern of every test of a rule.

A test file has a list `BREAKINGS`, and one test over it that calls `court.prove`.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any

from lxml import etree

from carimbo.fiscal.emission import Contingency, EmissionType
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.schemas.files import compiled, files_in_force
from carimbo.fiscal.signature import Signer
from carimbo.simulator.family import World
from carimbo.simulator.nfe.judge import judge
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.rule import Refusal
from carimbo.simulator.signature import signature_of
from carimbo.simulator.trust import Trust
from unit.fiscal.goods.support import (
    CONTRIBUTOR,
    ISSUED_AT,
    NORMAL,
    RIO_DE_JANEIRO,
    emission,
    signer_of,
)
from unit.simulator.mutating import AT_SP, Edit, case_of, mutated, nfce, nfe, world
from unit.simulator.rules.content_bases import CONTENT_BASES

NFCE_AT_SP = Place("SP", HOMOLOGATION, "nfce", "NFeAutorizacao4")
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
"""Documents that are accepted as they are, by name; those whose name begins with `nfce` are model 65."""


def unchanged(root: etree._Element) -> None:
    """Change nothing: what is wrong is the moment, the place, or what happened before."""


def as_usual(world: World, xml: bytes) -> None:
    """Nothing happened before."""


@dataclass(frozen=True)
class Breaking:
    """What breaks one rule, and nothing else, of an accepted document."""

    code: str
    base: str
    """A name of `BASES`."""
    edit: Edit = unchanged
    keyed: bool = True
    quoted: bool = True
    """Whether key and QR code follow the edit."""
    now: datetime = ISSUED_AT
    place: Place | None = None
    """Where it is sent to; None is the right place of its base."""
    prepare: Callable[[World, bytes], object] = as_usual
    """What happened before the document came: it is told the world and the document."""
    switches: Mapping[str, Any] = field(default_factory=dict)
    """Of `Controls`."""
    issue: Callable[[SampleAuthority], SampleCertificate] | None = None
    """Makes the certificate that signs; None is the company's own."""
    revoked: bool = False
    """Whether the company's certificate was taken back meanwhile."""
    after_signing: Edit = unchanged
    fits_schema: bool = True
    """Whether the changed document passes the XSD: else nobody would ever come to see the rule."""
    detail: str = ""
    """What the refusal adds to the official text must have this in it."""

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"


@cache
def base(name: str, signer: Signer) -> bytes:
    """An accepted document, made once."""
    return BASES[name](signer)


def place_of(base: str) -> Place:
    """Where a base is sent to."""
    return NFCE_AT_SP if base.startswith("nfce") else AT_SP


@dataclass(frozen=True)
class Court:
    """The judge, with the certificates of whoever comes before it."""

    trust: Trust
    authority: SampleAuthority
    signer: Signer

    def prove(self, breaking: Breaking) -> None:
        """The base is accepted; changed it is refused with the code alone: that rule off, it is accepted."""
        accepted = base(breaking.base, self.signer)
        assert self.verdict(accepted, place=place_of(breaking.base)) is None
        broken = self.broken(breaking)
        assert not breaking.fits_schema or faults(broken) == []
        refusal = self.verdict_on(broken, breaking)
        assert refusal is not None, "accepted"
        assert refusal.code == breaking.code, refusal
        assert breaking.detail in refusal.detail
        assert self.verdict_on(broken, breaking, rules_off=frozenset({breaking.code})) is None

    def broken(self, breaking: Breaking) -> bytes:
        """The document of a breaking."""
        signer = signer_of(breaking.issue(self.authority)) if breaking.issue else self.signer
        accepted = base(breaking.base, self.signer)
        xml = mutated(accepted, breaking.edit, signer, keyed=breaking.keyed, quoted=breaking.quoted)
        if breaking.after_signing is unchanged:
            return xml
        root = etree.fromstring(xml)
        breaking.after_signing(root)
        return etree.tostring(root, encoding="utf-8")

    def verdict_on(self, xml: bytes, breaking: Breaking, **switches: Any) -> Refusal | None:
        """What the judge says of a document where and when a breaking sends it."""
        court = replace(self, trust=self._trust_after(xml)) if breaking.revoked else self
        return court.verdict(
            xml,
            place=breaking.place or place_of(breaking.base),
            now=breaking.now,
            prepare=breaking.prepare,
            **{**breaking.switches, **switches},
        )

    def _trust_after(self, xml: bytes) -> Trust:
        """Trust, but for the certificate of a document."""
        signature = signature_of(etree.fromstring(xml))
        assert signature
        assert signature.credential
        return replace(self.trust, revoked=frozenset({signature.credential.serial_number}))

    def verdict(
        self,
        xml: bytes,
        *,
        place: Place = AT_SP,
        now: datetime = ISSUED_AT,
        prepare: Callable[[World, bytes], object] = as_usual,
        **switches: Any,
    ) -> Refusal | None:
        """What the judge says of a document in a world of its own."""
        around = world(self.trust, now, **switches)
        with closing(around.store):
            prepare(around, xml)
            return judge(case_of(xml, around, place))


@cache
def schema() -> etree.XMLSchema:
    """The XSD of a document."""
    return compiled(files_in_force(None)[Schema.NFE])


def faults(xml: bytes) -> list[str]:
    """What the XSD finds wrong with a document."""
    checked: Any = schema()
    checked.validate(etree.fromstring(xml))
    return [error.message for error in checked.error_log]
