"""Rules about vehicles, their owners and drivers (road)."""

import re
from collections.abc import Sequence

from carimbo.simulator.group import Group
from carimbo.simulator.identifiers import is_cnpj, is_cpf
from carimbo.simulator.mdfe.judged import JudgedMdfe
from carimbo.simulator.mdfe.rules.places import is_by_road
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.judged import tax_id_of
from carimbo.simulator.sefaz.places import EXTERIOR

_COMPANY, _PERSON, _COOPERATIVE = "123"
"""`tpTransp`: ETC, TAC and CTC."""
_NATIONAL_PLATE = re.compile(r"[A-Z]{3}[0-9][0-9A-Z][0-9]{2}")
_TRACTOR_UNIT = "03"
"""`tpRod`."""


def has_owner(mdfe: JudgedMdfe) -> bool:
    """Returns whether the tractor has another owner than the issuer."""
    return mdfe.is_by_road and bool(mdfe.owner.tag)


def owner_is_no_autonomous_carrier(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 743."""
    return "CPF" in mdfe.owner.texts and mdfe.text("ide/tpTransp") != _PERSON


def owner_is_no_company(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 744."""
    is_company = mdfe.text("ide/tpTransp") in (_COMPANY, _COOPERATIVE)
    return "CNPJ" in mdfe.owner.texts and not is_company


def type_of_carrier_without_owner(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 745."""
    return not mdfe.owner.tag and bool(mdfe.text("ide/tpTransp"))


def owner_is_the_issuer(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 740."""
    return tax_id_of(mdfe.owner) == mdfe.author


def is_invalid_party(party: Group) -> bool:
    """Returns whether a party has an invalid CNPJ or CPF; parties abroad have none."""
    if "CPF" in party.texts:
        return not is_cpf(party.texts["CPF"])
    return bool(party.text("CNPJ")) and not is_cnpj(party.text("CNPJ"))


def wrong_owner(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 718."""
    return is_invalid_party(mdfe.owner)


def wrong_owner_of_trailer(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 719."""
    return any(is_invalid_party(owner) for trailer in mdfe.trailers for owner in trailer.all("prop"))


def foreign_plate(mdfe: JudgedMdfe) -> Finding:
    """MOC MDF-e, 646: `ABC1234` or `ABC1D23`, unless the trip begins or ends abroad."""
    if EXTERIOR in (mdfe.start, mdfe.end):
        return None
    plates = (vehicle.text("placa") for vehicle in (mdfe.tractor, *mdfe.trailers))
    return next((f"[placa:{plate}]" for plate in plates if not _NATIONAL_PLATE.fullmatch(plate)), None)


def tractor_without_trailer(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 523."""
    return mdfe.tractor.text("tpRod") == _TRACTOR_UNIT and not mdfe.trailers


def drivers_of(mdfe: JudgedMdfe) -> Sequence[str]:
    """Returns the CPF of every driver."""
    return [driver.text("CPF") for driver in mdfe.tractor.all("condutor")]


def repeated_driver(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 577."""
    drivers = drivers_of(mdfe)
    return len(set(drivers)) < len(drivers)


def wrong_driver(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 645."""
    return not all(map(is_cpf, drivers_of(mdfe)))


VEHICLE_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("743", owner_is_no_autonomous_carrier, has_owner),
    RejectionRule("744", owner_is_no_company, has_owner),
    RejectionRule("745", type_of_carrier_without_owner, is_by_road),
    RejectionRule("740", owner_is_the_issuer, has_owner),
    RejectionRule("718", wrong_owner, has_owner),
    RejectionRule("719", wrong_owner_of_trailer, is_by_road),
    RejectionRule("646", foreign_plate, is_by_road),
    RejectionRule("523", tractor_without_trailer, is_by_road),
    RejectionRule("577", repeated_driver, is_by_road),
    RejectionRule("645", wrong_driver, is_by_road),
)
