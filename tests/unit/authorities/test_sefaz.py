"""The adapter of NF-e and NFC-e: where it asks, what it sends, and what it makes of answers."""

import re

import pytest

import nfe_answers as said
from carimbo.authorities.endpoints import UnknownPlace
from carimbo.authorities.nfe import NfeSefaz
from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.environment import Environment
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
from carimbo.fiscal.sender import Sender
from support import CNPJ
from unit.authorities.wire import (
    ACKNOWLEDGEMENT,
    CANCELLATION,
    CONTINGENCY_KEY,
    KEY,
    LOST,
    NFCE_KEY,
    REFUSED,
    TAKEN_BACK,
    VOIDED,
    XML,
    Clock,
    Wire,
    document,
    event,
)


class TestEveryQuestion:
    async def test_is_put_by_the_operation_of_its_service(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        await sefaz.send(sender, document())
        await sefaz.receipt(sender, KEY, said.RECEIPT)
        await sefaz.consult(sender, KEY)
        await sefaz.status(sender, "55", "SP")
        await sefaz.inutilize(sender, VOIDED)
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

    async def test_stands_in_the_wrapper_of_its_service(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        await sefaz.consult(sender, KEY)
        service = "{http://www.portalfiscal.inf.br/nfe/wsdl/NFeConsultaProtocolo4}"
        (message,) = wire.body
        assert (wire.body.tag, message.tag) == (f"{service}nfeDadosMsg", f"{{{said.NAMESPACE}}}consSitNFe")

    async def test_goes_to_the_environment_of_the_sender(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        in_production = Sender(sender.certificate, CNPJ, Environment.PRODUCTION)
        await sefaz.consult(in_production, KEY)
        assert (wire.path, wire.text("tpAmb")) == ("/producao/sp/nfe/NFeConsultaProtocolo4", "1")

    async def test_without_an_answer_keeps_what_the_transport_told(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
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
    async def test_goes_where_the_key_says(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire, key: AccessKey, path: str
    ) -> None:
        await sefaz.send(sender, document(key))
        assert wire.path == path

    async def test_carries_the_signed_bytes_in_a_lot_of_one(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        await sefaz.send(sender, document())
        assert XML in wire.sent[0][2]
        assert wire.text("indSinc") == "1"

    async def test_is_the_same_when_it_is_sent_again(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        await sefaz.send(sender, document())
        await sefaz.send(sender, document())
        assert wire.sent[0] == wire.sent[1]
        assert re.fullmatch("[0-9]{1,15}", wire.text("idLote") or "")

    async def test_tells_an_authorization(self, sefaz: NfeSefaz, sender: Sender, wire: Wire) -> None:
        wire.answer = said.processed(said.note_protocol("100", "Autorizado o uso da NF-e"))
        outcome = await sefaz.send(sender, document())
        assert isinstance(outcome, Authorized)
        assert (outcome.access_key, outcome.protocol) == (said.KEY, said.PROTOCOL)

    async def test_of_another_document_tells_nothing(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        protocol = said.note_protocol("100", "Autorizado o uso da NF-e", key=said.OTHER_KEY)
        wire.answer = said.processed(protocol)
        assert isinstance(await sefaz.send(sender, document()), NotJudged)

    async def test_tells_a_receipt_which_is_asked_about_later(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        inside = f"<infRec><nRec>{said.RECEIPT}</nRec><tMed>1</tMed></infRec>"
        wire.answer = said.lot("103", "Lote recebido com sucesso", inside)
        taken = await sefaz.send(sender, document())
        assert isinstance(taken, Processing)
        wire.answer = said.receipt_answer(
            "104", "Lote processado", said.refused_note("225", "Rejeição: Schema")
        )
        assert isinstance(await sefaz.receipt(sender, KEY, taken.receipt), Rejected)
        assert (wire.path, wire.text("nRec")) == ("/sp/nfe/NFeRetAutorizacao4", said.RECEIPT)


class TestConsult:
    async def test_asks_where_the_document_was_sent(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        await sefaz.consult(sender, CONTINGENCY_KEY)
        assert (wire.path, wire.text("chNFe")) == ("/svcan/nfe/NFeConsultaProtocolo4", CONTINGENCY_KEY)

    async def test_asks_the_state_when_its_contingency_is_over(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        for code in ("113", "114"):
            told = said.consult(code, "SVC desabilitada pela SEFAZ de Origem")
            wire.answer = told.replace(said.KEY, CONTINGENCY_KEY)
            await sefaz.consult(sender, CONTINGENCY_KEY)
        paths = [path.split("/")[1] for path, _, _ in wire.sent]
        assert paths == ["svcan", "sp", "svcan", "sp"]

    async def test_tells_what_the_authority_does_not_know(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        wire.answer = said.consult("217", "NF-e não consta na base de dados da SEFAZ")
        assert isinstance(await sefaz.consult(sender, KEY), Unknown)

    async def test_finds_an_event_of_unknown_fate(self, sefaz: NfeSefaz, sender: Sender, wire: Wire) -> None:
        protocol = said.note_protocol("100", "Autorizado o uso da NF-e")
        wire.answer = said.consult("101", "Cancelamento homologado", protocol + said.stored_event())
        outcome = await sefaz.consult_event(sender, CANCELLATION)
        assert isinstance(outcome, Authorized)
        assert outcome.digest == said.DIGEST


class TestStatus:
    UP = said.status("107", "Serviço em Operação", "<tMed>1</tMed>")

    async def test_asks_the_authority_of_the_state(self, sefaz: NfeSefaz, sender: Sender, wire: Wire) -> None:
        wire.answer = self.UP
        outcome = await sefaz.status(sender, "65", "RJ")
        assert outcome == Available(code="107", message="Serviço em Operação", response_seconds=1)
        assert (wire.path, wire.text("cUF")) == ("/svrs/nfce/NFeStatusServico4", "33")

    async def test_asks_another_authority_if_told_so(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        await sefaz.status(sender, "55", "RJ", authorizer="SVCAN")
        assert wire.path == "/svcan/nfe/NFeStatusServico4"

    async def test_of_an_authority_that_is_out_is_told(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        wire.answer = said.status("108", "Serviço Paralisado Momentaneamente")
        assert isinstance(await sefaz.status(sender, "55", "SP"), Unavailable)

    async def test_is_not_asked_for_again_within_seconds(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire, clock: Clock
    ) -> None:
        wire.answer = self.UP
        asked = []
        for pause in (0.0, 14.9, 0.1):
            clock.seconds += pause
            await sefaz.status(sender, "55", "SP")
            asked.append(len(wire.sent))
        assert asked == [1, 1, 2]

    async def test_is_asked_for_each_state(self, sefaz: NfeSefaz, sender: Sender, wire: Wire) -> None:
        """A contingency authority serves some states and not others."""
        wire.answer = self.UP
        for state in ("RJ", "SC", "RJ"):
            await sefaz.status(sender, "55", state)
        assert len(wire.sent) == 2

    async def test_is_not_asked_for_again_within_seconds_if_there_was_no_answer(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire, clock: Clock
    ) -> None:
        told = [await sefaz.status(sender, "55", "SP") for _ in range(3)]
        assert (told, len(wire.sent)) == ([LOST] * 3, 1)
        clock.seconds += 15
        wire.answer = self.UP
        assert isinstance(await sefaz.status(sender, "55", "SP"), Available)

    async def test_that_one_company_did_not_get_is_asked_for_by_another(
        self, sefaz: NfeSefaz, sender: Sender, other_sender: Sender, wire: Wire
    ) -> None:
        """Its certificate may be the reason."""
        await sefaz.status(sender, "55", "SP")
        wire.answer = self.UP
        told = [await sefaz.status(who, "55", "SP") for who in (other_sender, sender)]
        assert [type(one) for one in told] == [Available, Available]
        assert len(wire.sent) == 2

    async def test_is_waited_for_less_than_a_verdict(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        await sefaz.status(sender, "55", "SP")
        await sefaz.send(sender, document())
        assert wire.most_seconds == [5, None]


class TestEvents:
    @pytest.mark.parametrize(
        ("one", "path"),
        [
            (CANCELLATION, "/sp/nfe/NFeRecepcaoEvento4"),
            (ACKNOWLEDGEMENT, "/an/nfe/NFeRecepcaoEvento4"),
            (event(TAKEN_BACK, "33", NFCE_KEY), "/svrs/nfce/NFeRecepcaoEvento4"),
            (event(TAKEN_BACK, "35", CONTINGENCY_KEY), "/svcan/nfe/NFeRecepcaoEvento4"),
        ],
        ids=["cancellation", "manifestation", "NFC-e", "contingency"],
    )
    async def test_go_where_they_are_registered(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire, one: bytes, path: str
    ) -> None:
        await sefaz.register_event(sender, one)
        assert wire.path == path
        assert one in wire.sent[0][2]

    async def test_go_to_the_state_when_its_contingency_is_over(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        over = said.event_receipt("114", "SVC desabilitada", key=CONTINGENCY_KEY)
        wire.answer = said.processed_events(over)
        await sefaz.register_event(sender, event(TAKEN_BACK, "35", CONTINGENCY_KEY))
        assert [path for path, _, _ in wire.sent] == [
            "/svcan/nfe/NFeRecepcaoEvento4",
            "/sp/nfe/NFeRecepcaoEvento4",
        ]

    async def test_that_correct_never_go_to_a_contingency(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        letter = Correction(correction="O endereço de entrega é outro")
        await sefaz.register_event(sender, event(letter, "35", CONTINGENCY_KEY))
        assert wire.path == "/sp/nfe/NFeRecepcaoEvento4"

    async def test_are_told_registered(self, sefaz: NfeSefaz, sender: Sender, wire: Wire) -> None:
        wire.answer = said.processed_events(said.event_receipt("135", "Evento registrado e vinculado a NF-e"))
        outcome = await sefaz.register_event(sender, CANCELLATION)
        assert isinstance(outcome, Authorized)


class TestInutilization:
    async def test_goes_to_the_authority_of_the_state(
        self, sefaz: NfeSefaz, sender: Sender, wire: Wire
    ) -> None:
        wire.answer = said.inutilization("102", "Inutilização de número homologado", said.PROTOCOL)
        outcome = await sefaz.inutilize(sender, VOIDED)
        assert isinstance(outcome, Authorized)
        assert wire.path == "/sp/nfe/NFeInutilizacao4"
        assert VOIDED in wire.sent[0][2]


class TestStatusOfAnotherPlace:
    async def test_is_not_invented(self, sefaz: NfeSefaz, sender: Sender) -> None:
        with pytest.raises(UnknownPlace):
            await sefaz.status(sender, "55", "SP", authorizer="AN")
