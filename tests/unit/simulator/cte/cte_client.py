"""A client that calls the CT-e authorities directly, without a network."""

import gzip
from base64 import b64encode
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.soap import envelope
from carimbo.simulator.controls import Controls
from carimbo.simulator.cte.dialect import NAMESPACE
from carimbo.simulator.cte.family import CTE_FAMILY, CTE_OS_FAMILY
from carimbo.simulator.family import HOMOLOGATION, CallReply, IncomingCall, RequestContext, ServicePath
from carimbo.simulator.http import Request
from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.sefaz.family import SimulatedSefazFamily
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.cte.sample_cte import key_in
from unit.simulator.mutating import DS, sign_again
from unit.simulator.nfe.sefaz_client import message_of

RECEPTION, OS_RECEPTION = "CTeRecepcaoSincV4", "CTeRecepcaoOSV4"
CONSULT, STATUS = "CTeConsultaV4", "CTeStatusServicoV4"
EVENT, DISTRIBUTION = "CTeRecepcaoEventoV4", "CTeDistribuicaoDFe"
REASON = "ERRO DE DIGITACAO NO PEDIDO"
CONDITION = (
    "A Carta de Correcao e disciplinada pelo Art. 58-B do CONVENIO/SINIEF 06/89: Fica permitida a utilizacao"
    " de carta de correcao, para regularizacao de erro ocorrido na emissao de documentos fiscais relativos a"
    " prestacao de servico de transporte, desde que o erro nao esteja relacionado com: I - as variaveis que"
    " determinam o valor do imposto tais como: base de calculo, aliquota, diferenca de preco, quantidade,"
    " valor da prestacao;II - a correcao de dados cadastrais que implique mudanca do emitente, tomador,"
    " remetente ou do destinatario;III - a data de emissao ou de saida."
)
"""The official text of every correction."""


def service_path(service: str, authorizer: str = "SP", family: str = "cte") -> ServicePath:
    """Returns the path of a service in homologation."""
    return ServicePath(authorizer, HOMOLOGATION, family, service)


def enclosed(service: str, message: bytes) -> bytes:
    """Returns a message in its SOAP envelope; documents travel zipped."""
    namespace = f"{NAMESPACE}/wsdl/{service}"
    if service in (RECEPTION, OS_RECEPTION):
        return envelope(namespace, b64encode(gzip.compress(message)), "cteDadosMsg")
    if service == DISTRIBUTION:
        inside = b"<cteDadosMsg>" + message + b"</cteDadosMsg>"
        return envelope(namespace, inside, "cteDistDFeInteresse")
    return envelope(namespace, message, "cteDadosMsg")


def consult_query(key: str) -> bytes:
    fields = f"<tpAmb>2</tpAmb><xServ>CONSULTAR</xServ><chCTe>{key}</chCTe>"
    return f'<consSitCTe xmlns="{NAMESPACE}" versao="4.00">{fields}</consSitCTe>'.encode()


def status_query(state_code: str = "35") -> bytes:
    fields = f"<tpAmb>2</tpAmb><cUF>{state_code}</cUF><xServ>STATUS</xServ>"
    return f'<consStatServCTe xmlns="{NAMESPACE}" versao="4.00">{fields}</consStatServCTe>'.encode()


def distribution_query(tax_id: str, question: str) -> bytes:
    tag = "CNPJ" if len(tax_id) == 14 else "CPF"
    fields = f"<tpAmb>2</tpAmb><cUFAutor>35</cUFAutor><{tag}>{tax_id}</{tag}>{question}"
    return f'<distDFeInt xmlns="{NAMESPACE}" versao="1.00">{fields}</distDFeInt>'.encode()


def cancellation(protocol: str) -> str:
    fields = f"<descEvento>Cancelamento</descEvento><nProt>{protocol}</nProt><xJust>{REASON}</xJust>"
    return f"<evCancCTe>{fields}</evCancCTe>"


def correction(group: str = "compl", name: str = "xObs", value: str = "ENTREGAR PELA MANHA") -> str:
    changed = (
        f"<infCorrecao><grupoAlterado>{group}</grupoAlterado><campoAlterado>{name}</campoAlterado>"
        f"<valorAlterado>{value}</valorAlterado></infCorrecao>"
    )
    condition = f"<xCondUso>{CONDITION}</xCondUso>"
    return f"<evCCeCTe><descEvento>Carta de Correcao</descEvento>{changed}{condition}</evCCeCTe>"


