"""Requests, files and events of a family that is not NF-e."""

import base64
import gzip

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.layouts.sefaz import messages
from carimbo.fiscal.layouts.sefaz.archived import read_archived_event
from carimbo.fiscal.layouts.sefaz.events import event_identity, issue, signed_event
from carimbo.fiscal.problems import Problem
from support import CNPJ
from toy_dialect import CLOSING, KEY, NAMESPACE, TOY, event_answer, signed_toy_event, toy_event

HEAD = f'xmlns="{NAMESPACE}" versao='
DOCUMENT = f'<ToyOS xmlns="{NAMESPACE}">assinado</ToyOS>'.encode()
DECLARED = b'<?xml version="1.0" encoding="UTF-8"?>\n' + DOCUMENT


class TestReception:
    def test_reception_is_the_document_alone_zipped(self) -> None:
        sent = messages.reception(TOY, 1, DECLARED)
        assert gzip.decompress(base64.b64decode(sent)) == DOCUMENT

    def test_reception_is_the_same_when_it_is_sent_again(self) -> None:
        assert messages.reception(TOY, 1, DOCUMENT) == messages.reception(TOY, 1, DOCUMENT)

    def test_reception_of_an_event_is_the_event_alone(self) -> None:
        event = signed_toy_event()
        assert messages.event_reception(TOY, 1, event) == event


class TestQueries:
    def test_key_query_has_the_name_of_the_family(self) -> None:
        inside = f"<tpAmb>2</tpAmb><xServ>CONSULTAR</xServ><chToy>{KEY}</chToy>"
        expected = f'<consSitToy {HEAD}"3.00">{inside}</consSitToy>'
        assert messages.key_query(TOY, "2", KEY).decode() == expected

    def test_status_query_has_no_state(self) -> None:
        inside = "<tpAmb>2</tpAmb><xServ>STATUS</xServ>"
        expected = f'<consStatServToy {HEAD}"3.00">{inside}</consStatServToy>'
        assert messages.status_query(TOY, "2", "35").decode() == expected

    @pytest.mark.parametrize(
        ("query", "wanted"),
        [
            (
                messages.distribution_after(TOY, "2", "35", CNPJ, 7),
                "<distNSU><ultNSU>000000000000007</ultNSU></distNSU>",
            ),
            (
                messages.distribution_at(TOY, "2", "35", CNPJ, 8),
                "<consNSU><NSU>000000000000008</NSU></consNSU>",
            ),
            (
                messages.distribution_of_key(TOY, "2", "35", CNPJ, KEY),
                f"<consChToy><chToy>{KEY}</chToy></consChToy>",
            ),
        ],
    )
    def test_distribution_query_has_no_state(self, query: bytes, wanted: str) -> None:
        inside = f"<tpAmb>2</tpAmb><CNPJ>{CNPJ}</CNPJ>{wanted}"
        assert query.decode() == f'<distDFeInt {HEAD}"1.00">{inside}</distDFeInt>'


class TestArchive:
    def test_archived_document_has_the_root_of_the_family(self) -> None:
        protocol = f'<protToy xmlns="{NAMESPACE}"/>'
        expected = f'<toyOSProc {HEAD}"3.00">{DOCUMENT.decode()}{protocol}</toyOSProc>'
        assert messages.authorized_document(TOY, DECLARED, protocol.encode()).decode() == expected

    def test_archived_event_has_the_version_of_events(self) -> None:
        event, receipt = signed_toy_event(), b"<retEventoToy/>"
        expected = f'<procEventoToy {HEAD}"3.01">'.encode() + event + receipt + b"</procEventoToy>"
        assert messages.registered_event(TOY, event, receipt) == expected

    def test_archived_event_is_read_for_printing(self) -> None:
        event = read_archived_event(TOY, messages.registered_event(TOY, signed_toy_event(), event_answer()))
        assert (event.access_key, event.event_type, event.sequence) == (KEY, CLOSING, 1)
        assert (event.description, event.environment) == ("Encerramento", "2")
        assert (event.protocol.code, event.protocol.number) == ("135", "135260000000009")
        assert event.detail.text("xJust") is None


class TestEvent:
    def test_event_is_signed_under_the_root_of_the_family(self, signer: Signer) -> None:
        root = etree.fromstring(signed_event(toy_event(), signer))
        assert (root.tag, root.get("versao")) == (f"{{{NAMESPACE}}}eventoToy", "3.01")
        assert verify(root).reference_id == f"ID{CLOSING}{KEY}001"

    @pytest.mark.parametrize("sequence", [1, 100, 999])
    def test_event_id_has_three_digits_of_sequence(self, sequence: int) -> None:
        event = toy_event(sequence)
        identity = event_identity(signed_event(event, Signer.throwaway()))
        assert (identity.id, identity.sequence) == (event.id, sequence)
        assert (identity.type, identity.access_key, identity.organ) == (CLOSING, KEY, "35")

    def test_event_is_issued_unless_its_check_finds_problems(self) -> None:
        signer, wrong = Signer.throwaway(), Problem("225", "detail", "Errado.")
        assert isinstance(issue(toy_event(), signer, lambda _: ()), bytes)
        assert issue(toy_event(), signer, lambda _: (wrong,)) == (wrong,)

    @pytest.mark.parametrize("sequence", [0, 1000])
    def test_event_with_a_sequence_out_of_range_is_refused(self, sequence: int) -> None:
        refused = issue(toy_event(sequence), Signer.throwaway(), lambda _: ())
        assert isinstance(refused, tuple)
        assert [problem.message for problem in refused] == ["A sequência vai de 1 a 999."]
