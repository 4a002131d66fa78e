"""Rules of the service, its place, foreign trade, construction and events (Anexo I, infDPS/serv)."""

from collections.abc import Callable

from carimbo.fiscal.tables.service_codes import NBS, ServiceGroup
from carimbo.simulator.nfse.dps import AT_SEA, COUNTRY, PLACE, JudgedDps
from carimbo.simulator.nfse.rules.persons import is_city, is_elsewhere, is_foreign_country
from carimbo.simulator.nfse.taxation import CITY_TAX, EXPORT, REFORM, is_mei, is_taxed
from carimbo.simulator.rules import RejectionRule

WITHOUT_ISS_AND_ICMS = "990101"
"""The code of services without ISS and ICMS."""
_CITY_CODE, _NBS = "serv/cServ/cTribMun", "serv/cServ/cNBS"
_CONSTRUCTION, _EVENT = "serv/obra", "serv/atvEvento"
_NO_CITY_CODE = "000"
_CONSTRUCTION_ADDRESS, _EVENT_ADDRESS = f"{_CONSTRUCTION}/end", f"{_EVENT}/end"
_PROPERTY_ADDRESS = "IBSCBS/imovel/end"


def place_unknown(dps: JudgedDps) -> bool:
    """The place is not a Brazilian city, nor the sea."""
    city = dps.text(PLACE)
    return bool(city) and city != AT_SEA and not is_city(city)


def country_unknown(dps: JudgedDps) -> bool:
    """The country is unknown, or Brazil."""
    return dps.has(COUNTRY) and not is_foreign_country(dps.text(COUNTRY))


def service_unknown(dps: JudgedDps) -> bool:
    """The service is not in the national list."""
    return dps.service is None


def not_administered(dps: JudgedDps) -> bool:
    """The city of incidence does not administer the service; MEI are exempt."""
    if dps.service is None or is_mei(dps) or not is_taxed(dps) or not dps.tax_city.has_agreement:
        return False
    return dps.tax_city.rate(dps.service.code) is None


def city_code_of_zeros(dps: JudgedDps) -> bool:
    """The municipal code is zero; it must be left out instead."""
    return dps.text(_CITY_CODE) == _NO_CITY_CODE


def nbs_unknown(dps: JudgedDps) -> bool:
    """The code is not in the NBS."""
    return dps.has(_NBS) and dps.text(_NBS) not in NBS.rows


def nbs_of_export_missing(dps: JudgedDps) -> bool:
    """An operation with another country lacks its NBS code."""
    return _goes_abroad(dps) and not dps.has(_NBS)


def nbs_of_reform_missing(dps: JudgedDps) -> bool:
    """An operation with IBS and CBS lacks its NBS code."""
    return dps.has(REFORM) and not dps.has(_NBS)


def _goes_abroad(dps: JudgedDps) -> bool:
    return any(map(dps.has, ("toma/end/endExt", "interm/end/endExt", COUNTRY)))


def construction_missing(dps: JudgedDps) -> bool:
    """A construction service without its construction."""
    return requires_group(dps, ServiceGroup.CONSTRUCTION) and not dps.has(_CONSTRUCTION)


def construction_out_of_place(dps: JudgedDps) -> bool:
    """A construction in another kind of service."""
    return dps.has(_CONSTRUCTION) and _must_not_have(dps, ServiceGroup.CONSTRUCTION)


def event_missing(dps: JudgedDps) -> bool:
    """An entertainment service without its event."""
    return requires_group(dps, ServiceGroup.EVENT) and not dps.has(_EVENT)


def event_out_of_place(dps: JudgedDps) -> bool:
    """An event in another kind of service."""
    return dps.has(_EVENT) and _must_not_have(dps, ServiceGroup.EVENT)


def requires_group(dps: JudgedDps, group: ServiceGroup) -> bool:
    """Returns whether the service requires this group."""
    return dps.service is not None and dps.service.required_group is group


def _must_not_have(dps: JudgedDps, group: ServiceGroup) -> bool:
    return (
        not service_unknown(dps)
        and not requires_group(dps, group)
        and dps.service_code != WITHOUT_ISS_AND_ICMS
    )


