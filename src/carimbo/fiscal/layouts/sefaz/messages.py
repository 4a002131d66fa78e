"""Requests to SEFAZ authorities, and the files that are stored with their answers.

Signed documents are included byte by byte: a document that is written again may no longer verify.
"""

import base64
from collections.abc import Iterator, Sequence

from isal import igzip

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.tax_ids import is_cpf
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.xml_reading import root_alone

_MAX_DOCUMENTS = 50
_MAX_EVENTS = 20


def message(dialect: Dialect, root: str, *content: bytes, version: str | None = None) -> bytes:
    """Writes a message of the family around its content."""
    opening = f'<{root} xmlns="{dialect.namespace}" versao="{version or dialect.version}">'
    return b"".join((opening.encode(), *content, f"</{root}>".encode()))


def reception(dialect: Dialect, lot_id: int, signed_document: bytes) -> bytes:
    """Asks for the authorization of a document: in a lot of one, alone, or alone as base64 of gzip."""
    if dialect.in_lots:
        return document_lot(dialect, lot_id, [signed_document])
    document = root_alone(signed_document)
    if not dialect.zips_documents:
        return document
    # igzip takes a third of zlib's time for as many bytes. Half of a document is base64, which no level makes
    # shorter. Without a timestamp the same document always gives the same message.
    return base64.b64encode(igzip.compress(document, compresslevel=1, mtime=0))


def document_lot(dialect: Dialect, lot_id: int, signed_documents: Sequence[bytes]) -> bytes:
    """Asks for the authorization of documents: one is answered directly, several later by a receipt."""
    synchronous = "1" if len(signed_documents) == 1 else "0"
    heading = _element("idLote", lot_id), _element("indSinc", synchronous)
    return message(dialect, f"envi{dialect.stem}", *heading, *_all(signed_documents, _MAX_DOCUMENTS))


def event_reception(dialect: Dialect, lot_id: int, signed_event: bytes) -> bytes:
    """Asks for the registration of an event: in a lot of one, or alone."""
    return event_lot(dialect, lot_id, [signed_event]) if dialect.in_lots else root_alone(signed_event)


def event_lot(dialect: Dialect, lot_id: int, signed_events: Sequence[bytes]) -> bytes:
    """Asks for the registration of events."""
    events = _all(signed_events, _MAX_EVENTS)
    return message(dialect, "envEvento", _element("idLote", lot_id), *events, version=dialect.event_version)


def receipt_query(dialect: Dialect, environment: str, receipt: str) -> bytes:
    """Asks for the results of a lot of several documents."""
    content = _element("tpAmb", environment), _element("nRec", receipt)
    return message(dialect, f"consReci{dialect.stem}", *content)


def key_query(dialect: Dialect, environment: str, access_key: AccessKey) -> bytes:
    """Asks for the state of a document by its key."""
    content = (
        _element("tpAmb", environment),
        _element("xServ", "CONSULTAR"),
        _element(dialect.key_tag, access_key),
    )
    return message(dialect, f"consSit{dialect.stem}", *content)


def status_query(dialect: Dialect, environment: str, state_code: str) -> bytes:
    """Asks whether the authority of a state is in operation."""
    state = _element("cUF", state_code) if dialect.status_names_state else b""
    content = _element("tpAmb", environment), state, _element("xServ", "STATUS")
    return message(dialect, dialect.status_tag, *content)


def distribution_after(
    dialect: Dialect, environment: str, state_code: str, tax_id: str, last_nsu: int
) -> bytes:
    """Asks for the documents of interest to a taxpayer after the last number that it has."""
    query = b"<distNSU>" + _element("ultNSU", _nsu(last_nsu)) + b"</distNSU>"
    return _distribution(dialect, environment, state_code, tax_id, query)


def distribution_at(dialect: Dialect, environment: str, state_code: str, tax_id: str, nsu: int) -> bytes:
    """Asks for one document of interest to a taxpayer by its number, to fill a gap."""
    query = b"<consNSU>" + _element("NSU", _nsu(nsu)) + b"</consNSU>"
    return _distribution(dialect, environment, state_code, tax_id, query)


def distribution_of_key(
    dialect: Dialect, environment: str, state_code: str, tax_id: str, access_key: AccessKey
) -> bytes:
    """Asks for one document of interest to a taxpayer, by its key."""
    tag = f"consCh{dialect.stem}"
    query = f"<{tag}>".encode() + _element(dialect.key_tag, access_key) + f"</{tag}>".encode()
    return _distribution(dialect, environment, state_code, tax_id, query)


def authorized_document(dialect: Dialect, signed_document: bytes, protocol: bytes) -> bytes:
    """Joins a document with its authorization, which makes the file that has legal force (nfeProc)."""
    return message(dialect, dialect.archive_tag, root_alone(signed_document), root_alone(protocol))


def registered_event(dialect: Dialect, signed_event: bytes, answer: bytes) -> bytes:
    """Joins an event with its registration (procEventoNFe)."""
    content = root_alone(signed_event), root_alone(answer)
    return message(dialect, dialect.event_archive_tag, *content, version=dialect.event_version)


def _distribution(dialect: Dialect, environment: str, state_code: str, tax_id: str, query: bytes) -> bytes:
    content = (
        _element("tpAmb", environment),
        _element("cUFAutor", state_code) if dialect.distribution_names_state else b"",
        _element("CPF" if is_cpf(tax_id) else "CNPJ", tax_id),
        query,
    )
    return message(dialect, "distDFeInt", *content, version=dialect.distribution_version)


def _nsu(value: int) -> str:
    return f"{value:015d}"


def _all(documents: Sequence[bytes], max_count: int) -> Iterator[bytes]:
    """Returns the documents as a lot holds them, without anything before the root element (rule 588)."""
    if not 0 < len(documents) <= max_count:
        raise ValueError(f"a lot holds 1 to {max_count} documents, not {len(documents)}")
    return map(root_alone, documents)


def _element(tag: str, value: object) -> bytes:
    return f"<{tag}>{canonical.text(str(value))}</{tag}>".encode()
