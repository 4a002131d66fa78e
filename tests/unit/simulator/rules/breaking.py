"""One rule broken by one change of an accepted document: the pattern of every test of a rule.

A test file has a list `BREAKINGS`, and one test over it that calls `court.prove`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from carimbo.fiscal.emission import Contingency, EmissionType
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.signature import Signer
from carimbo.simulator.family import World
from carimbo.simulator.nfe.authorization import DOCUMENTS
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.rule import Refusal
from unit.fiscal.goods.support import (
    CONTRIBUTOR,
    NORMAL,
    RIO_DE_JANEIRO,
    emission,
)
from unit.simulator.courtroom import Broken, Courtroom, faults_by
from unit.simulator.mutating import AT_SP, case_of, mutated, nfce, nfe
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


@dataclass(frozen=True)
class Breaking(Broken):
    """What breaks one rule, and nothing else, of an accepted document; its base is a name of `BASES`."""

    quoted: bool = True
    """Whether the QR code follows the edit."""


@cache
def base(name: str, signer: Signer) -> bytes:
    """An accepted document, made once."""
    return BASES[name](signer)


def place_of(base: str) -> Place:
    """Where a base is sent to."""
    return NFCE_AT_SP if base.startswith("nfce") else AT_SP


@dataclass(frozen=True)
class Court(Courtroom[Breaking, Refusal | None]):
    """The judge of NF-e and NFC-e."""

    usual_place = AT_SP

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

    def edited(self, breaking: Breaking, signer: Signer) -> bytes:
        accepted = base(breaking.base, self.signer)
        return mutated(accepted, breaking.edit, signer, keyed=breaking.keyed, quoted=breaking.quoted)

    def place_for(self, breaking: Breaking) -> Place:
        return breaking.place or place_of(breaking.base)

    def judged(self, xml: bytes, place: Place, around: World) -> Refusal | None:
        return DOCUMENTS.refusal_of(case_of(xml, around, place))


def faults(xml: bytes) -> list[str]:
    """What the XSD finds wrong with a document."""
    return faults_by(Schema.NFE, xml)
