"""Rules about the content of `infModal` of a CT-e: by water and by rail."""

from carimbo.simulator.cte.dialect import CTE
from carimbo.simulator.cte.judged import RAIL, WATER, JudgedCte
from carimbo.simulator.cte.rules.service import INTERMEDIATE, LINKED
from carimbo.simulator.group import NOTHING, Group
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.rules.keys import holder_with_another_key, impossible_reference

_WITH_CONTAINERS = frozenset({INTERMEDIATE, LINKED})
_MUTUAL_TRAFFIC = "1"
"""`tpTraf`."""
_ORIGIN, _DESTINATION = "1", "2"
"""`respFat` and `ferrEmi`: the railway where the service begins or ends."""


def goes_by_water(cte: JudgedCte) -> bool:
    """Returns whether a document has the content of this mode."""
    return cte.mode == WATER and cte.normal_part.has("infModal/aquav")


def containers_only_between_carriers(cte: JudgedCte) -> bool:
    """MOC CT-e, 526: some types of service have containers, the others have none."""
    has_containers = cte.normal_part.has("infModal/aquav/detCont")
    return has_containers != (cte.service_type in _WITH_CONTAINERS)


def goes_by_rail(cte: JudgedCte) -> bool:
    """Returns whether a document has the content of this mode."""
    return cte.mode == RAIL and cte.normal_part.has("infModal/ferrov")


def mutual_traffic_missing(cte: JudgedCte) -> bool:
    """MOC CT-e, 582."""
    is_mutual = cte.normal_part.text("infModal/ferrov/tpTraf") == _MUTUAL_TRAFFIC
    return is_mutual and not _mutual_traffic(cte).tag


def issued_by_the_other_railway(cte: JudgedCte) -> bool:
    """MOC CT-e, 583: the railway that bills is the one that issues."""
    traffic = _mutual_traffic(cte)
    return traffic.text("respFat") == _ORIGIN and traffic.text("ferrEmi") != _ORIGIN


def document_of_origin_missing(cte: JudgedCte) -> bool:
    """MOC CT-e, 584."""
    return _mutual_traffic(cte).text("respFat") == _DESTINATION and not _key_of_origin(cte)


def impossible_document_of_origin(cte: JudgedCte) -> Finding:
    """MOC CT-e, 842."""
    return bool(_key_of_origin(cte)) and impossible_reference(cte, _key_of_origin(cte), CTE)


def document_of_origin_has_another_key(cte: JudgedCte) -> Finding:
    """MOC CT-e, 710."""
    return bool(_key_of_origin(cte)) and holder_with_another_key(cte, "chCTe", _key_of_origin(cte))


def document_of_origin_unknown(cte: JudgedCte) -> bool:
    """MOC CT-e, 709."""
    return bool(_key_of_origin(cte)) and cte.referred(_key_of_origin(cte)) is None


def document_of_origin_canceled(cte: JudgedCte) -> bool:
    """MOC CT-e, 711."""
    stored = cte.ledger.document(cte.service_path.environment, _key_of_origin(cte))
    return stored is not None and stored.is_canceled


def _mutual_traffic(cte: JudgedCte) -> Group:
    return cte.normal_part.group("infModal/ferrov/trafMut") or NOTHING


def _key_of_origin(cte: JudgedCte) -> str:
    return _mutual_traffic(cte).text("chCTeFerroOrigem")


MODE_RULES: tuple[RejectionRule[JudgedCte], ...] = (
    RejectionRule("526", containers_only_between_carriers, goes_by_water),
    RejectionRule("582", mutual_traffic_missing, goes_by_rail),
    RejectionRule("583", issued_by_the_other_railway, goes_by_rail),
    RejectionRule("584", document_of_origin_missing, goes_by_rail),
    RejectionRule("842", impossible_document_of_origin, goes_by_rail),
    RejectionRule("710", document_of_origin_has_another_key, goes_by_rail),
    RejectionRule("709", document_of_origin_unknown, goes_by_rail),
    RejectionRule("711", document_of_origin_canceled, goes_by_rail),
)