def trade_missing(dps: JudgedDps) -> bool:
    """An operation with another country lacks its group of foreign trade."""
    is_export = dps.text(f"{CITY_TAX}/tribISSQN") == EXPORT
    return (_goes_abroad(dps) or is_export) and not dps.has("serv/comExt")


def _undefined(code: str, tag: str) -> RejectionRule[JudgedDps]:
    """Returns the rule that a field of foreign trade is not "undefined", which new notes may not use."""
    return RejectionRule(code, lambda dps: dps.text(f"serv/comExt/{tag}") in ("0", "00"))


def import_missing(dps: JudgedDps) -> bool:
    """A temporary import of goods without its import declaration."""
    return _movement(dps) == "2" and not dps.has("serv/comExt/nDI")


def documents_out_of_place(dps: JudgedDps) -> bool:
    """Documents of goods although no goods move."""
    return _movement(dps) == "1" and (dps.has("serv/comExt/nDI") or dps.has("serv/comExt/nRE"))


def export_missing(dps: JudgedDps) -> bool:
    """A temporary export of goods without its export register."""
    return _movement(dps) == "3" and not dps.has("serv/comExt/nRE")


def _movement(dps: JudgedDps) -> str:
    return dps.text("serv/comExt/movTempBens")


SERVICE_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    RejectionRule("E0302", place_unknown),
    RejectionRule("E0304", country_unknown),
    RejectionRule("E0310", service_unknown),
    RejectionRule("E0312", not_administered),
    RejectionRule("E0315", city_code_of_zeros),
    RejectionRule("E0316", nbs_unknown),
    RejectionRule("E0318", nbs_of_export_missing),
    RejectionRule("E0322", nbs_of_reform_missing),
    RejectionRule("E0330", trade_missing),
    _undefined("E0333", "mdPrestacao"),
    _undefined("E0341", "mecAFComexP"),
    _undefined("E0343", "mecAFComexT"),
    _undefined("E0345", "movTempBens"),
    RejectionRule("E0352", import_missing),
    RejectionRule("E0354", documents_out_of_place),
    RejectionRule("E0356", export_missing),
    RejectionRule("E0370", construction_missing),
    RejectionRule("E0372", construction_out_of_place),
    RejectionRule("E0390", event_missing),
    RejectionRule("E0392", event_out_of_place),
)


def _zipcode_of_another_place(path: str) -> Callable[[JudgedDps], bool]:
    """The postal code is of another state than the place of the service."""
    return lambda dps: is_elsewhere(dps.text(f"{path}/CEP"), dps.text(PLACE))


def _zipcode_abroad(path: str) -> Callable[[JudgedDps], bool]:
    """A Brazilian postal code although the service was performed abroad."""
    return lambda dps: dps.has(COUNTRY) and dps.has(f"{path}/CEP")


def _foreign_address_missing(path: str) -> Callable[[JudgedDps], bool]:
    """No address abroad although the service was performed there; another rule is about postal codes."""
    return lambda dps: (
        dps.has(COUNTRY)
        and dps.has(path.rpartition("/")[0])
        and not dps.has(f"{path}/endExt")
        and not dps.has(f"{path}/CEP")
    )


def _foreign_address_at_home(path: str) -> Callable[[JudgedDps], bool]:
    """An address abroad although the service was performed in Brazil."""
    return lambda dps: dps.has(PLACE) and dps.has(f"{path}/endExt")


SITE_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    RejectionRule("E0380", _zipcode_of_another_place(_CONSTRUCTION_ADDRESS)),
    RejectionRule("E0382", _zipcode_abroad(_CONSTRUCTION_ADDRESS)),
    RejectionRule("E0384", _foreign_address_missing(_CONSTRUCTION_ADDRESS)),
    RejectionRule("E0386", _foreign_address_at_home(_CONSTRUCTION_ADDRESS)),
    RejectionRule("E0398", _zipcode_of_another_place(_EVENT_ADDRESS)),
    RejectionRule("E0400", _zipcode_abroad(_EVENT_ADDRESS)),
    RejectionRule("E0402", _foreign_address_missing(_EVENT_ADDRESS)),
    RejectionRule("E0404", _foreign_address_at_home(_EVENT_ADDRESS)),
    RejectionRule("E0934", _foreign_address_missing(_PROPERTY_ADDRESS)),
    RejectionRule("E0935", _foreign_address_at_home(_PROPERTY_ADDRESS)),
)