DISAGREEMENT = (
    "<evPrestDesacordo><descEvento>Prestacao do Servico em Desacordo</descEvento>"
    "<indDesacordoOper>1</indDesacordoOper><xObs>VALOR DIFERENTE DO COMBINADO</xObs></evPrestDesacordo>"
)
HASH = "2jmj7l5rSw0yVb/vlWAYkK/YBwk="
"""The hash of a picture."""


def delivery(protocol: str, at: datetime, *invoices: str) -> str:
    """Returns a proof of delivery."""
    fields = (
        f"<descEvento>Comprovante de Entrega do CT-e</descEvento><nProt>{protocol}</nProt>"
        f"<dhEntrega>{at.isoformat()}</dhEntrega><nDoc>123456789</nDoc><xNome>MARIA</xNome>"
        f"<hashEntrega>{HASH}</hashEntrega><dhHashEntrega>{at.isoformat()}</dhHashEntrega>"
    )
    return f"<evCECTe>{fields}{_delivered(*invoices)}</evCECTe>"


def failed_delivery(protocol: str, at: datetime, *invoices: str) -> str:
    """Returns a failed delivery."""
    fields = (
        f"<descEvento>Insucesso na Entrega do CT-e</descEvento><nProt>{protocol}</nProt>"
        f"<dhTentativaEntrega>{at.isoformat()}</dhTentativaEntrega><nTentativa>001</nTentativa>"
        "<tpMotivo>1</tpMotivo>"
    )
    return f"<evIECTe>{fields}{_delivered(*invoices)}</evIECTe>"


def _delivered(*invoices: str) -> str:
    return "".join(f"<infEntrega><chNFe>{key}</chNFe></infEntrega>" for key in invoices)


def undoing(tag: str, description: str, protocol: str, protocol_tag: str, undone: str) -> str:
    """Returns the cancellation of an event of a delivery."""
    fields = f"<descEvento>{description}</descEvento><nProt>{protocol}</nProt>"
    return f"<{tag}>{fields}<{protocol_tag}>{undone}</{protocol_tag}></{tag}>"


def delivery_cancellation(protocol: str, undone: str) -> str:
    description = "Cancelamento do Comprovante de Entrega do CT-e"
    return undoing("evCancCECTe", description, protocol, "nProtCE", undone)


def failed_delivery_cancellation(protocol: str, undone: str) -> str:
    description = "Cancelamento do Insucesso de Entrega do CT-e"
    return undoing("evCancIECTe", description, protocol, "nProtIE", undone)


def disagreement_cancellation(undone: str) -> str:
    fields = (
        "<descEvento>Cancelamento Prestacao do Servico em Desacordo</descEvento>"
        f"<nProtEvPrestDes>{undone}</nProtEvPrestDes>"
    )
    return f"<evCancPrestDesacordo>{fields}</evCancPrestDesacordo>"


def guides(*numbers: int) -> str:
    """Returns the event with guides of valuables."""
    party = "<CNPJ>11444777000161</CNPJ><UF>SP</UF><xNome>BANCO MODELO</xNome>"
    written = "".join(
        f"<infGTV><nDoc>{number}</nDoc><id>AIDF77</id><dEmi>2026-11-14</dEmi><nDV>3</nDV>"
        "<qCarga>4.0000</qCarga><infEspecie><tpEspecie>1</tpEspecie></infEspecie>"
        f"<rem>{party}</rem><dest>{party}</dest></infGTV>"
        for number in numbers
    )
    return f"<evGTV><descEvento>Informacoes da GTV</descEvento>{written}</evGTV>"


EVENT_TYPES = {
    "evCancCTe": "110111",
    "evCCeCTe": "110110",
    "evGTV": "110170",
    "evCECTe": "110180",
    "evCancCECTe": "110181",
    "evIECTe": "110190",
    "evCancIECTe": "110191",
    "evPrestDesacordo": "610110",
    "evCancPrestDesacordo": "610111",
}


