"""Rules about purpose and kind of service: which parties and documents they need or refuse."""

from collections.abc import Iterator

from pydantic.alias_generators import to_camel

from carimbo.fiscal.documents.cte.request import TakerRole
from carimbo.fiscal.documents.cte.rules.rule import (
    INTERMEDIATE_REDISPATCH,
    MULTIMODAL,
    NORMAL_SERVICE,
    REDISPATCH,
    SUBCONTRACTING,
    WaybillCheck,
    WaybillInput,
)
from carimbo.fiscal.layouts.filling import given_values
from carimbo.fiscal.rules import At, RuleBook, Severity
from carimbo.fiscal.transport.request import TransportMode
from carimbo.fiscal.transport.rules.rule import CONTRIBUTOR, SCHEMA_CODE, manual

RULES: RuleBook[WaybillCheck] = RuleBook()

_WITH_SENDER = (NORMAL_SERVICE, SUBCONTRACTING, REDISPATCH)
_BETWEEN_CARRIERS = (INTERMEDIATE_REDISPATCH, MULTIMODAL)
_WITH_PREVIOUS = (SUBCONTRACTING, REDISPATCH, INTERMEDIATE_REDISPATCH)
_ENDS_OF_THE_CARGO = (TakerRole.SHIPPER, TakerRole.RECIPIENT)
_PURPOSE, _TAKER, _PARTIES = manual("finalidade"), manual("tomador"), manual("participantes")
_CARRIED, _PREVIOUS = manual("documentos da carga"), manual("documentos anteriores")


@RULES.rule("458", _PURPOSE, "O CT-e normal ou de substituição tem os dados da carga.")
def normal_without_cargo(document: WaybillInput) -> At | None:
    """Refuses a normal or substituting CT-e without cargo."""
    return At("cargo") if not document.is_complement and document.request.cargo is None else None


@RULES.rule(
    SCHEMA_CODE,
    _PURPOSE,
    "O CT-e de complemento não tem este campo, que é do CT-e complementado.",
    hint="Retire o campo, ou emita um CT-e normal se há outra carga.",
)
def complement_with_cargo(document: WaybillInput) -> Iterator[At]:
    """Refuses cargo, documents and modal data in a complement, which its layout has no place for."""
    if not document.is_complement:
        return
    request = document.request
    given = {
        "cargo": request.cargo,
        "documents": request.documents,
        "previousDocuments": request.previous_documents,
        "multimodalAccessKeys": request.multimodal_access_keys,
        "globalized": request.globalized,
        "rntrc": request.rntrc,
        "newVehicles": request.new_vehicles,
        "billing": request.billing,
    }
    yield from (At(path) for path, value in given.items() if value)
    for name, value in given_values(request.modal).items():
        if name != "kind" and value != ():
            yield At(f"modal.{to_camel(name)}")


@RULES.rule(
    SCHEMA_CODE,
    _TAKER,
    "O campo só vai com taker other.",
    hint="Retire o campo, ou informe taker other.",
)
def taker_party_of_another_role(document: WaybillInput) -> At | None:
    """Refuses a further taker beside one that is a party of the cargo."""
    is_given = document.request.taker_party is not None and document.request.taker is not TakerRole.OTHER
    return At("takerParty") if is_given else None


@RULES.rule("469", _PARTIES, "Este tipo de serviço exige o remetente.")
def sender_missing(document: WaybillInput) -> At | None:
    """Refuses a service from sender to recipient without a sender."""
    is_missing = document.service_type in _WITH_SENDER and document.request.shipper is None
    return At("shipper") if is_missing else None


@RULES.rule("470", _PARTIES, "Este tipo de serviço exige o destinatário.")
def recipient_missing(document: WaybillInput) -> At | None:
    """Refuses a service from sender to recipient without a recipient."""
    is_missing = document.service_type in _WITH_SENDER and document.request.recipient is None
    return At("recipient") if is_missing else None


@RULES.rule("474", _PARTIES, "Este tipo de serviço exige o expedidor.")
def dispatcher_missing(document: WaybillInput) -> At | None:
    """Refuses a service between carriers without a dispatcher."""
    is_missing = document.service_type in _BETWEEN_CARRIERS and document.request.dispatcher is None
    return At("dispatcher") if is_missing else None


@RULES.rule("475", _PARTIES, "Este tipo de serviço exige o recebedor.")
def receiver_missing(document: WaybillInput) -> At | None:
    """Refuses a service between carriers without a receiver."""
    is_missing = document.service_type in _BETWEEN_CARRIERS and document.request.receiver is None
    return At("receiver") if is_missing else None


