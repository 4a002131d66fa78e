"""A client that calls the MDF-e authority directly, without a network."""

import gzip
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.soap import envelope
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import HOMOLOGATION, CallReply, IncomingCall, RequestContext, ServicePath
from carimbo.simulator.http import Request
from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.mdfe.dialect import NAMESPACE
from carimbo.simulator.mdfe.family import MDFE_FAMILY
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.mdfe.sample_mdfe import NFE_KEY, SECOND_DRIVER, SUPPLIER, key_in
from unit.simulator.mutating import DS, sign_again
from unit.simulator.nfe.sefaz_client import message_of

RECEPTION, CONSULT, STATUS = "MDFeRecepcaoSinc", "MDFeConsulta", "MDFeStatusServico"
EVENT, OPEN = "MDFeRecepcaoEvento", "MDFeConsNaoEnc"
TODAY = ISSUED_AT.date()
REASON = "ERRO DE DIGITACAO NO VEICULO"


def service_path(service: str, environment: str = HOMOLOGATION) -> ServicePath:
    """Returns the path of a service."""
    return ServicePath("SVRS", environment, "mdfe", service)


def header(service: str, content: str = "<cUF>35</cUF><versaoDados>3.00</versaoDados>") -> bytes:
    """Returns the element in the header of an envelope."""
    return f'<mdfeCabecMsg xmlns="{NAMESPACE}/wsdl/{service}">{content}</mdfeCabecMsg>'.encode()


def enclosed(service: str, message: bytes) -> bytes:
    """Returns a message in its SOAP envelope; documents travel zipped and without a header."""
    namespace = f"{NAMESPACE}/wsdl/{service}"
    if service == RECEPTION:
        return envelope(namespace, b64encode(gzip.compress(message)), "mdfeDadosMsg")
    return envelope(namespace, message, "mdfeDadosMsg", header(service))


def consult_query(key: str) -> bytes:
    fields = f"<tpAmb>2</tpAmb><xServ>CONSULTAR</xServ><chMDFe>{key}</chMDFe>"
    return f'<consSitMDFe xmlns="{NAMESPACE}" versao="3.00">{fields}</consSitMDFe>'.encode()


def status_query() -> bytes:
    fields = "<tpAmb>2</tpAmb><xServ>STATUS</xServ>"
    return f'<consStatServMDFe xmlns="{NAMESPACE}" versao="3.00">{fields}</consStatServMDFe>'.encode()


def open_query(tax_id: str, environment: str = HOMOLOGATION) -> bytes:
    tag = "CNPJ" if len(tax_id) == 14 else "CPF"
    fields = f"<tpAmb>{environment}</tpAmb><xServ>CONSULTAR NÃO ENCERRADOS</xServ><{tag}>{tax_id}</{tag}>"
    return f'<consMDFeNaoEnc xmlns="{NAMESPACE}" versao="3.00">{fields}</consMDFeNaoEnc>'.encode()


def cancellation(protocol: str) -> str:
    fields = f"<descEvento>Cancelamento</descEvento><nProt>{protocol}</nProt><xJust>{REASON}</xJust>"
    return f"<evCancMDFe>{fields}</evCancMDFe>"


def closing(protocol: str, city: str = "3304557", *, on: date = TODAY, by_another: bool = False) -> str:
    """Returns the end of the trip."""
    fields = (
        f"<descEvento>Encerramento</descEvento><nProt>{protocol}</nProt><dtEnc>{on.isoformat()}</dtEnc>"
        f"<cUF>{city[:2]}</cUF><cMun>{city}</cMun>"
    )
    return (
        f"<evEncMDFe>{fields}{'<indEncPorTerceiro>1</indEncPorTerceiro>' if by_another else ''}</evEncMDFe>"
    )


def driver(cpf: str = SECOND_DRIVER) -> str:
    """Returns another driver."""
    inside = (
        f"<descEvento>Inclusao Condutor</descEvento><condutor><xNome>OUTRO</xNome><CPF>{cpf}</CPF></condutor>"
    )
    return f"<evIncCondutorMDFe>{inside}</evIncCondutorMDFe>"


def inclusion(
    protocol: str, keys: Sequence[str] = (NFE_KEY,), loading: str = "3550308", to: str = "3550308"
) -> str:
    """Returns the invoices of cargo that was loaded on the way."""
    documents = "".join(
        f"<infDoc><cMunDescarga>{to}</cMunDescarga><xMunDescarga>DESTINO</xMunDescarga><chNFe>{key}</chNFe></infDoc>"
        for key in keys
    )
    fields = (
        f"<descEvento>Inclusao DF-e</descEvento><nProt>{protocol}</nProt><cMunCarrega>{loading}</cMunCarrega>"
        "<xMunCarrega>ORIGEM</xMunCarrega>"
    )
    return f"<evIncDFeMDFe>{fields}{documents}</evIncDFeMDFe>"


INSTALLMENTS = (
    f"<infPag><CNPJ>{CNPJ}</CNPJ><Comp><tpComp>04</tpComp><vComp>3000.00</vComp></Comp>"
    "<vContrato>3000.00</vContrato><indPag>1</indPag><vAdiant>1000.00</vAdiant>"
    "<infPrazo><nParcela>001</nParcela><dVenc>2026-12-05</dVenc><vParcela>1000.00</vParcela></infPrazo>"
    "<infPrazo><nParcela>002</nParcela><dVenc>2026-12-20</dVenc><vParcela>1000.00</vParcela></infPrazo>"
    f"<infBanc><CNPJIPEF>{SUPPLIER}</CNPJIPEF></infBanc></infPag>"
)