@dataclass
class CteClient:
    """A client of one company, with its own clock and controls, for one of the two families."""

    store: Store
    trust: TrustedAuthorities
    signer: Signer
    certificate: bytes
    tax_id: str = CNPJ
    now: datetime = ISSUED_AT
    switches: dict[str, Any] = field(default_factory=dict)
    family: SimulatedSefazFamily = CTE_FAMILY

    @property
    def context(self) -> RequestContext:
        return RequestContext(self.now, self.store, self.trust, Controls(**self.switches))

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.store)

    def read_call(self, where: ServicePath, body: bytes) -> IncomingCall | CallReply | None:
        return self.family.read_call(where, self.request(body))

    def request(self, body: bytes) -> Request:
        return Request("POST", "", "", {}, body, self.certificate)

    def send_body(self, where: ServicePath, body: bytes) -> CallReply:
        """Sends a complete, readable request."""
        incoming = self.read_call(where, body)
        assert isinstance(incoming, IncomingCall), incoming
        with self.store.together():
            return self.family.answer(where, incoming, self.request(body), self.context)

    def ask(self, where: ServicePath, message: bytes) -> CallReply:
        """Sends a message in its envelope."""
        return self.send_body(where, enclosed(where.service, message))

    def refused(self, where: ServicePath, message: bytes, code: str) -> CallReply:
        """Sends a message to an authority that refuses it with a code."""
        incoming = self.read_call(where, enclosed(where.service, message))
        assert isinstance(incoming, IncomingCall), incoming
        return self.family.refuse(where, incoming, code, self.context)

    def send(self, document: bytes, authorizer: str = "SP") -> CallReply:
        reception = OS_RECEPTION if self.family is CTE_OS_FAMILY else RECEPTION
        return self.ask(self.path(reception, authorizer), document)

    def path(self, service: str, authorizer: str = "SP") -> ServicePath:
        return service_path(service, authorizer, self.family.name)

    def authorized(self, document: bytes, authorizer: str = "SP") -> StoredDocument:
        """Sends a document that must be authorized."""
        answer = self.send(document, authorizer)
        assert answer.code == "100", answer.message
        stored = self.ledger.document(HOMOLOGATION, key_in(etree.fromstring(document)))
        assert stored
        return stored

    def consult(self, key: str, authorizer: str = "SP") -> CallReply:
        return self.ask(self.path(CONSULT, authorizer), consult_query(key))

    def status(self, state_code: str = "35", authorizer: str = "SP") -> CallReply:
        return self.ask(self.path(STATUS, authorizer), status_query(state_code))

    def signed_event(self, key: str, payload: str, sequence: int = 1) -> bytes:
        """Returns an event of this company that happens now, signed."""
        event_type = EVENT_TYPES[etree.fromstring(payload).tag]
        fields = (
            f"<cOrgao>{key[:2]}</cOrgao><tpAmb>2</tpAmb><CNPJ>{self.tax_id}</CNPJ><chCTe>{key}</chCTe>"
            f"<dhEvento>{self.now.isoformat()}</dhEvento><tpEvento>{event_type}</tpEvento>"
            f"<nSeqEvento>{sequence}</nSeqEvento>"
        )
        detail = f'<detEvento versaoEvento="4.00">{payload}</detEvento>'
        content = f'<infEvento Id="ID{event_type}{key}{sequence:03d}">{fields}{detail}</infEvento>'
        signature = f'<Signature xmlns="{DS[1:-1]}"/>'
        root = etree.fromstring(
            f'<eventoCTe xmlns="{NAMESPACE}" versao="4.00">{content}{signature}</eventoCTe>'
        )
        sign_again(root, root[0], self.signer)
        return etree.tostring(root)

    def send_event(self, key: str, payload: str, sequence: int = 1, authorizer: str = "SP") -> CallReply:
        event = self.signed_event(key, payload, sequence)
        return self.ask(self.path(EVENT, authorizer), event)

    def cancel(self, document: StoredDocument, authorizer: str = "SP") -> CallReply:
        return self.send_event(document.access_key, cancellation(document.protocol), authorizer=authorizer)

    def distributed(self, last_nsu: int = 0) -> CallReply:
        """Asks for the documents of interest to this company."""
        question = f"<distNSU><ultNSU>{last_nsu:015d}</ultNSU></distNSU>"
        return self.ask(service_path(DISTRIBUTION, "AN"), distribution_query(self.tax_id, question))


def text_of(answer: CallReply, path: str) -> str:
    """Returns a text of an answer by its path, like `protCTe/infProt/cStat`."""
    steps = "/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/"))
    return message_of(answer).findtext(steps) or ""
