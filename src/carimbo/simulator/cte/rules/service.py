"""Rules about the service: its kind, its parts and mode, the CFOP, and its parties."""

from collections.abc import Callable

from carimbo.simulator.cte.judged import COMPLEMENT, PIPELINE, JudgedCte, JudgedTransport
from carimbo.simulator.cte.rules.parties import CONTRIBUTOR
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.places import EXTERIOR

USUAL, SUBCONTRACTED, REDISPATCHED, INTERMEDIATE, LINKED = "01234"
"""`tpServ`."""
_FOR_THE_PARTIES = frozenset({USUAL, SUBCONTRACTED, REDISPATCHED})
_BETWEEN_CARRIERS = frozenset({INTERMEDIATE, LINKED})
_AFTER_ANOTHER_CARRIER = frozenset({SUBCONTRACTED, REDISPATCHED, INTERMEDIATE})
_MODE_VERSION = "4.00"
# MOC CT-e, 676.
_CFOPS = frozenset(
    {
        *map(str, range(5351, 5358)), "5359", "5360", "5601", "5602", "5603", "5605", "5606", "5932", "5949",
        *map(str, range(6351, 6358)), "6359", "6360", "6603", "6932", "6949", "7358", "7949",
    }
)  # fmt: skip
_BEGUN_IN_ANOTHER_STATE = frozenset({"5932", "6932"})


def has_normal_part(cte: JudgedTransport) -> bool:
    """Returns whether a document is not a complement."""
    return bool(cte.normal_part.tag)


def normal_part_missing(cte: JudgedTransport) -> bool:
    """MOC CT-e, 458."""
    return cte.kind != COMPLEMENT and not has_normal_part(cte)


def complement_part_missing(cte: JudgedTransport) -> bool:
    """MOC CT-e, 459."""
    return cte.kind == COMPLEMENT and not cte.complemented_keys


def other_mode_version(cte: JudgedTransport) -> bool:
    """MOC CT-e, 579."""
    around = cte.normal_part.group("infModal")
    return around is not None and around.attributes.get("versaoModal") != _MODE_VERSION


def misformed_mode(cte: JudgedTransport) -> Finding:
    """MOC CT-e, 580: the content of `infModal` against the XSD of its mode."""
    return cte.mode_fault


FORM_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("579", other_mode_version),
    RejectionRule("580", misformed_mode),
)
PART_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("458", normal_part_missing),
    RejectionRule("459", complement_part_missing),
)


def cargo_without_value(cte: JudgedCte) -> bool:
    """MOC CT-e, 581."""
    return cte.mode != PIPELINE and not cte.normal_part.text("infCarga/vCarga")


CARGO_RULES: tuple[RejectionRule[JudgedCte], ...] = (
    RejectionRule("581", cargo_without_value, has_normal_part),
)


def no_cfop_of_transport(cte: JudgedTransport) -> bool:
    """MOC CT-e, 676."""
    return cte.text("ide/CFOP") not in _CFOPS


def cfop_of_another_destination(cte: JudgedCte) -> bool:
    """MOC CT-e, 519."""
    start, end = cte.text("ide/UFIni"), cte.text("ide/UFFim")
    first = "7" if end == EXTERIOR else "5" if start == end else "6"
    return not cte.text("ide/CFOP").startswith(first)


def begun_elsewhere_with_a_usual_cfop(cte: JudgedCte) -> bool:
    """MOC CT-e, 524."""
    return _begins_elsewhere(cte) and cte.text("ide/CFOP") not in _BEGUN_IN_ANOTHER_STATE


def begun_at_home_as_if_elsewhere(cte: JudgedCte) -> bool:
    """MOC CT-e, 908."""
    at_home = cte.text("emit/enderEmit/UF") == cte.text("ide/UFIni")
    return at_home and cte.text("ide/CFOP") in _BEGUN_IN_ANOTHER_STATE


def _begins_elsewhere(cte: JudgedCte) -> bool:
    start = cte.text("ide/UFIni")
    is_national = EXTERIOR not in (start, cte.text("ide/UFFim"))
    return is_national and start != cte.text("emit/enderEmit/UF")


OS_CFOP_RULES: tuple[RejectionRule[JudgedTransport], ...] = (RejectionRule("676", no_cfop_of_transport),)
CFOP_RULES: tuple[RejectionRule[JudgedCte], ...] = (
    *OS_CFOP_RULES,
    RejectionRule("519", cfop_of_another_destination),
    RejectionRule("524", begun_elsewhere_with_a_usual_cfop),
    RejectionRule("908", begun_at_home_as_if_elsewhere),
)


def _missing(party: str, service_types: frozenset[str]) -> Callable[[JudgedCte], bool]:
    """MOC CT-e, 469, 470, 474 and 475."""
    return lambda cte: cte.service_type in service_types and not cte.party(party).tag


def earlier_documents_missing(cte: JudgedCte) -> bool:
    """MOC CT-e, 521."""
    return cte.service_type in _AFTER_ANOTHER_CARRIER and not cte.normal_part.has("docAnt")


def earlier_documents_of_a_usual_service(cte: JudgedCte) -> bool:
    """MOC CT-e, 747."""
    return cte.service_type == USUAL and cte.normal_part.has("docAnt")


def multimodal_document_missing(cte: JudgedCte) -> bool:
    """MOC CT-e, 651."""
    return cte.service_type == LINKED and not cte.normal_part.has("infServVinc")


def multimodal_document_out_of_place(cte: JudgedCte) -> bool:
    """MOC CT-e, 814."""
    return cte.service_type != LINKED and cte.normal_part.has("infServVinc")


def usual_service_for_another_carrier(cte: JudgedCte) -> bool:
    """MOC CT-e, 746: a carrier that is neither sender nor recipient takes another type of service."""
    if cte.service_type != USUAL or cte.text("ide/indIEToma") != CONTRIBUTOR:
        return False
    taker = cte.tax_id(cte.taker_role)
    if not taker or taker in (cte.tax_id("rem"), cte.tax_id("dest")):
        return False
    return cte.ledger.has_issued(cte.service_path.environment, taker, cte.model)


SERVICE_RULES: tuple[RejectionRule[JudgedCte], ...] = (
    RejectionRule("469", _missing("rem", _FOR_THE_PARTIES)),
    RejectionRule("470", _missing("dest", _FOR_THE_PARTIES)),
    RejectionRule("474", _missing("exped", _BETWEEN_CARRIERS)),
    RejectionRule("475", _missing("receb", _BETWEEN_CARRIERS)),
    RejectionRule("651", multimodal_document_missing, has_normal_part),
    RejectionRule("814", multimodal_document_out_of_place, has_normal_part),
    RejectionRule("521", earlier_documents_missing, has_normal_part),
    RejectionRule("747", earlier_documents_of_a_usual_service, has_normal_part),
    RejectionRule("746", usual_service_for_another_carrier),
)
