"""NF-e and their events as the national environment distributes them (NT 2014.002)."""

from collections.abc import Callable, Mapping

from carimbo.fiscal.documents.nfe.document import MODEL, NAME
from carimbo.fiscal.layouts.nfe_v4.dialect import CANCELLATION, CANCELLATION_BY_SUBSTITUTION, NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.events import Correction
from carimbo.fiscal.layouts.received_part import NAME_LENGTH, ReceivedPart, role_of
from carimbo.fiscal.layouts.sefaz.answer_part import PROTOCOL
from carimbo.fiscal.layouts.sefaz.received_files import EVENT_CODE, SEQUENCE_DIGITS, FileKind, read_event
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.receiving import (
    ReceivedDocument,
    ReceivedEvent,
    ReceivedFile,
    Role,
    Situation,
    UnreadFile,
)

_BY_SUMMARY = {"1": Situation.AUTHORIZED, "2": Situation.DENIED, "3": Situation.CANCELED}
_BY_EVENT = {
    CANCELLATION: Situation.CANCELED,
    CANCELLATION_BY_SUBSTITUTION: Situation.CANCELED,
    Correction.event_type: Situation.CORRECTED,
}
# The first role that fits is the role of the company.
_ROLES = (
    (Role.RECIPIENT, "dest"),
    (Role.CARRIER, "transp/transporta"),
    (Role.AUTHORIZED, "autXML"),
    (Role.ISSUER, "emit"),
    (Role.OTHER, "retirada"),
    (Role.OTHER, "entrega"),
)
_INVOICE = FileKind(
    dialect=NFE_DIALECT, document_type=NAME, model=MODEL, root="nfeProc", document="NFe", content="infNFe"
)


def read(schema: str, xml: bytes, tax_id: str) -> ReceivedFile:
    """Reads a distributed file; its kind follows from the prefix of its schema, as `procNFe_v4.00.xsd`."""
    reader = _READERS.get(schema.partition("_")[0])
    if reader is None:
        raise UnreadFile(f"O esquema do arquivo não é conhecido: {quoted(schema)}.")
    return reader(ReceivedPart.of_file(xml, NFE_DIALECT.namespace), tax_id)


def invoice_in(xml: bytes) -> ReceivedPart:
    """Returns the invoice (`infNFe`) of an authorized file; raises `UnreadFile`."""
    return _INVOICE.content_in(ReceivedPart.of_file(xml, NFE_DIALECT.namespace))


def _summary(root: ReceivedPart, _tax_id: str) -> ReceivedDocument:
    """Reads `resNFe`, which only recipients get."""
    root.require_tag("resNFe")
    key, code = root.access_key("chNFe"), root.required_text("cSitNFe")
    if code not in _BY_SUMMARY:
        raise UnreadFile(f"A situação da NF-e não é conhecida: {quoted(code)}.")
    return ReceivedDocument(
        type=NAME,
        access_key=key,
        number=key.number,
        series=key.series,
        issuer_tax_id=root.required_tax_id(),
        issuer_name=root.required_text("xNome")[:NAME_LENGTH],
        role=Role.RECIPIENT,
        amount=root.required_number("vNF"),
        issued_at=root.required_moment("dhEmi"),
        authorized_at=root.moment("dhRecbto"),
        protocol=root.text("nProt", PROTOCOL),
        situation=_BY_SUMMARY[code],
        is_full=False,
    )


def _whole_invoice(root: ReceivedPart, tax_id: str) -> ReceivedDocument:
    """Reads `nfeProc`: the document with its protocol."""
    invoice = _INVOICE.content_in(root)
    role = role_of(tax_id, ((role, invoice.parts(path)) for role, path in _ROLES))
    return _INVOICE.read(root, role=role, amount=invoice.required_number("total/ICMSTot/vNF"))


def _event_summary(root: ReceivedPart, _tax_id: str) -> ReceivedEvent:
    """Reads `resEvento`, which has no text of the event."""
    root.require_tag("resEvento")
    code = root.required_text("tpEvento", EVENT_CODE)
    return ReceivedEvent(
        access_key=root.access_key("chNFe"),
        code=code,
        description=(root.text("xEvento") or code)[:NAME_LENGTH],
        sequence=root.required_integer("nSeqEvento", SEQUENCE_DIGITS),
        author_tax_id=root.tax_id(),
        protocol=root.text("nProt", PROTOCOL),
        occurred_at=root.required_moment("dhEvento"),
        registered_at=root.moment("dhRecbto"),
        situation=_BY_EVENT.get(code),
        is_full=False,
    )


def _whole_event(root: ReceivedPart, _tax_id: str) -> ReceivedEvent:
    """Reads `procEventoNFe`: the event with its registration."""
    return read_event(NFE_DIALECT, root, _BY_EVENT, "detEvento", _text_of)


def _text_of(detail: ReceivedPart) -> str | None:
    return detail.first_text("xCorrecao", "xJust")


_READERS: Mapping[str, Callable[[ReceivedPart, str], ReceivedFile]] = {
    "resNFe": _summary,
    "procNFe": _whole_invoice,
    "resEvento": _event_summary,
    "procEventoNFe": _whole_event,
}
