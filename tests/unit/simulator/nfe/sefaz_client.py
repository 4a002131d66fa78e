"""A client that calls the NF-e and NFC-e authorities directly, without a network."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.events import Detail, InvoiceEvent
from carimbo.fiscal.layouts.nfe_v4.inutilization import InutilizationRange, signed_inutilization
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.layouts.soap import envelope, open_envelope
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.fiscal.schemas.files import Schema, compile_schema, files_in_force
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import HOMOLOGATION, CallReply, IncomingCall, RequestContext, ServicePath
from carimbo.simulator.http import Request
from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.nfe.dialect import NAMESPACE
from carimbo.simulator.nfe.family import NFCE_FAMILY, NFE_FAMILY
from carimbo.simulator.sefaz.family import SimulatedSefazFamily
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from nfe_dialect import authorization_lot, distribution_after, event_lot, key_query, status_query
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT

REASON = "Erro de digitação no pedido do cliente"
AUTHORIZATION, RECEIPT, CONSULT = "NFeAutorizacao4", "NFeRetAutorizacao4", "NFeConsultaProtocolo4"
STATUS, INUTILIZATION, EVENT = "NFeStatusServico4", "NFeInutilizacao4", "NFeRecepcaoEvento4"
REGISTRY, DISTRIBUTION = "CadConsultaCadastro4", "NFeDistribuicaoDFe"

RANGE = InutilizationRange(
    environment="2",
    state_code="35",
    year="26",
    cnpj=CNPJ,
    model="55",
    series=1,
    first_number=3,
    last_number=12,
    reason=REASON,
)


def service_path(service: str, authorizer: str = "SP", family: str = "nfe") -> ServicePath:
    """Returns the path of a service in homologation."""
    return ServicePath(authorizer, HOMOLOGATION, family, service)


def enclosed(service: str, message: bytes) -> bytes:
    """Returns a message in its SOAP envelope."""
    namespace = f"{NAMESPACE}/wsdl/{service}"
    if service != DISTRIBUTION:
        return envelope(namespace, message, "nfeDadosMsg")
    inside = b"<nfeDadosMsg>" + message + b"</nfeDadosMsg>"
    return envelope(namespace, inside, "nfeDistDFeInteresse")


def der(certificate: SampleCertificate) -> bytes:
    """Returns a certificate as the TLS connection shows it."""
    return certificate.certificate.public_bytes(Encoding.DER)


@dataclass
class SefazClient:
    """A client of one company, with its own clock and controls."""

    store: Store
    trust: TrustedAuthorities
    signer: Signer
    certificate: bytes
    now: datetime = ISSUED_AT
    switches: dict[str, Any] = field(default_factory=dict)

    @property
    def context(self) -> RequestContext:
        return RequestContext(self.now, self.store, self.trust, Controls(**self.switches))

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.store)

    def read_call(
        self, where: ServicePath, body: bytes
    ) -> tuple[SimulatedSefazFamily, Request, IncomingCall | CallReply | None]:
        family = NFCE_FAMILY if where.family == "nfce" else NFE_FAMILY
        request = Request("POST", "", "", {}, body, self.certificate)
        return family, request, family.read_call(where, request)

    def send_body(self, where: ServicePath, body: bytes) -> CallReply:
        """Sends a complete, readable request."""
        family, request, incoming = self.read_call(where, body)
        assert isinstance(incoming, IncomingCall), incoming
        with self.store.together():
            return family.answer(where, incoming, request, self.context)

    def ask(self, where: ServicePath, message: bytes) -> CallReply:
        """Sends a message in its envelope."""
        return self.send_body(where, enclosed(where.service, message))

    def refused(self, where: ServicePath, message: bytes, code: str) -> CallReply:
        """Sends a message to an authority that refuses it with a code."""
        family, _, incoming = self.read_call(where, enclosed(where.service, message))
        assert isinstance(incoming, IncomingCall), incoming
        return family.refuse(where, incoming, code, self.context)

    def send(self, *documents: bytes, authorizer: str = "SP", family: str = "nfe") -> CallReply:
        """Sends documents for authorization."""
        lot = authorization_lot(1, documents)
        return self.ask(service_path(AUTHORIZATION, authorizer, family), lot)

    def authorized(self, document: bytes, authorizer: str = "SP", family: str = "nfe") -> StoredDocument:
        """Sends a document that must be authorized."""
        answer = self.send(document, authorizer=authorizer, family=family)
        assert answer.code in ("100", "150"), answer.reply.body.decode()
        stored = self.ledger.document(HOMOLOGATION, key_of(document))
        assert stored
        return stored

    def consult(self, key: str, authorizer: str = "SP", family: str = "nfe") -> CallReply:
        return self.ask(service_path(CONSULT, authorizer, family), key_query("2", AccessKey.parse(key)))

    def status(self, state_code: str, authorizer: str, family: str = "nfe") -> CallReply:
        return self.ask(service_path(STATUS, authorizer, family), status_query("2", state_code))

    def send_event(self, event: InvoiceEvent, authorizer: str = "SP", family: str = "nfe") -> CallReply:
        """Sends an event, signed by the company."""
        lot = event_lot(1, [signed_event(event, self.signer)])
        return self.ask(service_path(EVENT, authorizer, family), lot)

    def inutilize(
        self, inutilized: InutilizationRange, authorizer: str = "SP", family: str = "nfe"
    ) -> CallReply:
        signed = signed_inutilization(inutilized, self.signer)
        return self.ask(service_path(INUTILIZATION, authorizer, family), signed)

    def distributed(self, tax_id: str, last_nsu: int = 0) -> CallReply:
        message = distribution_after("2", "35", tax_id, last_nsu)
        return self.ask(service_path(DISTRIBUTION, "AN"), message)

    def event(self, key: str, detail: Detail, *, by: str = CNPJ, sequence: int = 1) -> InvoiceEvent:
        """Returns an event that happens now."""
        organ = "91" if detail.event_type.startswith("2") else key[:2]
        return InvoiceEvent(organ, "2", by, AccessKey.parse(key), self.now, sequence, detail)


def key_of(document: bytes) -> str:
    """Returns the key in the Id of a document."""
    signed = etree.fromstring(document).find(f"{{{NAMESPACE}}}infNFe")
    assert signed is not None
    return signed.get("Id", "")[3:]


def message_of(answer: CallReply) -> etree._Element:
    """Returns the message of an answer as the root of its own tree."""
    assert answer.reply.status == 200
    message = open_envelope(answer.reply.body)
    assert isinstance(message, etree._Element), message
    return etree.fromstring(etree.tostring(message, with_tail=False))


def text_of(answer: CallReply, path: str) -> str:
    """Returns a text of an answer by its path, like `protNFe/infProt/cStat`."""
    steps = "/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/"))
    return message_of(answer).findtext(steps) or ""


@cache
def schema(schema_name: Schema) -> etree.XMLSchema:
    return compile_schema(files_in_force(None)[schema_name])


def schema_errors(answer: CallReply, schema_name: Schema) -> list[str]:
    """Returns the errors of an answer against its official XSD."""
    xsd: Any = schema(schema_name)
    xsd.validate(message_of(answer))
    return [error.message for error in xsd.error_log]
