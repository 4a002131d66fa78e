"""Rules about the documents of the cargo: NF-e, invoices on paper and others."""

from collections.abc import Iterator

from carimbo.fiscal.documents.cte.cargo_body import OtherDocumentType
from carimbo.fiscal.documents.cte.rules.rule import WaybillCheck, WaybillInput
from carimbo.fiscal.rules import At, RuleBook, Severity
from carimbo.fiscal.transport.keys import (
    CONTENT_DECLARATION,
    NFE,
    PlacedKeys,
    age_in_months,
    invalid_keys,
    repeated_keys,
)
from carimbo.fiscal.transport.request import TransportMode
from carimbo.fiscal.transport.rules.rule import SCHEMA_CODE, manual

RULES: RuleBook[WaybillCheck] = RuleBook(when=lambda document: document.request.documents is not None)

NFE_TOO_OLD, DCE_KEY, DCE_REPEATED = "NFE_TOO_OLD", "DCE_KEY", "DCE_REPEATED"
_MAX_DOCUMENTS = 2000
_MAX_MONTHS = 6
# Receipts of sales to consumers, which circulate within a state only.
_RECEIPTS = (OtherDocumentType.CFE_SAT, OtherDocumentType.NFCE)
_NFES, _OTHERS = manual("NF-e transportadas"), manual("outros documentos da carga")
_DCES = manual("declarações de conteúdo")


@RULES.rule("601", manual("documentos da carga"), "O CT-e leva até 2000 documentos da carga.")
def too_many_documents(document: WaybillInput) -> At | None:
    """Refuses more documents than a CT-e may have."""
    given = document.request.documents
    if given is None:
        return None
    count = max(map(len, (given.nfes, given.others, given.dces, given.papers)))
    return At("documents", f"O pedido tem {count}.") if count > _MAX_DOCUMENTS else None


@RULES.rule(
    SCHEMA_CODE,
    _NFES,
    "O CT-e é preenchido a partir das NF-e da carga, e não há nenhuma.",
    hint="Informe as NF-e, ou retire documents.fromInvoices.",
)
def filled_from_no_invoices(document: WaybillInput) -> At | None:
    """Refuses to fill the document from NF-e without naming any."""
    given = document.request.documents
    return At("documents.nfes") if given and given.from_invoices and not given.nfes else None


@RULES.rule("527", _NFES, "A mesma NF-e está mais de uma vez no CT-e.")
def repeated_nfe(document: WaybillInput) -> Iterator[At]:
    """Refuses an NF-e that is listed twice."""
    return repeated_keys(document.nfe_keys)


@RULES.rule("843", _NFES, "A chave da NF-e é inválida.")
def valid_nfe_key(document: WaybillInput) -> Iterator[At]:
    """Refuses keys that no NF-e can have, with the reason."""
    if len(document.valid_nfe_keys) == len(document.nfe_keys):
        return iter(())
    return invalid_keys(document.nfe_keys, NFE, document.today)


@RULES.rule(
    NFE_TOO_OLD,
    "NT CT-e 2024.001",
    "A NF-e tem mais de seis meses, e o CT-e só leva NF-e mais novas.",
    hint="Retire a NF-e, ou peça ao remetente uma NF-e deste transporte.",
)
def recent_nfe(document: WaybillInput) -> Iterator[At]:
    """Refuses an NF-e that was issued more than six months ago; keys have only the month."""
    for path, key in document.valid_nfe_keys:
        if age_in_months(key, document.today) > _MAX_MONTHS:
            yield At(path)


# The authorities may leave this rule out.
@RULES.rule(
    "729",
    _NFES,
    "As NF-e são de mais de um emitente, e a SEFAZ pode recusar o CT-e que não é globalizado.",
    severity=Severity.WARNS,
)
def several_issuers(document: WaybillInput) -> At | None:
    """Warns of NF-e of several issuers in a CT-e that is not globalized, at the first of another issuer."""
    if document.request.globalized:
        return None
    keys = document.valid_nfe_keys
    return next((At(path) for path, key in keys if key.tax_id != keys[0][1].tax_id), None)


def _dce_keys(document: WaybillInput) -> PlacedKeys:
    documents = document.request.documents
    for position, declaration in enumerate(documents.dces if documents else ()):
        yield f"documents.dces[{position}].accessKey", declaration.access_key


@RULES.rule(DCE_KEY, _DCES, "A chave da DC-e é inválida.", hint="Confira a chave na DC-e.")
def valid_dce_key(document: WaybillInput) -> Iterator[At]:
    """Refuses keys that no electronic declaration of content can have, with the reason."""
    return invalid_keys(_dce_keys(document), CONTENT_DECLARATION, document.today)


@RULES.rule(
    DCE_REPEATED,
    _DCES,
    "A mesma DC-e está mais de uma vez no CT-e.",
    hint="Retire a DC-e repetida, ou informe a chave certa.",
)
def repeated_dce(document: WaybillInput) -> Iterator[At]:
    """Refuses an electronic declaration of content that is listed twice."""
    return repeated_keys(_dce_keys(document))


# Only the authority knows who issues NF-e, but nearly every company does.
@RULES.rule(
    "540",
    manual("notas em papel"),
    "A carga vai a outra UF com notas em papel, e a SEFAZ recusa o CT-e se o remetente emite NF-e.",
    severity=Severity.WARNS,
)
def paper_of_a_company(document: WaybillInput) -> At | None:
    """Warns of invoices on paper in an interstate service, except in a pipeline, if a company sends."""
    if document.request.modal.kind is TransportMode.PIPELINE:
        return None
    documents, sender = document.request.documents, document.waybill.sender
    is_company = sender is not None and bool(sender.cnpj)
    has_papers = documents is not None and bool(documents.papers)
    return At("documents.papers") if has_papers and is_company and document.leaves_the_state else None


@RULES.rule("813", _OTHERS, "CF-e SAT e NFC-e não acompanham carga entre estados.")
def receipts_between_states(document: WaybillInput) -> Iterator[At]:
    """Refuses receipts in an interstate service."""
    documents = document.request.documents
    if documents is None or not document.leaves_the_state:
        return
    for position, other in enumerate(documents.others):
        if other.type in _RECEIPTS:
            yield At(f"documents.others[{position}].type")


@RULES.rule(
    SCHEMA_CODE,
    _OTHERS,
    "Falta a descrição do documento do tipo other.",
    hint="Informe description, que diz que documento é este.",
)
def description_of_another_document(document: WaybillInput) -> Iterator[At]:
    """Refuses a document of no listed type without a description; the XSD has it as optional."""
    documents = document.request.documents
    for position, other in enumerate(documents.others if documents else ()):
        if other.type is OtherDocumentType.OTHER and other.description is None:
            yield At(f"documents.others[{position}].description")
