"""Rules about the other CT-e that a CT-e refers to: of earlier carriers, replaced and complemented ones."""

from collections.abc import Iterator

from carimbo.fiscal.documents.cte.rules.rule import MULTIMODAL, NORMAL_SERVICE, WaybillCheck, WaybillInput
from carimbo.fiscal.identity.tax_ids import cnpj_base
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.keys import (
    WAYBILL,
    invalid_keys,
    owner_of,
    repeated_keys,
    valid_keys,
)
from carimbo.fiscal.transport.rules.corrected import COMPLEMENTED, REPLACED, complemented_keys, replaced_keys
from carimbo.fiscal.transport.rules.rule import manual

RULES: RuleBook[WaybillCheck] = RuleBook(when=lambda document: document.has_references)

_PREVIOUS, _MULTIMODAL = manual("documentos anteriores"), manual("CT-e multimodal")

Keys = list[tuple[str, str]]


def _previous_keys(document: WaybillInput) -> Keys:
    return [
        (f"previousDocuments[{issuer}].accessKeys[{position}]", key)
        for issuer, body in enumerate(document.request.previous_documents)
        for position, key in enumerate(body.access_keys)
    ]


@RULES.rule("543", _PREVIOUS, "O mesmo CT-e está mais de uma vez nos documentos anteriores.")
def repeated_previous_key(document: WaybillInput) -> Iterator[At]:
    """Refuses an earlier CT-e that is listed twice."""
    return repeated_keys(_previous_keys(document))


@RULES.rule("844", _PREVIOUS, "A chave do CT-e anterior é inválida.")
def valid_previous_key(document: WaybillInput) -> Iterator[At]:
    """Refuses keys that no CT-e can have, with the reason."""
    return invalid_keys(_previous_keys(document), WAYBILL, document.today)


@RULES.rule("733", _PREVIOUS, "O emitente informado não é o da chave do CT-e anterior.")
def issuer_of_the_previous_key(document: WaybillInput) -> Iterator[At]:
    """Refuses an earlier carrier that did not issue its CT-e."""
    return _wrong_issuers(document)


def _wrong_issuers(document: WaybillInput) -> Iterator[At]:
    for issuer, body in enumerate(document.request.previous_documents):
        keys = valid_keys([("", key) for key in body.access_keys], WAYBILL, document.today)
        if any(owner_of(key) != body.issuer.tax_id for _, key in keys):
            yield At(f"previousDocuments[{issuer}].issuer.taxId")


@RULES.rule("745", _PREVIOUS, "O tomador não é o emitente dos documentos anteriores.")
def taker_issued_the_previous_documents(document: WaybillInput) -> At | None:
    """Refuses a taker that issued none of the earlier documents; other rules refuse a wrong issuer."""
    taker, bodies = document.taker, document.request.previous_documents
    if not bodies or taker is None or document.service_type == NORMAL_SERVICE:
        return None
    bases = {cnpj_base(body.issuer.tax_id) for body in bodies}
    is_issuer = bool(taker.cnpj) and cnpj_base(taker.cnpj or "") in bases
    return None if is_issuer or any(_wrong_issuers(document)) else At("taker")


def _multimodal_keys(document: WaybillInput) -> Keys:
    keys = document.request.multimodal_access_keys
    return [(f"multimodalAccessKeys[{position}]", key) for position, key in enumerate(keys)]


@RULES.rule("714", _MULTIMODAL, "O mesmo CT-e multimodal está mais de uma vez.")
def repeated_multimodal_key(document: WaybillInput) -> Iterator[At]:
    """Refuses a multimodal CT-e that is listed twice."""
    return repeated_keys(_multimodal_keys(document))


@RULES.rule("845", _MULTIMODAL, "A chave do CT-e multimodal é inválida.")
def valid_multimodal_key(document: WaybillInput) -> Iterator[At]:
    """Refuses keys that no CT-e can have, with the reason."""
    return invalid_keys(_multimodal_keys(document), WAYBILL, document.today)


@RULES.rule("667", _MULTIMODAL, "O tomador não é o operador que emitiu o CT-e multimodal.")
def taker_issued_the_multimodal_waybill(document: WaybillInput) -> At | None:
    """Refuses a taker of another company than the issuer of the multimodal CT-e."""
    taker = document.taker
    if taker is None or document.service_type != MULTIMODAL:
        return None
    keys = valid_keys(_multimodal_keys(document), WAYBILL, document.today)
    is_other = any(cnpj_base(owner_of(key)) != cnpj_base(taker.cnpj or "") for _, key in keys)
    return At("taker") if is_other else None


@RULES.rule("847", REPLACED, "A chave do CT-e substituído é inválida.")
def valid_replaced_key(document: WaybillInput) -> Iterator[At]:
    """Refuses a key that no CT-e can have, with the reason."""
    return invalid_keys(replaced_keys(document), WAYBILL, document.today)


@RULES.rule("849", COMPLEMENTED, "A chave do CT-e complementado é inválida.")
def valid_complemented_key(document: WaybillInput) -> Iterator[At]:
    """Refuses keys that no CT-e can have, with the reason."""
    return invalid_keys(complemented_keys(document), WAYBILL, document.today)