def _taker_rule(code: str, role: TakerRole, named: str, required_for: tuple[str, ...]) -> None:
    """Adds the rule that a taker exists; other rules refuse a party that the service requires anyway."""

    @RULES.rule(code, _TAKER, f"O tomador indicado é o {named}, que falta.")
    def taker_missing(document: WaybillInput) -> At | None:
        request = document.request
        if request.taker is not role or document.service_type in required_for:
            return None
        return At(role.value) if request.party_in(role) is None else None


_taker_rule("460", TakerRole.SHIPPER, "remetente", _WITH_SENDER)
_taker_rule("461", TakerRole.DISPATCHER, "expedidor", _BETWEEN_CARRIERS)
_taker_rule("462", TakerRole.RECEIVER, "recebedor", _BETWEEN_CARRIERS)
_taker_rule("463", TakerRole.RECIPIENT, "destinatário", _WITH_SENDER)


# Only the authority knows whether the taker issues CT-e itself.
@RULES.rule(
    "746",
    _TAKER,
    "O serviço é normal e o tomador é um contribuinte que não é remetente nem destinatário: se ele é"
    " transportador, a SEFAZ recusa o CT-e.",
    severity=Severity.WARNS,
)
def normal_service_to_a_carrier(document: WaybillInput) -> At | None:
    """Warns of a normal service to a contributor that may be a carrier."""
    is_normal = document.service_type == NORMAL_SERVICE and not document.is_complement
    is_contributor = document.identification.taker_contribution == CONTRIBUTOR
    is_between = document.request.taker not in _ENDS_OF_THE_CARGO
    return At("serviceType") if is_normal and is_contributor and is_between else None


@RULES.rule("581", manual("carga"), "O CT-e tem o valor da carga, que só o modal dutoviário dispensa.")
def cargo_without_amount(document: WaybillInput) -> At | None:
    """Refuses cargo without its value, except in a pipeline."""
    cargo, mode = document.request.cargo, document.request.modal.kind
    if cargo is None or document.is_complement or mode is TransportMode.PIPELINE:
        return None
    return At("cargo.amount") if cargo.amount is None else None


def _has_documents(document: WaybillInput) -> bool:
    documents = document.request.documents
    return bool(documents and (documents.nfes or documents.others or documents.dces or documents.papers))


@RULES.rule("693", _CARRIED, "Este tipo de serviço exige os documentos da carga.")
def documents_missing(document: WaybillInput) -> At | None:
    """Refuses a service from sender to recipient without documents of the cargo."""
    is_required = document.service_type in _WITH_SENDER and not document.is_complement
    return At("documents") if is_required and not _has_documents(document) else None


@RULES.rule("694", _CARRIED, "Este tipo de serviço não tem documentos da carga.")
def documents_out_of_place(document: WaybillInput) -> At | None:
    """Refuses documents of the cargo in a service between carriers."""
    is_refused = document.service_type in _BETWEEN_CARRIERS and not document.is_complement
    return At("documents") if is_refused and _has_documents(document) else None


@RULES.rule(
    "521", _PREVIOUS, "A subcontratação e o redespacho têm os documentos do transportador que os contratou."
)
def previous_documents_missing(document: WaybillInput) -> At | None:
    """Refuses a service for another carrier without that carrier's documents."""
    is_required = document.service_type in _WITH_PREVIOUS and not document.is_complement
    return At("previousDocuments") if is_required and not document.request.previous_documents else None


@RULES.rule("747", _PREVIOUS, "O serviço normal não tem documentos de transporte anteriores.")
def previous_documents_out_of_place(document: WaybillInput) -> At | None:
    """Refuses documents of another carrier in a normal service."""
    is_refused = document.service_type == NORMAL_SERVICE and not document.is_complement
    return At("previousDocuments") if is_refused and document.request.previous_documents else None


@RULES.rule("651", _PREVIOUS, "O serviço vinculado a multimodal refere o CT-e multimodal.")
def multimodal_keys_missing(document: WaybillInput) -> At | None:
    """Refuses a part of a multimodal transport without its CT-e."""
    is_required = document.service_type == MULTIMODAL and not document.is_complement
    is_missing = not document.request.multimodal_access_keys
    return At("multimodalAccessKeys") if is_required and is_missing else None


@RULES.rule("814", _PREVIOUS, "Só o serviço vinculado a multimodal refere CT-e multimodais.")
def multimodal_keys_out_of_place(document: WaybillInput) -> At | None:
    """Refuses CT-e of a multimodal transport in another service."""
    is_refused = document.service_type != MULTIMODAL and not document.is_complement
    return At("multimodalAccessKeys") if is_refused and document.request.multimodal_access_keys else None
