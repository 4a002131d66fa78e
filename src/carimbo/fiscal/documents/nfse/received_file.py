"""Files that the ADN distributes: NFS-e with the DPS inside them, and registered events."""

import re
from decimal import Decimal

from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE
from carimbo.fiscal.layouts.received_part import NAME_LENGTH, ReceivedPart, role_of
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.receiving import (
    ReceivedDocument,
    ReceivedEvent,
    ReceivedFile,
    Role,
    Situation,
    UnreadFile,
)

# The names of the schemas are the types of documents of the ADN (TipoDocumento).
NOTE, _EVENT = "NFSE", "EVENTO"
_KEY = re.compile(r"[0-9]{9}[0-9A-Z]{12}[0-9]{29}")
_PROTOCOL = re.compile(r"[0-9]{1,15}")
_NUMBER_DIGITS, _SEQUENCE_DIGITS = 15, 3
_DETAIL = re.compile(r"e[0-9]{6}")
# By its issuer, by a note that replaces it, and by the municipality with and without a request.
_CANCELLATIONS = frozenset({"101101", "105102", "105104", "305101"})
_EVENT_TEXTS = ("xMotivo", "xProcAdm")


def read(schema: str, xml: bytes, tax_id: str) -> ReceivedFile:
    """Reads a file of the distribution to a taxpayer; raises `UnreadFile`."""
    if schema == NOTE:
        return _note(note_in(xml), tax_id)
    if schema == _EVENT:
        return _event(_root(xml, "evento"))
    raise UnreadFile(f"O tipo de documento {quoted(schema)} não é conhecido.")


def note_in(xml: bytes) -> ReceivedPart:
    """Returns `infNFSe` of a file; raises `UnreadFile`."""
    return _root(xml, "NFSe").required_part("infNFSe")


def declaration_in(note: ReceivedPart) -> ReceivedPart:
    """Returns the declaration of the issuer in a note (`infDPS`); raises `UnreadFile`."""
    return note.required_part("DPS/infDPS")


def price_in(declaration: ReceivedPart) -> Decimal:
    """Returns the price of the service; raises `UnreadFile`."""
    return declaration.required_number("valores/vServPrest/vServ")


def _note(note: ReceivedPart, tax_id: str) -> ReceivedDocument:
    declaration, issuer = declaration_in(note), note.required_part("emit")
    # A taker who issues the note himself is still its taker.
    parties = (
        (Role.TAKER, declaration.parts("toma")),
        (Role.INTERMEDIARY, declaration.parts("interm")),
        (Role.ISSUER, [issuer]),
    )
    return ReceivedDocument(
        type="nfse",
        access_key=_key(note.element.get("Id", "").removeprefix("NFS")),
        number=note.required_integer("nNFSe", _NUMBER_DIGITS),
        # The series is that of the DPS, whose numbers are others.
        series=None,
        issuer_tax_id=issuer.required_tax_id(),
        issuer_name=issuer.required_text("xNome")[:NAME_LENGTH],
        role=role_of(tax_id, parties),
        amount=price_in(declaration),
        issued_at=declaration.required_moment("dhEmi"),
        authorized_at=note.required_moment("dhProc"),
        protocol=note.required_text("nDFSe", _PROTOCOL),
        situation=Situation.AUTHORIZED,
        is_full=True,
    )


def _event(root: ReceivedPart) -> ReceivedEvent:
    registration = root.required_part("infEvento")
    request = registration.required_part("pedRegEvento/infPedReg")
    # The element of the event's type, as `e101101`.
    detail = next((part for part in request.parts("*") if _DETAIL.fullmatch(part.tag)), None)
    if detail is None:
        raise UnreadFile("O XML do evento não diz o que aconteceu.")
    code = detail.tag[1:]
    identifier = registration.element.get("Id", "")
    return ReceivedEvent(
        access_key=_key(request.required_text("chNFSe")),
        code=code,
        description=(detail.text("xDesc") or code)[:NAME_LENGTH],
        sequence=registration.required_integer("nSeqEvento", _SEQUENCE_DIGITS),
        author_tax_id=request.tax_id("CNPJAutor", "CPFAutor"),
        protocol=identifier if identifier.startswith("EVT") else None,
        occurred_at=request.required_moment("dhEvento"),
        registered_at=registration.required_moment("dhProc"),
        situation=Situation.CANCELED if code in _CANCELLATIONS else None,
        text=detail.first_text(*_EVENT_TEXTS),
    )


def _key(text: str) -> str:
    if not _KEY.fullmatch(text):
        raise UnreadFile("A chave de acesso da NFS-e não é válida.")
    return text


def _root(xml: bytes, tag: str) -> ReceivedPart:
    root = ReceivedPart.of_file(xml, NAMESPACE)
    root.require_tag(tag)
    return root
