"""A second SEFAZ family needs only its dialect and its rules: see `toy.wagon.simulated`."""

import gzip
from base64 import b64encode
from dataclasses import dataclass, replace
from datetime import datetime

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import HOMOLOGATION, CallReply, IncomingCall, RequestContext, ServicePath
from carimbo.simulator.http import ConnectionClosed, Request
from carimbo.simulator.identifiers import check_digit
from carimbo.simulator.ledger import DocumentStatus, Ledger
from carimbo.simulator.program.site import Site
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from support import CNPJ
from toy.wagon.simulated import NAMESPACE, TOY_FAMILY
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.nfe.sefaz_client import der

RECEPTION, CONSULT, STATUS, EVENT = (
    "MDFeRecepcaoSinc",
    "MDFeConsulta",
    "MDFeStatusServico",
    "MDFeRecepcaoEvento",
)
HEADER = "<cUF>35</cUF><versaoDados>1.00</versaoDados>"
SOAP = "http://www.w3.org/2003/05/soap-envelope"


def key_of(number: int, numeric_code: str = "12345678") -> str:
    first = f"352611{CNPJ}58001{number:09d}1{numeric_code}"
    return first + check_digit(first)


def service_path(service: str) -> ServicePath:
    return ServicePath("SVRS", HOMOLOGATION, "wagon", service)


def enclosed(service: str, inside: str, header: str) -> bytes:
    """Returns a message in its envelope, with a header if given."""
    namespace = f"{NAMESPACE}/wsdl/{service}"
    head = f'<s:Header><toyCabecMsg xmlns="{namespace}">{header}</toyCabecMsg></s:Header>' if header else ""
    body = f'<s:Body><toyDadosMsg xmlns="{namespace}">{inside}</toyDadosMsg></s:Body>'
    return f'<s:Envelope xmlns:s="{SOAP}">{head}{body}</s:Envelope>'.encode()


@dataclass(frozen=True)
class Client:
    """A company that sends toys."""

    store: Store
    trust: TrustedAuthorities
    signer: Signer
    certificate: bytes
    now: datetime = ISSUED_AT

    def signed(self, tag: str, content: str) -> str:
        """Returns an element with signed content."""
        part = etree.fromstring(content)
        canonical = etree.tostring(part, method="c14n")
        signature = self.signer.sign(canonical, part.get("Id", "")).text.decode()
        return f'<{tag} xmlns="{NAMESPACE}" versao="1.00">{canonical.decode()}{signature}</{tag}>'

    def toy(self, key: str, notes: str = "none") -> str:
        ide = (
            f"<cUF>35</cUF><cToy>{key[35:43]}</cToy><mod>58</mod><serie>1</serie><nToy>{int(key[25:34])}</nToy>"
            f"<cDV>{key[43]}</cDV><dhEmi>{ISSUED_AT.isoformat()}</dhEmi><tpEmis>1</tpEmis><tpAmb>2</tpAmb>"
            f"<notes>{notes}</notes>"
        )
        emit = f"<emit><CNPJ>{CNPJ}</CNPJ></emit>"
        content = f'<infToy xmlns="{NAMESPACE}" Id="Toy{key}"><ide>{ide}</ide>{emit}</infToy>'
        return self.signed("Toy", content)

    def closing(self, key: str, protocol: str, sequence: int = 1) -> str:
        fields = (
            f"<cOrgao>35</cOrgao><tpAmb>2</tpAmb><CNPJ>{CNPJ}</CNPJ><chToy>{key}</chToy>"
            f"<dhEvento>{self.now.isoformat()}</dhEvento><tpEvento>110112</tpEvento>"
            f"<nSeqEvento>{sequence}</nSeqEvento>"
        )
        detail = f"<detEvento><evEncToy><nProt>{protocol}</nProt></evEncToy></detEvento>"
        event_id = f"ID110112{key}{sequence:03d}"
        content = f'<infEvento xmlns="{NAMESPACE}" Id="{event_id}">{fields}{detail}</infEvento>'
        return self.signed("eventoToy", content)

    def ask(self, service: str, inside: str, header: str = HEADER) -> CallReply:
        request = Request("POST", "", "", {}, enclosed(service, inside, header), self.certificate)
        incoming = TOY_FAMILY.read_call(service_path(service), request)
        assert isinstance(incoming, IncomingCall), incoming
        context = RequestContext(self.now, self.store, self.trust, Controls())
        with self.store.together():
            return TOY_FAMILY.answer(service_path(service), incoming, request, context)

    def send(self, toy: str) -> CallReply:
        return self.ask(RECEPTION, b64encode(gzip.compress(toy.encode())).decode(), header="")

    def consult(self, key: str) -> CallReply:
        fields = f"<tpAmb>2</tpAmb><xServ>CONSULTAR</xServ><chToy>{key}</chToy>"
        return self.ask(CONSULT, f'<consSitToy xmlns="{NAMESPACE}" versao="1.00">{fields}</consSitToy>')

    def status(self, header: str = HEADER) -> CallReply:
        fields = "<tpAmb>2</tpAmb><xServ>STATUS</xServ>"
        query = f'<consStatServToy xmlns="{NAMESPACE}" versao="1.00">{fields}</consStatServToy>'
        return self.ask(STATUS, query, header)

    def close(self, key: str, protocol: str, sequence: int = 1) -> CallReply:
        return self.ask(EVENT, self.closing(key, protocol, sequence))

    def protocol_of(self, key: str) -> str:
        stored = Ledger(self.store).document(HOMOLOGATION, key)
        assert stored
        return stored.protocol


