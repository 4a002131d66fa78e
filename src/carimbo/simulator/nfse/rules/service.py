"""What was done, and where (Anexo I, infDPS/serv)."""

from carimbo.fiscal.tables.national_services import ServiceGroup
from carimbo.fiscal.tables.nbs import NBS
from carimbo.simulator.nfse.case import AT_SEA, COUNTRY, PLACE, NoteCase
from carimbo.simulator.nfse.regimes import CITY_TAX, EXPORT, REFORM, is_mei, is_taxed
from carimbo.simulator.nfse.rules.persons import is_city, is_foreign_country
from carimbo.simulator.rule import Rule

NO_TAX_AT_ALL = "990101"
"""Services without ISS and without ICMS."""
_CITY_CODE, _NBS = "serv/cServ/cTribMun", "serv/cServ/cNBS"
_CONSTRUCTION, _EVENT = "serv/obra", "serv/atvEvento"
_NO_CITY_CODE = "000"


def place_unknown(case: NoteCase) -> bool:
    """No city of Brazil, nor its waters."""
    place = case.text(PLACE)
    return bool(place) and place != AT_SEA and not is_city(place)


def country_unknown(case: NoteCase) -> bool:
    """No country, or Brazil."""
    return case.has(COUNTRY) and not is_foreign_country(case.text(COUNTRY))


def service_unknown(case: NoteCase) -> bool:
    """Not in the national list."""
    return case.service is None


def not_administered(case: NoteCase) -> bool:
    """A service that the city of incidence knows nothing of; MEI are spared."""
    if case.service is None or is_mei(case) or not is_taxed(case) or not case.tax_city.has_agreement:
        return False
    return case.tax_city.rate(case.service.code) is None


def city_code_of_zeros(case: NoteCase) -> bool:
    """Whoever has no code tells none."""
    return case.text(_CITY_CODE) == _NO_CITY_CODE


def nbs_unknown(case: NoteCase) -> bool:
    """Not in the nomenclature."""
    return case.has(_NBS) and case.text(_NBS) not in NBS.rows


def nbs_of_export_missing(case: NoteCase) -> bool:
    """What goes abroad is classified."""
    return _goes_abroad(case) and not case.has(_NBS)


def nbs_of_reform_missing(case: NoteCase) -> bool:
    """IBS and CBS go by the classification."""
    return case.has(REFORM) and not case.has(_NBS)


def _goes_abroad(case: NoteCase) -> bool:
    return any(map(case.has, ("toma/end/endExt", "interm/end/endExt", COUNTRY)))


def construction_missing(case: NoteCase) -> bool:
    """A service of building, without the building."""
    return demands(case, ServiceGroup.CONSTRUCTION) and not case.has(_CONSTRUCTION)


def construction_out_of_place(case: NoteCase) -> bool:
    """A building, in a service that has none."""
    return case.has(_CONSTRUCTION) and _has_no(case, ServiceGroup.CONSTRUCTION)


def event_missing(case: NoteCase) -> bool:
    """A service of entertainment, without the event."""
    return demands(case, ServiceGroup.EVENT) and not case.has(_EVENT)


def event_out_of_place(case: NoteCase) -> bool:
    """An event, in a service that has none."""
    return case.has(_EVENT) and _has_no(case, ServiceGroup.EVENT)


def demands(case: NoteCase, group: ServiceGroup) -> bool:
    """Tell whether a service has to be told with a group of its own."""
    return case.service is not None and case.service.required_group is group


def _has_no(case: NoteCase, group: ServiceGroup) -> bool:
    return not service_unknown(case) and not demands(case, group) and case.service_code != NO_TAX_AT_ALL


def trade_missing(case: NoteCase) -> bool:
    """What goes abroad is told with its trade."""
    is_export = case.text(f"{CITY_TAX}/tribISSQN") == EXPORT
    return (_goes_abroad(case) or is_export) and not case.has("serv/comExt")


def _untold(code: str, tag: str) -> Rule[NoteCase]:
    """Every new note tells what zero leaves open."""
    return Rule(code, lambda case: case.text(f"serv/comExt/{tag}") in ("0", "00"))


def import_missing(case: NoteCase) -> bool:
    """Goods that came for a time came by a declaration."""
    return _movement(case) == "2" and not case.has("serv/comExt/nDI")


def documents_out_of_place(case: NoteCase) -> bool:
    """No goods, no documents."""
    return _movement(case) == "1" and (case.has("serv/comExt/nDI") or case.has("serv/comExt/nRE"))


def export_missing(case: NoteCase) -> bool:
    """Goods that left for a time left by a register."""
    return _movement(case) == "3" and not case.has("serv/comExt/nRE")


def _movement(case: NoteCase) -> str:
    return case.text("serv/comExt/movTempBens")


SERVICE_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0302", place_unknown),
    Rule("E0304", country_unknown),
    Rule("E0310", service_unknown),
    Rule("E0312", not_administered),
    Rule("E0315", city_code_of_zeros),
    Rule("E0316", nbs_unknown),
    Rule("E0318", nbs_of_export_missing),
    Rule("E0322", nbs_of_reform_missing),
    Rule("E0330", trade_missing),
    _untold("E0333", "mdPrestacao"),
    _untold("E0341", "mecAFComexP"),
    _untold("E0343", "mecAFComexT"),
    _untold("E0345", "movTempBens"),
    Rule("E0352", import_missing),
    Rule("E0354", documents_out_of_place),
    Rule("E0356", export_missing),
    Rule("E0370", construction_missing),
    Rule("E0372", construction_out_of_place),
    Rule("E0390", event_missing),
    Rule("E0392", event_out_of_place),
)
