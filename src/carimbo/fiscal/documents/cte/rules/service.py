"""Rules about the kind of service: which parties, documents and references it needs or refuses."""

from carimbo.fiscal.documents.cte.rules.rule import (
    COMPLEMENT,
    INTERMEDIATE_REDISPATCH,
    MULTIMODAL,
    NORMAL_SERVICE,
    REDISPATCH,
    SUBCONTRACTING,
    SUBSTITUTION,
    WaybillCheck,
    WaybillInput,
)
from carimbo.fiscal.rules import At, RuleBook

RULES: RuleBook[WaybillCheck] = RuleBook()

_WITH_SENDER = (NORMAL_SERVICE, SUBCONTRACTING, REDISPATCH)
_BETWEEN_CARRIERS = (INTERMEDIATE_REDISPATCH, MULTIMODAL)
_WITH_PREVIOUS = (SUBCONTRACTING, REDISPATCH, INTERMEDIATE_REDISPATCH)


@RULES.rule("458", "MOC CT-e 4.00, G016", "O CT-e normal ou de substituição tem os dados da carga.")
def normal_without_cargo(document: WaybillInput) -> At | None:
    """Refuses a normal or substituting CT-e without cargo."""
    return At("cargo") if document.purpose != COMPLEMENT and document.request.cargo is None else None


@RULES.rule("459", "MOC CT-e 4.00, G017", "O CT-e de complemento refere os CT-e que complementa.")
def complement_without_keys(document: WaybillInput) -> At | None:
    """Refuses a complement that names no CT-e."""
    is_missing = document.purpose == COMPLEMENT and not document.waybill.complemented
    return At("complementedAccessKeys") if is_missing else None


@RULES.rule("505", "MOC CT-e 4.00, G080", "O CT-e de substituição refere o CT-e que substitui.")
def substitution_without_key(document: WaybillInput) -> At | None:
    """Refuses a substitution that names no CT-e."""
    is_missing = document.purpose == SUBSTITUTION and document.request.substitution is None
    return At("substitution") if is_missing else None


@RULES.rule("469", "MOC CT-e 4.00, G060", "Este tipo de serviço exige o remetente.")
def sender_missing(document: WaybillInput) -> At | None:
    """Refuses a service from sender to recipient without a sender."""
    is_missing = document.service_type in _WITH_SENDER and document.request.shipper is None
    return At("shipper") if is_missing else None


@RULES.rule("470", "MOC CT-e 4.00, G061", "Este tipo de serviço exige o destinatário.")
def recipient_missing(document: WaybillInput) -> At | None:
    """Refuses a service from sender to recipient without a recipient."""
    is_missing = document.service_type in _WITH_SENDER and document.request.recipient is None
    return At("recipient") if is_missing else None


@RULES.rule("474", "MOC CT-e 4.00, G062", "Este tipo de serviço exige o expedidor.")
def dispatcher_missing(document: WaybillInput) -> At | None:
    """Refuses a service between carriers without a dispatcher."""
    is_missing = document.service_type in _BETWEEN_CARRIERS and document.request.dispatcher is None
    return At("dispatcher") if is_missing else None


@RULES.rule("475", "MOC CT-e 4.00, G063", "Este tipo de serviço exige o recebedor.")
def receiver_missing(document: WaybillInput) -> At | None:
    """Refuses a service between carriers without a receiver."""
    is_missing = document.service_type in _BETWEEN_CARRIERS and document.request.receiver is None
    return At("receiver") if is_missing else None
