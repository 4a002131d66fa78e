"""Answers as the national environment of NFS-e writes them, for tests."""

import base64
import gzip
import json
from typing import Any

from carimbo.fiscal.layouts.dps_v1.answer_part import pack_xml

NAMESPACE = "http://www.sped.fazenda.gov.br/nfse"
DPS_ID = "DPS355030821122233300018100001000000000000003"
OTHER_DPS_ID = "DPS355030821122233300018100001000000000000004"
KEY = "35503082211222333000181000000000012326111234567890"
OTHER_KEY = "35503082212ABC34501DE35000000000012326111234567890"
PROTOCOL = "123456789"
DIGEST = "qUNFDwzEbpV5hQqXXkPe8bQdQ4c="
PROCESSED = "2026-11-15T09:30:00-03:00"
CANCELED_AT = "2026-11-15T10:00:00-03:00"
CANCELLATION = "101101"
SUBSTITUTION = "105102"
BY_THE_CITY = "305101"
_WORDS = {
    CANCELLATION: "Cancelamento de NFS-e",
    SUBSTITUTION: "Cancelamento de NFS-e por Substituição",
    BY_THE_CITY: "Cancelamento de NFS-e por Ofício",
}


def signature(digest: str | None = DIGEST) -> str:
    """Returns the parts of a signature that are read."""
    if digest is None:
        return ""
    inside = f"<SignedInfo><Reference><DigestValue>{digest}</DigestValue></Reference></SignedInfo>"
    return f'<Signature xmlns="http://www.w3.org/2000/09/xmldsig#">{inside}</Signature>'


def element(tag: str, text: str | None) -> str:
    return "" if text is None else f"<{tag}>{text}</{tag}>"


def note(
    *,
    key: str = KEY,
    dps_id: str = DPS_ID,
    code: str | None = "100",
    number: str | None = "123",
    processed: str | None = PROCESSED,
    protocol: str | None = PROTOCOL,
    digest: str | None = DIGEST,
) -> str:
    """Returns an NFS-e with only the fields that are read from an answer."""
    processing = element("cStat", code) + element("dhProc", processed) + element("nDFSe", protocol)
    declared = f'<DPS versao="1.01"><infDPS Id="{dps_id}"><serie>1</serie></infDPS>{signature(digest)}</DPS>'
    inside = f"<xLocEmi>São Paulo</xLocEmi>{element('nNFSe', number)}{processing}<emit/>{declared}"
    root = f'<NFSe xmlns="{NAMESPACE}" versao="1.01">'
    return f'{root}<infNFSe Id="NFS{key}">{inside}</infNFSe>{signature("selo")}</NFSe>'


def event(
    event_type: str = CANCELLATION,
    *,
    key: str = KEY,
    processed: str | None = CANCELED_AT,
    digest: str | None = DIGEST,
) -> str:
    """Returns an event with its registration."""
    detail = f"<e{event_type}><xDesc>{_WORDS[event_type]}</xDesc><cMotivo>1</cMotivo></e{event_type}>"
    information = f'<infPedReg Id="PRE{key}{event_type}"><chNFSe>{key}</chNFSe>{detail}</infPedReg>'
    request = f'<pedRegEvento versao="1.01">{information}{signature(digest)}</pedRegEvento>'
    registration = f"<nSeqEvento>1</nSeqEvento>{element('dhProc', processed)}<nDFSe>0</nDFSe>"
    inside = f'<infEvento Id="EVT{key}{event_type}001">{registration}{request}</infEvento>'
    return f'<evento xmlns="{NAMESPACE}" versao="1.01">{inside}{signature("selo")}</evento>'


def body(**members: Any) -> bytes:
    """Returns the JSON of an answer, with the fields that all answers have."""
    head = {"tipoAmbiente": 2, "versaoAplicativo": "SefinNacional_1.6.0", "dataHoraProcessamento": PROCESSED}
    return json.dumps({**head, **members}).encode()


def issued(xml: str | None = None, **members: Any) -> bytes:
    """The answer to a DPS that became a note; the service puts the note's Id where the DPS's belongs."""
    xml = note() if xml is None else xml
    fields = {"idDps": f"NFS{KEY}", "chaveAcesso": KEY, "alertas": None, **members}
    return body(nfseXmlGZipB64=pack_xml(xml.encode()), **fields)


