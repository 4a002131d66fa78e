"""A second SEFAZ family joins the simulator with its words and its rules alone: see `toy.wagon.simulated`."""

import gzip
from base64 import b64encode
from dataclasses import dataclass, replace
from datetime import datetime

import pytest
from lxml import etree

from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.fiscal.signature import Signer
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import Heard, Said, World
from carimbo.simulator.http import HungUp, Request
from carimbo.simulator.keys import check_digit
from carimbo.simulator.ledger import DocumentStatus, Ledger
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.site import Site
from carimbo.simulator.store import Store
from carimbo.simulator.trust import Trust
from support import CNPJ
from toy.wagon.simulated import NAMESPACE, TOY_FAMILY
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.nfe.counter import der

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


def place(service: str) -> Place:
    return Place("SVRS", HOMOLOGATION, "wagon", service)


def enclosed(service: str, inside: str, header: str) -> bytes:
    """A message in its envelope; with a header if there is one."""
    namespace = f"{NAMESPACE}/wsdl/{service}"
    head = f'<s:Header><toyCabecMsg xmlns="{namespace}">{header}</toyCabecMsg></s:Header>' if header else ""
    body = f'<s:Body><toyDadosMsg xmlns="{namespace}">{inside}</toyDadosMsg></s:Body>'
    return f'<s:Envelope xmlns:s="{SOAP}">{head}{body}</s:Envelope>'.encode()


@dataclass(frozen=True)
class Client:
    """A company that sends toys."""

    store: Store
    trust: Trust
    signer: Signer
    certificate: bytes
    now: datetime = ISSUED_AT

    def signed(self, tag: str, content: str) -> str:
        """An element around signed content."""
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

    def ask(self, service: str, inside: str, header: str = HEADER) -> Said:
        request = Request("POST", "", "", {}, enclosed(service, inside, header), self.certificate)
        heard = TOY_FAMILY.hear(place(service), request)
        assert isinstance(heard, Heard), heard
        world = World(self.now, self.store, self.trust, Controls())
        with self.store.together():
            return TOY_FAMILY.answer(place(service), heard, request, world)

    def send(self, toy: str) -> Said:
        return self.ask(RECEPTION, b64encode(gzip.compress(toy.encode())).decode(), header="")

    def consult(self, key: str) -> Said:
        fields = f"<tpAmb>2</tpAmb><xServ>CONSULTAR</xServ><chToy>{key}</chToy>"
        return self.ask(CONSULT, f'<consSitToy xmlns="{NAMESPACE}" versao="1.00">{fields}</consSitToy>')

    def status(self, header: str = HEADER) -> Said:
        fields = "<tpAmb>2</tpAmb><xServ>STATUS</xServ>"
        asked = f'<consStatServToy xmlns="{NAMESPACE}" versao="1.00">{fields}</consStatServToy>'
        return self.ask(STATUS, asked, header)

    def close(self, key: str, protocol: str, sequence: int = 1) -> Said:
        return self.ask(EVENT, self.closing(key, protocol, sequence))

    def protocol_of(self, key: str) -> str:
        stored = Ledger(self.store).document(HOMOLOGATION, key)
        assert stored
        return stored.protocol


@pytest.fixture
def client(store: Store, trust: Trust, signer: Signer, lasting_certificate: SampleCertificate) -> Client:
    return Client(store, trust, signer, der(lasting_certificate))


def text_of(said: Said, tag: str) -> str:
    return etree.fromstring(said.reply.body).findtext(f".//{{{NAMESPACE}}}{tag}") or ""


