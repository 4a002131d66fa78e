"""One rule broken by one change of a declaration that is taken: the pattern of every test of a rule."""

from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.signature import Signer
from carimbo.simulator.family import World
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.judge import judge
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.rule import Refusal
from unit.fiscal.goods.support import signer_of
from unit.simulator.courtroom import Broken, Courtroom, as_usual, faults_by
from unit.simulator.nfse.declaring import PERSON, base, mutated
from unit.simulator.rules.certificates import of_person

AT_SEFIN = Place("SEFIN", HOMOLOGATION, "nfse", "SefinNacional", "nfse")


@dataclass(frozen=True)
class Breaking(Broken):
    """What breaks one rule, and nothing else, of a declaration that is taken; its base is one of `BASES`."""

    base: str = "simples"
    before: Callable[[World, bytes], object] = as_usual
    """What has to have happened for the base to be taken."""

    def happened(self, world: World, xml: bytes) -> None:
        self.before(world, xml)
        self.prepare(world, xml)


@dataclass(frozen=True)
class ServiceCourt(Courtroom[Breaking, list[Refusal]]):
    """The judge of NFS-e, who tells all at once."""

    usual_place = AT_SEFIN

    def signer_of(self, base: str) -> Signer:
        """Of the company, or of the person who issues a base."""
        return signer_of(of_person(self.authority, PERSON)) if base == "by_person" else self.signer

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

    def edited(self, breaking: Breaking, signer: Signer) -> bytes:
        return mutated(self.base(breaking.base), breaking.edit, signer, keyed=breaking.keyed)

    def judged(self, xml: bytes, place: Place, around: World) -> list[Refusal]:
        return judge(NoteCase(etree.fromstring(xml), place, around))


def faults(xml: bytes, kind: Schema = Schema.NFSE_DPS) -> list[str]:
    """What the XSD finds wrong with a message."""
    return faults_by(kind, xml)