def stored(xml: str | None = None) -> bytes:
    """The answer to the consult of a note."""
    return body(chaveAcesso=KEY, nfseXmlGZipB64=pack_xml((note() if xml is None else xml).encode()))


def of_dps(key: str = KEY) -> bytes:
    """The answer to the consult of a DPS."""
    return body(idDps=DPS_ID, chaveAcesso=key)


def registered(xml: str | None = None) -> bytes:
    """The answer to an event that was registered."""
    return body(eventoXmlGZipB64=pack_xml((event() if xml is None else xml).encode()))


def stored_event(xml: str | None = None, event_type: str = CANCELLATION) -> bytes:
    """The answer to the consult of an event, which has it in base64 twice."""
    twice = base64.b64encode(pack_xml((event(event_type) if xml is None else xml).encode()).encode()).decode()
    return body(eventos=[{"chaveAcesso": KEY, "tipoEvento": int(event_type), "arquivoXml": twice}])


def error(code: str, description: str, complement: str | None = None) -> dict[str, Any]:
    """An error as the answer to a DPS has it."""
    return {"Codigo": code, "Descricao": description, "Complemento": complement}


def refused(*errors: dict[str, Any], dps_id: str | None = DPS_ID) -> bytes:
    """The refusal of a DPS."""
    return body(idDPS=dps_id, erros=list(errors))


NO_NOTE = body(
    erro={
        "codigo": "E2404",
        "descricao": "Não foi gerada uma NFS-e com o identificador de DPS informado",
    }
)
NO_EVENT = body()
NO_AGREEMENT = json.dumps(
    {"parametrosConvenio": None, "mensagem": "O convênio do município <Brasília/DF> ainda não está ativo"}
).encode()
PAGE = b"<!DOCTYPE html><html><body><h1>503 Service Unavailable</h1>Nenhum servidor</body></html>"


def agreed(emitter: Any = 1) -> bytes:
    """Returns the agreement of a municipality."""
    terms = {"aderenteAmbienteNacional": 1, "aderenteEmissorNacional": emitter, "aderenteMAN": 0}
    return json.dumps({"parametrosConvenio": terms, "mensagem": "Parâmetros recuperados."}).encode()


def rates(*percentages: str, service: str = "01.07.01.000") -> bytes:
    """The rates of a service, as the service writes them, with decimals."""
    periods = ",".join(
        f'{{"Incidencia":"SIM","Aliq":{percentage},"DtIni":"2023-01-02T00:00:00"}}'
        for percentage in percentages
    )
    return f'{{"aliquotas":{{"{service}":[{periods}]}},"mensagem":"Alíquotas recuperadas."}}'.encode()


def distributed(nsu: int, xml: bytes, document_type: str = "NFSE") -> dict[str, Any]:
    """Returns a document of a page of the distribution."""
    return {
        "NSU": nsu,
        "ChaveAcesso": KEY,
        "TipoDocumento": document_type,
        "TipoEvento": None,
        "ArquivoXml": base64.b64encode(gzip.compress(xml, mtime=0)).decode(),
        "DataHoraGeracao": "2026-11-15T09:30:00.3",
    }


def distribution(*documents: dict[str, Any], state: str = "DOCUMENTOS_LOCALIZADOS", **members: Any) -> bytes:
    """Returns a page of the distribution."""
    answer = {
        "StatusProcessamento": state,
        "LoteDFe": list(documents),
        "Alertas": [],
        "Erros": [],
        "TipoAmbiente": "HOMOLOGACAO",
        "VersaoAplicativo": "1.0.0.0",
        "DataHoraProcessamento": PROCESSED,
    }
    return json.dumps(answer | members).encode()


def nothing_new(**members: Any) -> bytes:
    """The answer of the distribution if there are no more documents; it comes with 404."""
    text = "Nenhum documento localizado - não existem documentos fiscais"
    errors = [{"Mensagem": {}, "Codigo": "E2220", "Descricao": text}]
    return distribution(state="NENHUM_DOCUMENTO_LOCALIZADO", **{"Erros": errors, **members})


def refused_distribution(code: str, text: str) -> bytes:
    """Returns the refusal of a query to the distribution."""
    return distribution(state="REJEICAO", Erros=[{"Codigo": code, "Descricao": text}])