@pytest.fixture
def client(
    store: Store, trust: TrustedAuthorities, signer: Signer, lasting_certificate: SampleCertificate
) -> Client:
    return Client(store, trust, signer, der(lasting_certificate))


def text_of(answer: CallReply, tag: str) -> str:
    return etree.fromstring(answer.reply.body).findtext(f".//{{{NAMESPACE}}}{tag}") or ""


class TestReception:
    def test_zipped_document_is_authorized_and_stored(self, client: Client) -> None:
        answer = client.send(client.toy(key_of(1)))
        assert answer.code == "100"
        assert b"<toyRecepcaoResult" in answer.reply.body
        assert b"<retToy " in answer.reply.body
        assert b"<protToy " in answer.reply.body
        assert text_of(answer, "chToy") == key_of(1)
        assert text_of(answer, "nProt") == client.protocol_of(key_of(1)) == "135260000000001"

    def test_same_document_again_is_refused_with_its_protocol(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        answer = client.send(client.toy(key_of(1)))
        assert answer.code == "204"
        assert f"[nProt:{client.protocol_of(key_of(1))}]" in answer.message

    def test_number_in_use_is_refused_with_the_key_that_has_it(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        answer = client.send(client.toy(key_of(1, numeric_code="87654321")))
        assert answer.code == "539"
        assert f"[chToy:{key_of(1)}]" in answer.message

    def test_rule_of_the_family_refuses_the_document(self, client: Client) -> None:
        assert client.send(client.toy(key_of(1), notes="broken")).code == "612"

    def test_changed_document_is_refused_by_its_signature(self, client: Client) -> None:
        assert client.send(client.toy(key_of(1)).replace("none", "some")).code == "297"

    def test_message_that_is_not_zipped_is_refused_as_a_whole(self, client: Client) -> None:
        answer = client.ask(RECEPTION, "not zipped", header="")
        assert answer.code == "244"
        assert b"protToy" not in answer.reply.body


class TestEvents:
    def test_event_is_registered_and_closes_the_document(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        answer = client.close(key_of(1), client.protocol_of(key_of(1)))
        assert answer.code == "135"
        assert b"<retEventoToy " in answer.reply.body
        assert text_of(answer, "xEvento") == "Encerramento registrado"
        stored = Ledger(client.store).document(HOMOLOGATION, key_of(1))
        assert stored
        assert stored.status is DocumentStatus.CLOSED

    def test_repeated_event_is_refused_with_its_protocol(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        protocol = client.protocol_of(key_of(1))
        registered = client.close(key_of(1), protocol)
        answer = client.close(key_of(1), protocol)
        assert answer.code == "631"
        assert f"[nProt:{text_of(registered, 'nProt')}]" in answer.message

    def test_event_that_the_status_does_not_allow_is_refused(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        protocol = client.protocol_of(key_of(1))
        client.close(key_of(1), protocol)
        assert client.close(key_of(1), protocol, sequence=2).code == "609"

    def test_event_of_an_unknown_document_is_refused(self, client: Client) -> None:
        assert client.close(key_of(1), "135260000000001").code == "217"

    def test_event_with_another_protocol_is_refused(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        assert client.close(key_of(1), "135260000000009").code == "222"


class TestConsult:
    def test_authorized_document_is_answered_with_its_protocol(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        answer = client.consult(key_of(1))
        assert answer.code == "100"
        assert b"<retConsSitToy " in answer.reply.body
        assert text_of(answer, "nProt") == client.protocol_of(key_of(1))

    def test_closed_document_is_answered_with_its_status_and_event(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        client.close(key_of(1), client.protocol_of(key_of(1)))
        answer = client.consult(key_of(1))
        assert answer.code == "132"
        assert b"<procEventoToy " in answer.reply.body

    def test_unknown_document_is_not_found(self, client: Client) -> None:
        assert client.consult(key_of(1)).code == "217"

    def test_too_many_queries_are_refused_with_the_code_of_the_family(self, client: Client) -> None:
        codes = [client.consult(key_of(1)).code for _ in range(11)]
        assert codes == ["217"] * 10 + ["678"]


class TestStatus:
    def test_status_is_answered_without_a_state(self, client: Client) -> None:
        answer = client.status()
        assert answer.code == "107"
        assert b"<retConsStatServToy " in answer.reply.body

    @pytest.mark.parametrize(
        ("header", "code"),
        [("", "242"), ("<versaoDados>1.00</versaoDados>", "409"), ("<cUF>35</cUF>", "411")],
    )
    def test_incomplete_header_is_refused(self, header: str, code: str, client: Client) -> None:
        assert client.status(header).code == code

    def test_sender_without_certificate_is_refused(self, client: Client) -> None:
        assert replace(client, certificate=b"").status().code == "280"


class TestSite:
    async def test_family_is_served_and_described(self, client: Client) -> None:
        site = Site(client.store, lambda: client.trust, lambda: client.now, (TOY_FAMILY,))
        shown = await site.answer(Request("GET", f"/svrs/wagon/{RECEPTION}", "wsdl", {}, b"", None))
        assert not isinstance(shown, ConnectionClosed)
        assert b'<s:element name="toyDadosMsg" type="s:string"/>' in shown.body
        assert b"toyCabecMsg" not in shown.body
        assert site.directory["SVRS"] == {"wagon": sorted((RECEPTION, CONSULT, STATUS, EVENT))}

    async def test_wsdl_of_a_service_with_a_header_describes_it(self, client: Client) -> None:
        site = Site(client.store, lambda: client.trust, lambda: client.now, (TOY_FAMILY,))
        shown = await site.answer(Request("GET", f"/svrs/wagon/{STATUS}", "wsdl", {}, b"", None))
        assert not isinstance(shown, ConnectionClosed)
        assert b'<soap12:header message="tns:Header" part="toyCabecMsg" use="literal"/>' in shown.body
        assert b'<wsdl:part name="toyCabecMsg" element="tns:toyCabecMsg"/>' in shown.body

    async def test_call_is_in_the_journal_under_its_key(self, client: Client) -> None:
        site = Site(client.store, lambda: client.trust, lambda: client.now, (TOY_FAMILY,))
        zipped = b64encode(gzip.compress(client.toy(key_of(1)).encode())).decode()
        body = enclosed(RECEPTION, zipped, header="")
        reply = await site.answer(
            Request("POST", f"/svrs/wagon/{RECEPTION}", "", {}, body, client.certificate)
        )
        assert not isinstance(reply, ConnectionClosed)
        [entry] = site.journal.entries(key=key_of(1))
        assert (entry.subject, entry.code) == (key_of(1), "100")

    def test_document_is_returned_with_its_protocol(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        stored = Ledger(client.store).document(HOMOLOGATION, key_of(1))
        assert stored
        assert (TOY_FAMILY.archived_document(stored) or b"").startswith(b"<toyProc ")