class TestReception:
    def test_a_zipped_document_is_authorized_and_kept(self, client: Client) -> None:
        said = client.send(client.toy(key_of(1)))
        assert said.code == "100"
        assert b"<toyRecepcaoResult" in said.reply.body
        assert b"<retToy " in said.reply.body
        assert b"<protToy " in said.reply.body
        assert text_of(said, "chToy") == key_of(1)
        assert text_of(said, "nProt") == client.protocol_of(key_of(1)) == "135260000000001"

    def test_the_same_document_is_refused_with_its_protocol(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        said = client.send(client.toy(key_of(1)))
        assert said.code == "204"
        assert f"[nProt:{client.protocol_of(key_of(1))}]" in said.message

    def test_a_number_in_use_is_refused_with_the_key_that_has_it(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        said = client.send(client.toy(key_of(1, numeric_code="87654321")))
        assert said.code == "539"
        assert f"[chToy:{key_of(1)}]" in said.message

    def test_the_rule_of_the_family_refuses(self, client: Client) -> None:
        assert client.send(client.toy(key_of(1), notes="broken")).code == "612"

    def test_a_changed_document_is_refused_by_its_signature(self, client: Client) -> None:
        assert client.send(client.toy(key_of(1)).replace("none", "some")).code == "297"

    def test_a_message_that_is_not_zipped_is_refused_as_a_whole(self, client: Client) -> None:
        said = client.ask(RECEPTION, "not zipped", header="")
        assert said.code == "244"
        assert b"protToy" not in said.reply.body


class TestEvents:
    def test_an_event_is_registered_and_closes_the_document(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        said = client.close(key_of(1), client.protocol_of(key_of(1)))
        assert said.code == "135"
        assert b"<retEventoToy " in said.reply.body
        assert text_of(said, "xEvento") == "Encerramento registrado"
        stored = Ledger(client.store).document(HOMOLOGATION, key_of(1))
        assert stored
        assert stored.status is DocumentStatus.CLOSED

    def test_a_repeated_event_is_refused_with_its_protocol(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        protocol = client.protocol_of(key_of(1))
        registered = client.close(key_of(1), protocol)
        said = client.close(key_of(1), protocol)
        assert said.code == "631"
        assert f"[nProt:{text_of(registered, 'nProt')}]" in said.message

    def test_a_state_that_does_not_allow_the_event_refuses_it(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        protocol = client.protocol_of(key_of(1))
        client.close(key_of(1), protocol)
        assert client.close(key_of(1), protocol, sequence=2).code == "609"

    def test_an_event_of_an_unknown_document_is_refused(self, client: Client) -> None:
        assert client.close(key_of(1), "135260000000001").code == "217"

    def test_an_event_with_another_protocol_is_refused(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        assert client.close(key_of(1), "135260000000009").code == "222"


class TestConsult:
    def test_an_authorized_document_is_answered_with_its_protocol(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        said = client.consult(key_of(1))
        assert said.code == "100"
        assert b"<retConsSitToy " in said.reply.body
        assert text_of(said, "nProt") == client.protocol_of(key_of(1))

    def test_a_closed_document_is_answered_with_its_state_and_its_event(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        client.close(key_of(1), client.protocol_of(key_of(1)))
        said = client.consult(key_of(1))
        assert said.code == "132"
        assert b"<procEventoToy " in said.reply.body

    def test_an_unknown_document_is_not_found(self, client: Client) -> None:
        assert client.consult(key_of(1)).code == "217"

    def test_too_many_consults_are_refused_with_the_code_of_the_family(self, client: Client) -> None:
        codes = [client.consult(key_of(1)).code for _ in range(11)]
        assert codes == ["217"] * 10 + ["678"]


class TestStatus:
    def test_the_service_answers_without_a_state(self, client: Client) -> None:
        said = client.status()
        assert said.code == "107"
        assert b"<retConsStatServToy " in said.reply.body

    @pytest.mark.parametrize(
        ("header", "code"),
        [("", "242"), ("<versaoDados>1.00</versaoDados>", "409"), ("<cUF>35</cUF>", "411")],
    )
    def test_an_incomplete_header_is_refused(self, header: str, code: str, client: Client) -> None:
        assert client.status(header).code == code

    def test_a_stranger_is_refused(self, client: Client) -> None:
        assert replace(client, certificate=b"").status().code == "280"


class TestSite:
    async def test_the_family_is_served_and_described(self, client: Client) -> None:
        site = Site(client.store, lambda: client.trust, lambda: client.now, (TOY_FAMILY,))
        shown = await site.answer(Request("GET", f"/svrs/wagon/{RECEPTION}", "wsdl", {}, b"", None))
        assert not isinstance(shown, HungUp)
        assert b'<s:element name="toyDadosMsg" type="s:string"/>' in shown.body
        assert b"toyCabecMsg" not in shown.body
        assert site.directory["SVRS"] == {"wagon": sorted((RECEPTION, CONSULT, STATUS, EVENT))}

    async def test_the_wsdl_of_a_service_with_a_header_describes_it(self, client: Client) -> None:
        site = Site(client.store, lambda: client.trust, lambda: client.now, (TOY_FAMILY,))
        shown = await site.answer(Request("GET", f"/svrs/wagon/{STATUS}", "wsdl", {}, b"", None))
        assert not isinstance(shown, HungUp)
        assert b'<soap12:header message="tns:Header" part="toyCabecMsg" use="literal"/>' in shown.body
        assert b'<wsdl:part name="toyCabecMsg" element="tns:toyCabecMsg"/>' in shown.body

    async def test_a_call_is_journaled_under_its_key(self, client: Client) -> None:
        site = Site(client.store, lambda: client.trust, lambda: client.now, (TOY_FAMILY,))
        zipped = b64encode(gzip.compress(client.toy(key_of(1)).encode())).decode()
        body = enclosed(RECEPTION, zipped, header="")
        reply = await site.answer(
            Request("POST", f"/svrs/wagon/{RECEPTION}", "", {}, body, client.certificate)
        )
        assert not isinstance(reply, HungUp)
        [entry] = site.journal.entries(key=key_of(1))
        assert (entry.subject, entry.code) == (key_of(1), "100")

    def test_a_document_is_handed_out_with_its_protocol(self, client: Client) -> None:
        client.send(client.toy(key_of(1)))
        stored = Ledger(client.store).document(HOMOLOGATION, key_of(1))
        assert stored
        assert (TOY_FAMILY.hand_out(stored) or b"").startswith(b"<toyProc ")
