"""One rule broken by one change of a declaration that is taken: the pattern of every test of a rule."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any

from lxml import etree

from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.schemas.files import compiled, files_in_force
from carimbo.fiscal.signature import Signer
from carimbo.simulator.family import World
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.judge import judge
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.rule import Refusal
from carimbo.simulator.signature import signature_of
from carimbo.simulator.trust import Trust
from unit.fiscal.goods.support import ISSUED_AT, signer_of
from unit.simulator.mutating import Edit, world
from unit.simulator.nfse.declaring import PERSON, base, mutated
from unit.simulator.rules.breaking import as_usual, unchanged
from unit.simulator.rules.certificates import of_person

AT_SEFIN = Place("SEFIN", HOMOLOGATION, "nfse", "SefinNacional", "nfse")


@dataclass(frozen=True)
class Breaking:
    """What breaks one rule, and nothing else, of a declaration that is taken."""

    code: str
    base: str = "simples"
    """A name of `BASES`."""
    edit: Edit = unchanged
    keyed: bool = True
    """Whether the Id follows the edit."""
    now: datetime = ISSUED_AT
    place: Place = AT_SEFIN
    before: Callable[[World, bytes], object] = as_usual
    """What has to have happened for the base to be taken."""
    prepare: Callable[[World, bytes], object] = as_usual
    """What happened besides before the declaration came: it is told the world and the declaration."""
    switches: Mapping[str, Any] = field(default_factory=dict)
    """Of `Controls`."""
    issue: Callable[[SampleAuthority], SampleCertificate] | None = None
    """Makes the certificate that signs; None is the issuer's own."""
    revoked: bool = False
    """Whether the certificate was taken back meanwhile."""
    after_signing: Edit = unchanged
    fits_schema: bool = True
    """Whether the changed declaration passes the XSD: else nobody would ever come to see the rule."""
    detail: str = ""
    """What the refusal adds to the official text must have this in it."""

    def happened(self, world: World, xml: bytes) -> None:
        self.before(world, xml)
        self.prepare(world, xml)

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"


@dataclass(frozen=True)
class ServiceCourt:
    """The judge, with the certificates of whoever comes before it."""

    trust: Trust
    authority: SampleAuthority
    signer: Signer

    def signer_of(self, name: str) -> Signer:
        """Of the company, or of the person who issues a base."""
        return signer_of(of_person(self.authority, PERSON)) if name == "by_person" else self.signer

    def base(self, name: str) -> bytes:
        return base(name, self.signer_of(name))

    def prove(self, breaking: Breaking) -> None:
        """The base is taken; changed it is refused with the code alone: that rule off, it is taken."""
        assert self.verdict(self.base(breaking.base), prepare=breaking.before) == []
        broken = self.broken(breaking)
        assert not breaking.fits_schema or faults(broken) == []
        refusals = self.verdict_on(broken, breaking)
        assert [one.code for one in refusals] == [breaking.code], refusals
        assert breaking.detail in refusals[0].detail
        assert self.verdict_on(broken, breaking, rules_off=frozenset({breaking.code})) == []

    def broken(self, breaking: Breaking) -> bytes:
        """The declaration of a breaking."""
        made = signer_of(breaking.issue(self.authority)) if breaking.issue else self.signer_of(breaking.base)
        xml = mutated(self.base(breaking.base), breaking.edit, made, keyed=breaking.keyed)
        if breaking.after_signing is unchanged:
            return xml
        root = etree.fromstring(xml)
        breaking.after_signing(root)
        return etree.tostring(root, encoding="utf-8")

    def verdict_on(self, xml: bytes, breaking: Breaking, **switches: Any) -> list[Refusal]:
        """What the judge says of a declaration where and when a breaking sends it."""
        court = replace(self, trust=self._trust_after(xml)) if breaking.revoked else self
        return court.verdict(
            xml,
            place=breaking.place,
            now=breaking.now,
            prepare=breaking.happened,
            **{**breaking.switches, **switches},
        )

    def _trust_after(self, xml: bytes) -> Trust:
        """Trust, but for the certificate of a declaration."""
        signature = signature_of(etree.fromstring(xml))
        assert signature
        assert signature.credential
        return replace(self.trust, revoked=frozenset({signature.credential.serial_number}))

    def verdict(
        self,
        xml: bytes,
        *,
        place: Place = AT_SEFIN,
        now: datetime = ISSUED_AT,
        prepare: Callable[[World, bytes], object] = as_usual,
        **switches: Any,
    ) -> list[Refusal]:
        """What the judge says of a declaration in a world of its own."""
        around = world(self.trust, now, **switches)
        with closing(around.store):
            prepare(around, xml)
            return judge(NoteCase(etree.fromstring(xml), place, around))


@cache
def schema(kind: Schema) -> etree.XMLSchema:
    return compiled(files_in_force(None)[kind])


def faults(xml: bytes, kind: Schema = Schema.NFSE_DPS) -> list[str]:
    """What the XSD finds wrong with a message."""
    checked: Any = schema(kind)
    checked.validate(etree.fromstring(xml))
    return [error.message for error in checked.error_log]
