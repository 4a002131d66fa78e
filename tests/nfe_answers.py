"""Answers as NF-e authorities write them, for tests: every element in the order of the official XSD."""

import base64
import gzip
import re
from collections.abc import Mapping

from carimbo.fiscal.layouts.nfe_v4.inutilization import InutilizationRange
from carimbo.fiscal.outcome import Rejected

NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
KEY = "35261111222333000181550010000000011123456806"
OTHER_KEY = "35261112ABC34501DE35550010000000071123456860"
PROTOCOL = "135260000000001"
RECEIPT = "351000000000001"
DIGEST = "qUNFDwzEbpV5hQqXXkPe8bQdQ4c="
RECEIVED = "2026-11-15T09:30:00-03:00"
CANCELED_AT = "2026-11-15T10:00:00-03:00"
CORRECTION = "110110"
CANCELLATION = "110111"
ACKNOWLEDGEMENT = "210210"
INUTILIZED = InutilizationRange(
    environment="2",
    state_code="35",
    year="26",
    cnpj=KEY[6:20],
    model="55",
    series=1,
    first_number=10,
    last_number=12,
    reason="Numeração pulada por falha de sistema",
)
INUTILIZED_RANGE = {
    "ano": "26",
    "CNPJ": KEY[6:20],
    "mod": "55",
    "serie": "1",
    "nNFIni": "10",
    "nNFFin": "12",
}

# These refuse the registration of a party, not the content of the document.
_RETRYABLE = {"178", "180", "181", "186"}
_SERVICE = "http://www.portalfiscal.inf.br/nfe/wsdl/NFeAutorizacao4"
SIGNATURE = (
    '<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo>'
    f"<Reference><DigestValue>{DIGEST}</DigestValue></Reference></SignedInfo></Signature>"
)


def message(root: str, inside: str, version: str = "4.00") -> str:
    return f'<{root} xmlns="{NAMESPACE}" versao="{version}">{inside}</{root}>'


def element(tag: str, text: str | None) -> str:
    return "" if text is None else f"<{tag}>{text}</{tag}>"


def verdict(code: str, text: str) -> str:
    return element("cStat", code) + element("xMotivo", text)


def head(code: str, text: str) -> str:
    return f"<tpAmb>2</tpAmb><verAplic>SP_NFE_PL009_V4</verAplic>{verdict(code, text)}<cUF>35</cUF>"


def note_protocol(
    code: str,
    text: str,
    *,
    key: str | None = KEY,
    received: str | None = RECEIVED,
    protocol: str | None = PROTOCOL,
    digest: str | None = DIGEST,
    alerts: str = "",
) -> str:
    details = element("chNFe", key) + element("dhRecbto", received) + element("nProt", protocol)
    inside = f"{details}{element('digVal', digest)}{verdict(code, text)}{alerts}"
    return (
        f'<protNFe versao="4.00"><infProt><tpAmb>2</tpAmb><verAplic>1</verAplic>{inside}</infProt></protNFe>'
    )


def alone(part: str) -> bytes:
    """Returns a part of an answer as extracted from it, with its own namespace."""
    return re.sub(r"^<\w+\b(?! xmlns)", rf'\g<0> xmlns="{NAMESPACE}"', part).encode()


def rejected(code: str, text: str, part: str) -> Rejected:
    """Returns the expected reading of a refusal, with the part of the answer that has it."""
    return Rejected(code=code, message=text, answer_xml=alone(part), retryable=code in _RETRYABLE)


def refused_note(code: str, text: str, key: str | None = KEY) -> str:
    return note_protocol(code, text, key=key, protocol=None, digest=None)


def lot(code: str, text: str, inside: str = "") -> str:
    return message("retEnviNFe", f"{head(code, text)}<dhRecbto>{RECEIVED}</dhRecbto>{inside}")


def processed(*protocols: str) -> str:
    return lot("104", "Lote processado", "".join(protocols))


def receipt_answer(code: str, text: str, inside: str = "") -> str:
    opening = f"<tpAmb>2</tpAmb><verAplic>1</verAplic><nRec>{RECEIPT}</nRec>"
    rest = f"{verdict(code, text)}<cUF>35</cUF><dhRecbto>{RECEIVED}</dhRecbto>{inside}"
    return message("retConsReciNFe", opening + rest)


def consult(code: str, text: str, inside: str = "", key: str | None = KEY) -> str:
    opening = f"{head(code, text)}<dhRecbto>{RECEIVED}</dhRecbto>{element('chNFe', key)}"
    return message("retConsSitNFe", opening + inside)


def event_receipt(
    code: str,
    text: str,
    *,
    event_type: str | None = CANCELLATION,
    sequence: str | None = "1",
    key: str | None = KEY,
    protocol: str | None = "135260000000009",
) -> str:
    details = element("chNFe", key) + element("tpEvento", event_type) + element("nSeqEvento", sequence)
    rest = f"<dhRegEvento>{CANCELED_AT}</dhRegEvento>{element('nProt', protocol)}"
    opening = f"<tpAmb>2</tpAmb><verAplic>1</verAplic><cOrgao>35</cOrgao>{verdict(code, text)}"
    return f'<retEvento versao="1.00"><infEvento>{opening}{details}{rest}</infEvento></retEvento>'


