"""The adapter of NF-e and NFC-e: addresses, requests, and how answers are read."""

import re

import pytest

import nfe_answers as answers
from carimbo.authorities.endpoints import UnknownEndpoint
from carimbo.authorities.nfe import NfeSefaz
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.layouts.nfe_v4.events import Correction
from carimbo.fiscal.outcome import (
    Authorized,
    Available,
    NotJudged,
    Processing,
    Rejected,
    Unavailable,
    Unknown,
)
from support import CNPJ
from unit.authorities.wire import (
    ACKNOWLEDGEMENT,
    CANCELLATION,
    CONTINGENCY_KEY,
    INUTILIZED,
    KEY,
    LOST,
    NFCE_KEY,
    REFUSED,
    TAKEN_BACK,
    XML,
    Clock,
    Wire,
    document,
    event,
)


class TestEveryQuestion:
    async def test_request_uses_the_operation_of_its_service(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        await sefaz.send(sender, document())
        await sefaz.receipt(sender, KEY, answers.RECEIPT)
        await sefaz.consult(sender, KEY)
        await sefaz.status(sender, "55", "SP")
        await sefaz.inutilize(sender, INUTILIZED)
        await sefaz.register_event(sender, CANCELLATION)
        await sefaz.register_event(sender, ACKNOWLEDGEMENT)
        await sefaz.distribution(sender, "SP", 0)
        namespace = "http://www.portalfiscal.inf.br/nfe/wsdl/"
        assert [action.removeprefix(namespace) for _, action, _ in wire.sent] == [
            "NFeAutorizacao4/nfeAutorizacaoLote",
            "NFeRetAutorizacao4/nfeRetAutorizacaoLote",
            "NFeConsultaProtocolo4/nfeConsultaNF",
            "NFeStatusServico4/nfeStatusServicoNF",
            "NFeInutilizacao4/nfeInutilizacaoNF",
            "NFeRecepcaoEvento4/nfeRecepcaoEvento",
            "NFeRecepcaoEvento4/nfeRecepcaoEventoNF",
            "NFeDistribuicaoDFe/nfeDistDFeInteresse",
        ]

    async def test_request_has_the_wrapper_element_of_its_service(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        await sefaz.consult(sender, KEY)
        service = "{http://www.portalfiscal.inf.br/nfe/wsdl/NFeConsultaProtocolo4}"
        (message,) = wire.body
        assert (wire.body.tag, message.tag) == (f"{service}nfeDadosMsg", f"{{{answers.NAMESPACE}}}consSitNFe")

    async def test_request_goes_to_the_environment_of_the_sender(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        in_production = AuthorityCredentials(sender.certificate, CNPJ, Environment.PRODUCTION)
        await sefaz.consult(in_production, KEY)
        assert (wire.path, wire.text("tpAmb")) == ("/producao/sp/nfe/NFeConsultaProtocolo4", "1")

    async def test_missing_answer_keeps_the_transport_failure(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = REFUSED
        assert await sefaz.send(sender, document()) == REFUSED


class TestSend:
    @pytest.mark.parametrize(
        ("key", "path"),
        [
            (KEY, "/sp/nfe/NFeAutorizacao4"),
            (NFCE_KEY, "/svrs/nfce/NFeAutorizacao4"),
            (CONTINGENCY_KEY, "/svcan/nfe/NFeAutorizacao4"),
        ],
    )
    async def test_document_goes_to_the_authority_of_its_key(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire, key: AccessKey, path: str
    ) -> None:
        await sefaz.send(sender, document(key))
        assert wire.path == path

    async def test_document_is_sent_as_signed_in_a_lot_of_one(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        await sefaz.send(sender, document())
        assert XML in wire.sent[0][2]
        assert wire.text("indSinc") == "1"

    async def test_repeated_transmission_is_identical(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        await sefaz.send(sender, document())
        await sefaz.send(sender, document())
        assert wire.sent[0] == wire.sent[1]
        assert re.fullmatch("[0-9]{1,15}", wire.text("idLote") or "")

    async def test_send_returns_an_authorization(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = answers.processed(answers.note_protocol("100", "Autorizado o uso da NF-e"))
        outcome = await sefaz.send(sender, document())
        assert isinstance(outcome, Authorized)
        assert (outcome.access_key, outcome.protocol) == (answers.KEY, answers.PROTOCOL)

    async def test_answer_about_another_document_decides_nothing(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        protocol = answers.note_protocol("100", "Autorizado o uso da NF-e", key=answers.OTHER_KEY)
        wire.answer = answers.processed(protocol)
        assert isinstance(await sefaz.send(sender, document()), NotJudged)

    async def test_receipt_is_returned_and_consulted_later(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        inside = f"<infRec><nRec>{answers.RECEIPT}</nRec><tMed>1</tMed></infRec>"
        wire.answer = answers.lot("103", "Lote recebido com sucesso", inside)
        taken = await sefaz.send(sender, document())
        assert isinstance(taken, Processing)
        wire.answer = answers.receipt_answer(
            "104", "Lote processado", answers.refused_note("225", "Rejeição: Schema")
        )
        assert isinstance(await sefaz.receipt(sender, KEY, taken.receipt), Rejected)
        assert (wire.path, wire.text("nRec")) == ("/sp/nfe/NFeRetAutorizacao4", answers.RECEIPT)


class TestConsult:
    async def test_consult_asks_the_authority_that_the_document_was_sent_to(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        await sefaz.consult(sender, CONTINGENCY_KEY)
        assert (wire.path, wire.text("chNFe")) == ("/svcan/nfe/NFeConsultaProtocolo4", CONTINGENCY_KEY)

    async def test_consult_asks_the_state_when_its_contingency_is_over(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        for code in ("113", "114"):
            answer = answers.consult(code, "SVC desabilitada pela SEFAZ de Origem")
            wire.answer = answer.replace(answers.KEY, CONTINGENCY_KEY)
            await sefaz.consult(sender, CONTINGENCY_KEY)
        paths = [path.split("/")[1] for path, _, _ in wire.sent]
        assert paths == ["svcan", "sp", "svcan", "sp"]

    async def test_consult_reports_a_document_that_the_authority_lacks(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = answers.consult("217", "NF-e não consta na base de dados da SEFAZ")
        assert isinstance(await sefaz.consult(sender, KEY), Unknown)

    async def test_consult_finds_an_event_of_unknown_outcome(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        protocol = answers.note_protocol("100", "Autorizado o uso da NF-e")
        wire.answer = answers.consult("101", "Cancelamento homologado", protocol + answers.stored_event())
        outcome = await sefaz.consult_event(sender, CANCELLATION)
        assert isinstance(outcome, Authorized)
        assert outcome.digest == answers.DIGEST


class TestStatus:
    UP = answers.status("107", "Serviço em Operação", "<tMed>1</tMed>")

    async def test_status_asks_the_authority_of_the_state(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = self.UP
        outcome = await sefaz.status(sender, "65", "RJ")
        assert outcome == Available(code="107", message="Serviço em Operação", response_seconds=1)
        assert (wire.path, wire.text("cUF")) == ("/svrs/nfce/NFeStatusServico4", "33")

    async def test_status_asks_another_authority_on_request(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        await sefaz.status(sender, "55", "RJ", authorizer="SVCAN")
        assert wire.path == "/svcan/nfe/NFeStatusServico4"

    async def test_status_reports_an_authority_that_is_unavailable(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = answers.status("108", "Serviço Paralisado Momentaneamente")
        assert isinstance(await sefaz.status(sender, "55", "SP"), Unavailable)

    async def test_status_is_not_asked_again_within_seconds(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire, clock: Clock
    ) -> None:
        wire.answer = self.UP
        requests_sent = []
        for pause in (0.0, 14.9, 0.1):
            clock.seconds += pause
            await sefaz.status(sender, "55", "SP")
            requests_sent.append(len(wire.sent))
        assert requests_sent == [1, 1, 2]

    async def test_status_is_asked_for_each_state(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        """A contingency authority serves some states and not others."""
        wire.answer = self.UP
        for state in ("RJ", "SC", "RJ"):
            await sefaz.status(sender, "55", state)
        assert len(wire.sent) == 2

    async def test_missing_status_is_not_asked_again_within_seconds(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire, clock: Clock
    ) -> None:
        statuses = [await sefaz.status(sender, "55", "SP") for _ in range(3)]
        assert (statuses, len(wire.sent)) == ([LOST] * 3, 1)
        clock.seconds += 15
        wire.answer = self.UP
        assert isinstance(await sefaz.status(sender, "55", "SP"), Available)

    async def test_status_missing_for_a_company_is_asked_by_another(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, other_sender: AuthorityCredentials, wire: Wire
    ) -> None:
        """Its certificate may be the reason."""
        await sefaz.status(sender, "55", "SP")
        wire.answer = self.UP
        statuses = [await sefaz.status(who, "55", "SP") for who in (other_sender, sender)]
        assert [type(status) for status in statuses] == [Available, Available]
        assert len(wire.sent) == 2

    async def test_status_has_a_shorter_timeout_than_a_verdict(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        await sefaz.status(sender, "55", "SP")
        await sefaz.send(sender, document())
        assert wire.max_seconds == [5, None]


class TestEvents:
    @pytest.mark.parametrize(
        ("event", "path"),
        [
            (CANCELLATION, "/sp/nfe/NFeRecepcaoEvento4"),
            (ACKNOWLEDGEMENT, "/an/nfe/NFeRecepcaoEvento4"),
            (event(TAKEN_BACK, "33", NFCE_KEY), "/svrs/nfce/NFeRecepcaoEvento4"),
            (event(TAKEN_BACK, "35", CONTINGENCY_KEY), "/svcan/nfe/NFeRecepcaoEvento4"),
        ],
        ids=["cancellation", "manifestation", "NFC-e", "contingency"],
    )
    async def test_events_go_to_the_authority_that_registers_them(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire, event: bytes, path: str
    ) -> None:
        await sefaz.register_event(sender, event)
        assert wire.path == path
        assert event in wire.sent[0][2]

    async def test_events_go_to_the_state_when_its_contingency_is_over(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        over = answers.event_receipt("114", "SVC desabilitada", key=CONTINGENCY_KEY)
        wire.answer = answers.processed_events(over)
        await sefaz.register_event(sender, event(TAKEN_BACK, "35", CONTINGENCY_KEY))
        assert [path for path, _, _ in wire.sent] == [
            "/svcan/nfe/NFeRecepcaoEvento4",
            "/sp/nfe/NFeRecepcaoEvento4",
        ]

    async def test_corrections_never_go_to_a_contingency_authority(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        letter = Correction(correction="O endereço de entrega é outro")
        await sefaz.register_event(sender, event(letter, "35", CONTINGENCY_KEY))
        assert wire.path == "/sp/nfe/NFeRecepcaoEvento4"

    async def test_registered_event_is_reported(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = answers.processed_events(
            answers.event_receipt("135", "Evento registrado e vinculado a NF-e")
        )
        outcome = await sefaz.register_event(sender, CANCELLATION)
        assert isinstance(outcome, Authorized)


class TestInutilization:
    async def test_inutilization_goes_to_the_authority_of_the_state(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = answers.inutilization("102", "Inutilização de número homologado", answers.PROTOCOL)
        outcome = await sefaz.inutilize(sender, INUTILIZED)
        assert isinstance(outcome, Authorized)
        assert wire.path == "/sp/nfe/NFeInutilizacao4"
        assert INUTILIZED in wire.sent[0][2]


class TestStatusOfAnotherPlace:
    async def test_status_of_an_unknown_place_is_refused(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials
    ) -> None:
        with pytest.raises(UnknownEndpoint):
            await sefaz.status(sender, "55", "SP", authorizer="AN")
