"""A counter at which the authorities of NF-e and NFC-e are asked, over one store and without a network."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.events import Detail, Event
from carimbo.fiscal.layouts.nfe_v4.inutilization import Inutilization, signed_inutilization
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.schemas.files import compiled, files_in_force
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.soap import envelope, open_envelope
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import Heard, Said, World
from carimbo.simulator.http import Request
from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.nfe.dialect import NAMESPACE
from carimbo.simulator.nfe.family import NFCE, NFE
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.sefaz.family import SefazFamily
from carimbo.simulator.store import Store
from carimbo.simulator.trust import Trust
from nfe_dialect import authorization_lot, distribution_after, event_lot, key_query, status_query
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT

REASON = "Erro de digitação no pedido do cliente"
AUTHORIZATION, RECEIPT, CONSULT = "NFeAutorizacao4", "NFeRetAutorizacao4", "NFeConsultaProtocolo4"
STATUS, INUTILIZATION, EVENT = "NFeStatusServico4", "NFeInutilizacao4", "NFeRecepcaoEvento4"
REGISTRY, DISTRIBUTION = "CadConsultaCadastro4", "NFeDistribuicaoDFe"

RANGE = Inutilization(
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


def place(service: str, authorizer: str = "SP", family: str = "nfe") -> Place:
    """Where a service of homologation is."""
    return Place(authorizer, HOMOLOGATION, family, service)


def enclosed(service: str, message: bytes) -> bytes:
    """A message as a client sends it."""
    namespace = f"{NAMESPACE}/wsdl/{service}"
    if service != DISTRIBUTION:
        return envelope(namespace, message, "nfeDadosMsg")
    inside = b"<nfeDadosMsg>" + message + b"</nfeDadosMsg>"
    return envelope(namespace, inside, "nfeDistDFeInteresse")


def der(certificate: SampleCertificate) -> bytes:
    """A certificate as the connection shows it."""
    return certificate.certificate.public_bytes(Encoding.DER)


@dataclass
class Counter:
    """Clients of one company, at one moment after the other."""

    store: Store
    trust: Trust
    signer: Signer
    certificate: bytes
    now: datetime = ISSUED_AT
    switches: dict[str, Any] = field(default_factory=dict)

    @property
    def world(self) -> World:
        return World(self.now, self.store, self.trust, Controls(**self.switches))

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.store)

    def hear(self, where: Place, body: bytes) -> tuple[SefazFamily, Request, Heard | Said | None]:
        family = NFCE if where.family == "nfce" else NFE
        request = Request("POST", "", "", {}, body, self.certificate)
        return family, request, family.hear(where, request)

    def say(self, where: Place, body: bytes) -> Said:
        """Send a whole request that can be understood."""
        family, request, heard = self.hear(where, body)
        assert isinstance(heard, Heard), heard
        with self.store.together():
            return family.answer(where, heard, request, self.world)

    def ask(self, where: Place, message: bytes) -> Said:
        """Send a message in its envelope."""
        return self.say(where, enclosed(where.service, message))

    def refused(self, where: Place, message: bytes, code: str) -> Said:
        """Send a message to an authority that has been told what to answer."""
        family, _, heard = self.hear(where, enclosed(where.service, message))
        assert isinstance(heard, Heard), heard
        return family.refuse(where, heard, code, self.world)

    def send(self, *documents: bytes, authorizer: str = "SP", family: str = "nfe") -> Said:
        """Send documents to be authorised."""
        lot = authorization_lot(1, documents)
        return self.ask(place(AUTHORIZATION, authorizer, family), lot)

    def authorised(self, document: bytes, authorizer: str = "SP", family: str = "nfe") -> StoredDocument:
        """Have a document authorised, which must work."""
        said = self.send(document, authorizer=authorizer, family=family)
        assert said.code in ("100", "150"), said.reply.body.decode()
        found = self.ledger.document(HOMOLOGATION, key_of(document))
        assert found
        return found

    def consult(self, key: str, authorizer: str = "SP", family: str = "nfe") -> Said:
        return self.ask(place(CONSULT, authorizer, family), key_query("2", AccessKey.parse(key)))

    def status(self, state_code: str, authorizer: str, family: str = "nfe") -> Said:
        return self.ask(place(STATUS, authorizer, family), status_query("2", state_code))

    def tell(self, event: Event, authorizer: str = "SP", family: str = "nfe") -> Said:
        """Tell an event, signed by the company."""
        lot = event_lot(1, [signed_event(event, self.signer)])
        return self.ask(place(EVENT, authorizer, family), lot)

    def void(self, asked: Inutilization, authorizer: str = "SP", family: str = "nfe") -> Said:
        signed = signed_inutilization(asked, self.signer)
        return self.ask(place(INUTILIZATION, authorizer, family), signed)

    def distributed(self, tax_id: str, last_nsu: int = 0) -> Said:
        message = distribution_after("2", "35", tax_id, last_nsu)
        return self.ask(place(DISTRIBUTION, "AN"), message)

    def event(self, key: str, detail: Detail, *, by: str = CNPJ, sequence: int = 1) -> Event:
        """Something that happens to a document now."""
        organ = "91" if detail.event_type.startswith("2") else key[:2]
        return Event(organ, "2", by, AccessKey.parse(key), self.now, sequence, detail)


def key_of(document: bytes) -> str:
    """The key that a document has in its Id."""
    signed = etree.fromstring(document).find(f"{{{NAMESPACE}}}infNFe")
    assert signed is not None
    return signed.get("Id", "")[3:]


def message_of(said: Said) -> etree._Element:
    """The message of an answer, as root of a tree of its own."""
    assert said.reply.status == 200
    found = open_envelope(said.reply.body)
    assert isinstance(found, etree._Element), found
    return etree.fromstring(etree.tostring(found, with_tail=False))


def text_of(said: Said, path: str) -> str:
    """A text of an answer: `protNFe/infProt/cStat`."""
    steps = "/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/"))
    return message_of(said).findtext(steps) or ""


@cache
def schema(kind: Schema) -> etree.XMLSchema:
    return compiled(files_in_force(None)[kind])


def faults(said: Said, kind: Schema) -> list[str]:
    """What the official XSD of an answer finds wrong with it."""
    checked: Any = schema(kind)
    checked.validate(message_of(said))
    return [error.message for error in checked.error_log]
