"""NF-e and events as the national environment distributes them, for tests of received documents."""

import re
from functools import cache

from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from nfe_answers import RECEIVED, alone, element, event_receipt, note_protocol
from unit.golden_documents import DOCUMENTS, golden_document

INVOICE, SUMMARY = "procNFe_v4.00.xsd", "resNFe_v1.01.xsd"
EVENT, EVENT_SUMMARY = "procEventoNFe_v1.00.xsd", "resEvento_v1.01.xsd"
RECIPIENT = "12ABC34501DE35"
KEY = "35261111222333000181550010000000011123456806"
NFE_EXAMPLES = [file for file in DOCUMENTS if file.startswith("nfe/")]
_ID = re.compile(rb'Id="NFe([^"]+)"')


def proc_nfe(signed: bytes, code: str = "100", key: str | None = None) -> bytes:
    """Returns a signed document with a protocol."""
    match = _ID.search(signed)
    assert match
    protocol = note_protocol(code, "Resultado", key=key or match[1].decode())
    return authorized_document(NFE_DIALECT, signed, alone(protocol))


@cache
def example(name: str) -> bytes:
    """Returns an NF-e of the examples as an authorized file."""
    return proc_nfe(golden_document(f"nfe/{name}.json").xml)


def with_text(file: bytes, path: str, text: str | None) -> bytes:
    """Returns a file with another text at a path, or without the element."""
    root = etree.fromstring(file)
    steps = "/".join(tag if tag == "*" else f"{{{NAMESPACE}}}{tag}" for tag in path.split("/"))
    changed = root.find(f".//{steps}")
    assert changed is not None, path
    parent = changed.getparent()
    if text is None and parent is not None:
        parent.remove(changed)
    else:
        changed.text = text
    return etree.tostring(root)


def with_party(file: bytes, before: str, xml: str) -> bytes:
    """Returns a file with a further element before the first one with a tag."""
    return file.replace(f"<{before}>".encode(), f"{xml}<{before}>".encode(), 1)


def res_nfe(**changes: str | None) -> bytes:
    """Returns a summary of an NF-e."""
    values: dict[str, str | None] = {
        "chNFe": KEY,
        "CNPJ": "11222333000181",
        "xNome": "Loja Modelo Ltda",
        "IE": "111111110110",
        "dhEmi": "2026-11-14T10:00:00-03:00",
        "tpNF": "1",
        "vNF": "71.80",
        "digVal": "pxUDgxIKVPey9vKs8XDFKVayuKA=",
        "dhRecbto": "2026-11-14T10:00:02-03:00",
        "nProt": "135260000000001",
        "cSitNFe": "1",
    }
    inside = "".join(element(tag, text) for tag, text in (values | changes).items())
    return f'<resNFe xmlns="{NAMESPACE}" versao="1.01">{inside}</resNFe>'.encode()


def res_event(**changes: str | None) -> bytes:
    """Returns a summary of a correction letter."""
    values: dict[str, str | None] = {
        "cOrgao": "35",
        "CNPJ": "11222333000181",
        "chNFe": KEY,
        "dhEvento": "2026-11-15T09:00:00-03:00",
        "tpEvento": "110110",
        "nSeqEvento": "2",
        "xEvento": "Carta de Correcao",
        "dhRecbto": "2026-11-15T09:00:01-03:00",
        "nProt": "135260000000009",
    }
    inside = "".join(element(tag, text) for tag, text in (values | changes).items())
    return f'<resEvento xmlns="{NAMESPACE}" versao="1.01">{inside}</resEvento>'.encode()


def proc_event(event_type: str, detail: str = "", code: str = "135", key: str = KEY) -> bytes:
    """Returns a registered event with further elements of its detail."""
    information = (
        f'<infEvento Id="ID{event_type}{KEY}01"><cOrgao>35</cOrgao><tpAmb>2</tpAmb>'
        "<CNPJ>11222333000181</CNPJ>"
        f"<chNFe>{KEY}</chNFe><dhEvento>{RECEIVED}</dhEvento><tpEvento>{event_type}</tpEvento>"
        "<nSeqEvento>1</nSeqEvento><verEvento>1.00</verEvento>"
        f'<detEvento versao="1.00"><descEvento>Evento</descEvento>{detail}</detEvento></infEvento>'
    )
    receipt = event_receipt(code, "Evento registrado", event_type=event_type, key=key)
    event = f'<evento versao="1.00">{information}</evento>'
    return f'<procEventoNFe xmlns="{NAMESPACE}" versao="1.00">{event}{receipt}</procEventoNFe>'.encode()