def event_lot(code: str, text: str, inside: str = "") -> str:
    opening = "<idLote>1</idLote><tpAmb>2</tpAmb><verAplic>1</verAplic><cOrgao>35</cOrgao>"
    return message("retEnvEvento", f"{opening}{verdict(code, text)}{inside}", "1.00")


def processed_events(*receipts: str) -> str:
    return event_lot("128", "Lote de Evento Processado", "".join(receipts))


def stored_event(
    code: str = "135", *, event_type: str = CANCELLATION, sequence: str = "1", key: str = KEY
) -> str:
    information = (
        f'<infEvento Id="ID{event_type}{key}01"><cOrgao>35</cOrgao><tpAmb>2</tpAmb><CNPJ>{key[6:20]}</CNPJ>'
        f"<chNFe>{key}</chNFe><dhEvento>{CANCELED_AT}</dhEvento><tpEvento>{event_type}</tpEvento>"
        f"<nSeqEvento>{sequence}</nSeqEvento><verEvento>1.00</verEvento>"
        '<detEvento versao="1.00"><descEvento>Evento</descEvento></detEvento></infEvento>'
    )
    receipt = event_receipt(code, "Evento registrado", event_type=event_type, sequence=sequence, key=key)
    event = f'<evento versao="1.00">{information}{SIGNATURE}</evento>'
    return f'<procEventoNFe versao="1.00">{event}{receipt}</procEventoNFe>'


def inutilization(
    code: str, text: str, protocol: str | None = None, inutilized_range: Mapping[str, str] = INUTILIZED_RANGE
) -> str:
    about = "".join(element(tag, value) for tag, value in inutilized_range.items())
    rest = f"<dhRecbto>{RECEIVED}</dhRecbto>{element('nProt', protocol)}"
    return message("retInutNFe", f"<infInut>{head(code, text)}{about}{rest}</infInut>")


def status(code: str, text: str, inside: str = "") -> str:
    return message("retConsStatServ", f"{head(code, text)}<dhRecbto>{RECEIVED}</dhRecbto>{inside}")


def zipped(xml: bytes, nsu: str | None = "000000000000101", schema: str = "procNFe_v4.00.xsd") -> str:
    return doc_zip(base64.b64encode(gzip.compress(xml, mtime=0)).decode(), nsu, schema)


def doc_zip(text: str, nsu: str | None = "000000000000102", schema: str = "resNFe_v1.01.xsd") -> str:
    number = "" if nsu is None else f'NSU="{nsu}" '
    return f'<docZip {number}schema="{schema}">{text}</docZip>'


def distribution(
    code: str, text: str, documents: str = "", last: str = "000000000000150", highest: str = "000000000000200"
) -> str:
    opening = f"<tpAmb>2</tpAmb><verAplic>1</verAplic>{verdict(code, text)}<dhResp>{RECEIVED}</dhResp>"
    inside = f"<loteDistDFeInt>{documents}</loteDistDFeInt>" if documents else ""
    places = f"<ultNSU>{last}</ultNSU><maxNSU>{highest}</maxNSU>"
    return message("retDistDFeInt", opening + places + inside, "1.01")


def dressed(text: str) -> list[bytes]:
    """Returns the same answer as different hosts send it."""
    return [
        text.encode(),
        _in_soap(text, "http://www.w3.org/2003/05/soap-envelope"),
        _in_soap(f"<![CDATA[{text}]]>", "http://schemas.xmlsoap.org/soap/envelope/"),
        _in_soap(_prefixed(text), "http://www.w3.org/2003/05/soap-envelope"),
        text.replace("><", ">\n  <novoGrupo><cStat>999</cStat></novoGrupo>\n  <").encode(),
        re.sub(r">([^<]+)<", r"> \1\n<", text).encode(),
    ]


def _in_soap(inside: str, soap: str) -> bytes:
    result = f'<nfeResultMsg xmlns="{_SERVICE}">{inside}</nfeResultMsg>'
    body = f'<e:Body xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{result}</e:Body>'
    return f'<?xml version="1.0" encoding="utf-8"?><e:Envelope xmlns:e="{soap}">{body}</e:Envelope>'.encode()


def _prefixed(text: str) -> str:
    signatures = re.findall(r"<Signature.*?</Signature>", text)
    prefixed = re.sub(r"<(/?)(\w)", r"<\1n:\2", text).replace(
        f'xmlns="{NAMESPACE}"', f'xmlns:n="{NAMESPACE}"'
    )
    for signature in signatures:
        prefixed = prefixed.replace(re.sub(r"<(/?)(\w)", r"<\1n:\2", signature), signature)
    return prefixed
