"""Requests to the authorities of NF-e and NFC-e, and the files that are kept of their answers.

Signed documents are put in as they are: whatever is written again after signing may no longer verify.
"""

from collections.abc import Iterator, Sequence

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.taxpayer import is_cpf
from carimbo.fiscal.xml_reading import root_alone

_MOST_INVOICES = 50
_MOST_EVENTS = 20


def authorization_lot(lot_id: int, signed_invoices: Sequence[bytes]) -> bytes:
    """Ask for the authorization of documents: one is answered at once, several later by a receipt."""
    synchronous = "1" if len(signed_invoices) == 1 else "0"
    heading = _element("idLote", lot_id), _element("indSinc", synchronous)
    return _message("enviNFe", "4.00", *heading, *_all(signed_invoices, _MOST_INVOICES))


def event_lot(lot_id: int, signed_events: Sequence[bytes]) -> bytes:
    """Ask for the registration of events."""
    return _message("envEvento", "1.00", _element("idLote", lot_id), *_all(signed_events, _MOST_EVENTS))


def receipt_query(environment: str, receipt: str) -> bytes:
    """Ask what became of a lot of several documents."""
    return _message("consReciNFe", "4.00", _element("tpAmb", environment), _element("nRec", receipt))


def key_query(environment: str, access_key: AccessKey) -> bytes:
    """Ask what the authority knows of one document."""
    asked = _element("xServ", "CONSULTAR"), _element("chNFe", access_key)
    return _message("consSitNFe", "4.00", _element("tpAmb", environment), *asked)


def status_query(environment: str, state_code: str) -> bytes:
    """Ask whether the authority of a state is at work."""
    asked = _element("cUF", state_code), _element("xServ", "STATUS")
    return _message("consStatServ", "4.00", _element("tpAmb", environment), *asked)


def distribution_after(environment: str, state_code: str, tax_id: str, last_nsu: int) -> bytes:
    """Ask for the documents of interest to a taxpayer that came after the last one it has."""
    return _distribution(environment, state_code, tax_id, "distNSU", _element("ultNSU", _nsu(last_nsu)))


def distribution_at(environment: str, state_code: str, tax_id: str, nsu: int) -> bytes:
    """Ask for one document of interest to a taxpayer, where a number is missing from those it has."""
    return _distribution(environment, state_code, tax_id, "consNSU", _element("NSU", _nsu(nsu)))


def distribution_of_key(environment: str, state_code: str, tax_id: str, access_key: AccessKey) -> bytes:
    """Ask for one document of interest to a taxpayer, by its key."""
    return _distribution(environment, state_code, tax_id, "consChNFe", _element("chNFe", access_key))


def authorized_invoice(signed_invoice: bytes, protocol: bytes) -> bytes:
    """Join a document with its authorization, which makes the file that has legal force (nfeProc)."""
    return _message("nfeProc", "4.00", root_alone(signed_invoice), root_alone(protocol))


def registered_event(signed_event: bytes, answer: bytes) -> bytes:
    """Join an event with its registration (procEventoNFe)."""
    return _message("procEventoNFe", "1.00", root_alone(signed_event), root_alone(answer))


def registered_inutilization(signed_inutilization: bytes, answer: bytes) -> bytes:
    """Join an inutilization with its registration, under the XSD's name for it, with a capital letter."""
    return _message("ProcInutNFe", "4.00", root_alone(signed_inutilization), root_alone(answer))


def _distribution(environment: str, state_code: str, tax_id: str, tag: str, what: bytes) -> bytes:
    who = _element("tpAmb", environment), _element("cUFAutor", state_code), _taxpayer(tax_id)
    return _message("distDFeInt", "1.01", *who, f"<{tag}>".encode(), what, f"</{tag}>".encode())


def _nsu(value: int) -> str:
    return f"{value:015d}"


def _taxpayer(tax_id: str) -> bytes:
    return _element("CPF" if is_cpf(tax_id) else "CNPJ", tax_id)


def _all(documents: Sequence[bytes], most: int) -> Iterator[bytes]:
    """The documents as a lot holds them: what may stand before a root is refused inside a message (588)."""
    if not 0 < len(documents) <= most:
        raise ValueError(f"a lot holds 1 to {most} documents, not {len(documents)}")
    return map(root_alone, documents)


def _element(tag: str, value: object) -> bytes:
    return f"<{tag}>{canonical.text(str(value))}</{tag}>".encode()


def _message(root: str, version: str, *content: bytes) -> bytes:
    opening = f'<{root} xmlns="{NAMESPACE}" versao="{version}">'
    return b"".join((opening.encode(), *content, f"</{root}>".encode()))
