"""Rules about the documents that a CT-e OS refers to: tickets, canceled CT-e OS, and GTV-e."""

from collections.abc import Sequence
from decimal import Decimal

from carimbo.simulator.cte.dialect import CTE_OS
from carimbo.simulator.cte.judged import JudgedCteOs
from carimbo.simulator.cte.rules.os_service import BAGGAGE, PEOPLE, VALUABLES
from carimbo.simulator.cte.rules.service import has_normal_part
from carimbo.simulator.group import Group
from carimbo.simulator.identifiers import KEY_ISSUER
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.rules.keys import (
    holder_with_another_key,
    impossible_reference,
    impossible_references,
    repeated_key,
)

_TICKET, _GTVE = "63", "64"
_OTHER_COMPONENT = "6"
"""`tpComp`."""
_TOLERANCE = Decimal("0.10")


def documents_of_baggage_missing(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 754."""
    return cte.service_type == BAGGAGE and not cte.normal_part.has("infDocRef")


def impossible_ticket(cte: JudgedCteOs) -> Finding:
    """MOC CT-e, 891: the key of a BP-e."""
    return impossible_references(cte, _ticket_keys(cte), _TICKET)


def ticket_of_another_issuer(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 897."""
    return any(key[KEY_ISSUER] != cte.author for key in _ticket_keys(cte))


def _ticket_keys(cte: JudgedCteOs) -> list[str]:
    keys = (document.text("chBPe") for document in cte.normal_part.all("infDocRef"))
    return list(filter(None, keys))


# The simulator has no BP-e: 892 to 896, which look for them, would refuse every document.
DOCUMENT_RULES: tuple[RejectionRule[JudgedCteOs], ...] = (
    RejectionRule("754", documents_of_baggage_missing, has_normal_part),
    RejectionRule("891", impossible_ticket),
    RejectionRule("897", ticket_of_another_issuer),
)


def names_canceled(cte: JudgedCteOs) -> bool:
    """Returns whether a document refers to a canceled CT-e OS (`refCTeCanc`)."""
    return bool(_canceled_key(cte))


def people_instead_of_canceled(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 815."""
    return cte.service_type == PEOPLE


def impossible_canceled(cte: JudgedCteOs) -> Finding:
    """MOC CT-e, 856."""
    return impossible_reference(cte, _canceled_key(cte), CTE_OS)


def canceled_has_another_key(cte: JudgedCteOs) -> Finding:
    """MOC CT-e, 825."""
    return holder_with_another_key(cte, "chCTe", _canceled_key(cte))


def canceled_unknown(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 824."""
    return cte.referred(_canceled_key(cte)) is None


def not_canceled(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 826."""
    stored = cte.ledger.document(cte.service_path.environment, _canceled_key(cte))
    return stored is not None and not stored.is_canceled


def canceled_of_another_issuer(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 827."""
    return _canceled_key(cte)[KEY_ISSUER] != cte.author


def canceled_of_another_service(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 830."""
    canceled = cte.referred(_canceled_key(cte))
    return canceled is not None and canceled.service_type != cte.service_type


def _canceled_key(cte: JudgedCteOs) -> str:
    return cte.normal_part.text("refCTeCanc")


CANCELED_RULES: tuple[RejectionRule[JudgedCteOs], ...] = (
    RejectionRule("815", people_instead_of_canceled, names_canceled),
    RejectionRule("856", impossible_canceled, names_canceled),
    RejectionRule("825", canceled_has_another_key, names_canceled),
    RejectionRule("824", canceled_unknown, names_canceled),
    RejectionRule("826", not_canceled, names_canceled),
    RejectionRule("827", canceled_of_another_issuer, names_canceled),
    RejectionRule("830", canceled_of_another_service, names_canceled),
)


def has_gtves(cte: JudgedCteOs) -> bool:
    """Returns whether a document has GTV-e, the documents of transported valuables."""
    return bool(_gtves(cte))


def gtve_of_another_service(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 881."""
    return cte.service_type != VALUABLES


def impossible_gtve(cte: JudgedCteOs) -> Finding:
    """MOC CT-e, 882."""
    return impossible_references(cte, _gtve_keys(cte), _GTVE)


def gtve_of_another_issuer(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 886."""
    return any(key[KEY_ISSUER] != cte.author for key in _gtve_keys(cte))


def gtve_named_twice(cte: JudgedCteOs) -> Finding:
    """MOC CT-e, 887."""
    return repeated_key("chCTe", _gtve_keys(cte))


def other_component_without_description(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 898."""
    return any(
        component.text("tpComp") == _OTHER_COMPONENT and not component.text("xComp")
        for component in _components(cte)
    )


def components_differ_from_the_service(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 899."""
    total = sum(component.amount("vComp") for component in _components(cte))
    return abs(total - cte.content.amount("vPrest/vTPrest")) > _TOLERANCE


def _gtves(cte: JudgedCteOs) -> Sequence[Group]:
    return cte.normal_part.all("infGTVe")


def _gtve_keys(cte: JudgedCteOs) -> Sequence[str]:
    return [gtve.text("chCTe") for gtve in _gtves(cte)]


def _components(cte: JudgedCteOs) -> Sequence[Group]:
    return [component for gtve in _gtves(cte) for component in gtve.all("Comp")]


# The simulator has no GTV-e: 883 to 885, which look for them, would refuse every document.
GTVE_RULES: tuple[RejectionRule[JudgedCteOs], ...] = (
    RejectionRule("881", gtve_of_another_service, has_gtves),
    RejectionRule("882", impossible_gtve, has_gtves),
    RejectionRule("886", gtve_of_another_issuer, has_gtves),
    RejectionRule("887", gtve_named_twice, has_gtves),
    RejectionRule("898", other_component_without_description, has_gtves),
    RejectionRule("899", components_differ_from_the_service, has_gtves),
)