def payment(protocol: str) -> str:
    """Returns the payment of an aggregated carrier."""
    fields = f"<descEvento>Pagamento Operacao MDF-e</descEvento><nProt>{protocol}</nProt>"
    trips = "<infViagens><qtdViagens>00003</qtdViagens><nroViagem>00001</nroViagem></infViagens>"
    return f"<evPagtoOperMDFe>{fields}{trips}{INSTALLMENTS}</evPagtoOperMDFe>"


def payment_change(protocol: str) -> str:
    """Returns another payment than that of the document."""
    fields = f"<descEvento>Alteracao Pagamento Servico MDFe</descEvento><nProt>{protocol}</nProt>"
    return f"<evAlteracaoPagtoServMDFe>{fields}{INSTALLMENTS}</evAlteracaoPagtoServMDFe>"


EVENT_TYPES = {
    "evCancMDFe": "110111",
    "evEncMDFe": "110112",
    "evIncCondutorMDFe": "110114",
    "evIncDFeMDFe": "110115",
    "evPagtoOperMDFe": "110116",
    "evAlteracaoPagtoServMDFe": "110118",
}


@dataclass
class MdfeClient:
    """A client of one company, with its own clock and controls."""

    store: Store
    trust: TrustedAuthorities
    signer: Signer
    certificate: bytes
    tax_id: str = CNPJ
    now: datetime = ISSUED_AT
    switches: dict[str, Any] = field(default_factory=dict)

    @property
    def context(self) -> RequestContext:
        return RequestContext(self.now, self.store, self.trust, Controls(**self.switches))

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.store)

    def read_call(self, where: ServicePath, body: bytes) -> IncomingCall | CallReply | None:
        return MDFE_FAMILY.read_call(where, self.request(body))

    def request(self, body: bytes) -> Request:
        return Request("POST", "", "", {}, body, self.certificate)

    def send_body(self, where: ServicePath, body: bytes) -> CallReply:
        """Sends a complete, readable request."""
        incoming = self.read_call(where, body)
        assert isinstance(incoming, IncomingCall), incoming
        with self.store.together():
            return MDFE_FAMILY.answer(where, incoming, self.request(body), self.context)

    def ask(self, where: ServicePath, message: bytes) -> CallReply:
        """Sends a message in its envelope."""
        return self.send_body(where, enclosed(where.service, message))

    def refused(self, where: ServicePath, message: bytes, code: str) -> CallReply:
        """Sends a message to an authority that refuses it with a code."""
        incoming = self.read_call(where, enclosed(where.service, message))
        assert isinstance(incoming, IncomingCall), incoming
        return MDFE_FAMILY.refuse(where, incoming, code, self.context)

    def send(self, document: bytes, environment: str = HOMOLOGATION) -> CallReply:
        return self.ask(service_path(RECEPTION, environment), document)

    def authorized(self, document: bytes, environment: str = HOMOLOGATION) -> StoredDocument:
        """Sends a document that must be authorized."""
        answer = self.send(document, environment)
        assert answer.code == "100", answer.message
        stored = self.ledger.document(environment, key_in(etree.fromstring(document)))
        assert stored
        return stored

    def consult(self, key: str) -> CallReply:
        return self.ask(service_path(CONSULT), consult_query(key))

    def open_ones(self, tax_id: str = "", environment: str = HOMOLOGATION) -> CallReply:
        """Asks for the open MDF-e of this company, or of another one."""
        return self.ask(service_path(OPEN, environment), open_query(tax_id or self.tax_id, environment))

    def signed_event(self, key: str, payload: str, sequence: int = 1) -> bytes:
        """Returns an event of this company that happens now, signed."""
        event_type = EVENT_TYPES[etree.fromstring(payload).tag]
        tag = "CNPJ" if len(self.tax_id) == 14 else "CPF"
        fields = (
            f"<cOrgao>{key[:2]}</cOrgao><tpAmb>2</tpAmb><{tag}>{self.tax_id}</{tag}><chMDFe>{key}</chMDFe>"
            f"<dhEvento>{self.now.isoformat()}</dhEvento><tpEvento>{event_type}</tpEvento>"
            f"<nSeqEvento>{sequence}</nSeqEvento>"
        )
        detail = f'<detEvento versaoEvento="3.00">{payload}</detEvento>'
        content = f'<infEvento Id="ID{event_type}{key}{sequence:03d}">{fields}{detail}</infEvento>'
        signature = f'<Signature xmlns="{DS[1:-1]}"/>'
        root = etree.fromstring(
            f'<eventoMDFe xmlns="{NAMESPACE}" versao="3.00">{content}{signature}</eventoMDFe>'
        )
        sign_again(root, root[0], self.signer)
        return etree.tostring(root)

    def send_event(self, document: StoredDocument, payload: str, sequence: int = 1) -> CallReply:
        event = self.signed_event(document.access_key, payload, sequence)
        return self.ask(service_path(EVENT), event)

    def cancel(self, document: StoredDocument) -> CallReply:
        return self.send_event(document, cancellation(document.protocol))

    def close(self, document: StoredDocument, **changes: Any) -> CallReply:
        """Closes a document on the day of the client's clock."""
        return self.send_event(document, closing(document.protocol, **{"on": self.now.date()} | changes))


def text_of(answer: CallReply, path: str) -> str:
    """Returns a text of an answer by its path, like `protMDFe/infProt/cStat`."""
    steps = "/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/"))
    return message_of(answer).findtext(steps) or ""
