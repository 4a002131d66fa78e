"""The adapter of the national NFS-e: where it asks, what it sends, and what it makes of answers."""

import base64
import gzip
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

import nfse_answers as said
from carimbo.authorities.endpoints import SimulatorEndpoints
from carimbo.authorities.national_nfse import NationalNfse
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.status_board import StatusBoard
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.dps_v1.events import Cancellation, Event, signed_event
from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import (
    Authorized,
    Available,
    Canceled,
    Cause,
    Duplicate,
    NotJudged,
    Rejected,
    Throttled,
    Unknown,
)
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from nfse_answers import DIGEST, DPS_ID, KEY
from support import CNPJ
from unit.authorities.wire import BASE, LOST, NOON, Clock, RestWire

XML = f'<DPS xmlns="{said.NAMESPACE}">assinada</DPS>'.encode()
DOCUMENT = SignedDocument(XML, DPS_ID, DIGEST)
MOMENT = datetime(2026, 11, 15, 10, tzinfo=timezone(timedelta(hours=-3)))
REASON = Cancellation(reason_code="1", reason="Serviço lançado em duplicidade")
EVENT = signed_event(Event("2", "carimbo", CNPJ, KEY, MOMENT, REASON), Signer.throwaway())

SEND = "POST /nfse"
OF_DPS = f"GET /dps/{DPS_ID}"
OF_NOTE = f"GET /nfse/{KEY}"
REGISTER = f"POST /nfse/{KEY}/eventos"
NO_DPS = "HEAD /dps/DPS000000000000000000000000000000000000000000"
LINKED = said.body(erro=[{"codigo": "E0840", "descricao": "Já está vinculado."}])


def of_event(event_type: str) -> str:
    return f"GET /nfse/{KEY}/eventos/{event_type}/1"


CANCELLATIONS = [of_event(event_type) for event_type in ("101101", "105102", "305101", "105104")]


@pytest.fixture
def rest() -> RestWire:
    wire = RestWire()
    for question in CANCELLATIONS:
        wire.say(question, 404, said.NO_EVENT)
    return wire


@pytest.fixture
def national(rest: RestWire, clock: Clock) -> NationalNfse:
    return NationalNfse(rest.fetch, SimulatorEndpoints(BASE), Pacing(clock, clock.now), StatusBoard(clock))


class TestSend:
    async def test_posts_the_packed_document(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        await national.send(sender, DOCUMENT)
        assert (rest.asked, rest.addresses) == ([SEND], ["/sefin/nfse/SefinNacional"])
        assert rest.questions[-1].media_type == "application/json"
        (name,) = rest.json
        sent = gzip.decompress(base64.b64decode(rest.json[name]))
        assert (name, sent) == ("dpsXmlGZipB64", b'<?xml version="1.0" encoding="UTF-8"?>' + XML)

    async def test_goes_to_the_environment_of_the_sender(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        real = Sender(sender.certificate, sender.tax_id, Environment.PRODUCTION)
        await national.send(real, DOCUMENT)
        assert rest.addresses == ["/producao/sefin/nfse/SefinNacional"]

    async def test_tells_the_note(self, national: NationalNfse, sender: Sender, rest: RestWire) -> None:
        rest.say(SEND, 201, said.issued())
        outcome = await national.send(sender, DOCUMENT)
        assert isinstance(outcome, Authorized)
        assert (outcome.access_key, outcome.number, outcome.digest) == (KEY, 123, DIGEST)

    async def test_tells_a_refusal_and_a_duplicate(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        rest.say(SEND, 400, said.refused(said.error("E0617", "Não pode.")))
        assert isinstance(await national.send(sender, DOCUMENT), Rejected)
        rest.say(SEND, 400, said.refused(said.error("E0014", "Já existe.")))
        assert await national.send(sender, DOCUMENT) == Duplicate(code="E0014", message="Já existe.")

    async def test_tells_that_there_was_no_answer(self, national: NationalNfse, sender: Sender) -> None:
        assert await national.send(sender, DOCUMENT) == LOST


class TestConsult:
    @pytest.fixture(autouse=True)
    def issued(self, rest: RestWire) -> None:
        rest.say(OF_DPS, 200, said.of_dps())
        rest.say(OF_NOTE, 200, said.stored())

    async def test_goes_from_the_dps_to_the_note_and_its_cancellations(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        outcome = await national.consult(sender, DPS_ID)
        assert isinstance(outcome, Authorized)
        assert (outcome.access_key, outcome.digest) == (KEY, DIGEST)
        assert rest.asked == [OF_DPS, OF_NOTE, *CANCELLATIONS]

    async def test_tells_that_there_is_no_note(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        rest.say(OF_DPS, 404, said.NO_NOTE)
        assert isinstance(await national.consult(sender, DPS_ID), Unknown)
        assert rest.asked == [OF_DPS]

    @pytest.mark.parametrize("event_type", [said.CANCELLATION, said.SUBSTITUTION, said.BY_THE_CITY])
    async def test_tells_a_canceled_note_with_its_authorization(
        self, national: NationalNfse, sender: Sender, rest: RestWire, event_type: str
    ) -> None:
        rest.say(of_event(event_type), 200, said.stored_event(event_type=event_type))
        outcome = await national.consult(sender, DPS_ID)
        assert isinstance(outcome, Canceled)
        assert isinstance(outcome.authorization, Authorized)
        assert outcome == Canceled(
            code=event_type,
            message=outcome.message,
            access_key=KEY,
            protocol=f"EVT{KEY}{event_type}001",
            canceled_at=datetime.fromisoformat(said.CANCELED_AT),
            cancellation_xml=said.event(event_type).encode(),
            authorization=outcome.authorization,
        )
        assert outcome.message.startswith("Cancelamento de NFS-e")

    @pytest.mark.parametrize("question", [OF_DPS, OF_NOTE, *CANCELLATIONS])
    async def test_tells_nothing_before_all_is_known(
        self, national: NationalNfse, sender: Sender, rest: RestWire, question: str
    ) -> None:
        rest.say(question, 503, said.PAGE)
        outcome = await national.consult(sender, DPS_ID)
        assert isinstance(outcome, NotJudged)
        assert outcome.cause is Cause.HTTP_STATUS

    async def test_puts_no_key_into_a_path_that_is_none(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        rest.say(OF_DPS, 200, said.of_dps("../../outra?x=" + KEY[:36]))
        assert isinstance(await national.consult(sender, DPS_ID), NotJudged)
        assert rest.asked == [OF_DPS] * 2


class TestStatus:
    async def test_is_asked_by_a_dps_that_there_is_not(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        rest.say(NO_DPS, 404, b"")
        assert isinstance(await national.status(sender, "", "SP"), Available)
        assert (rest.asked, rest.most_seconds) == ([NO_DPS], [5])

    async def test_is_the_same_for_all_states_for_some_seconds(
        self, national: NationalNfse, sender: Sender, other_sender: Sender, rest: RestWire, clock: Clock
    ) -> None:
        rest.say(NO_DPS, 404, b"")
        await national.status(sender, "", "SP")
        await national.status(other_sender, "", "AC", authorizer="SEFIN")
        assert len(rest.asked) == 1
        clock.seconds += 15
        await national.status(sender, "", "SP")
        assert len(rest.asked) == 2

    async def test_is_not_known_without_an_answer(
        self, national: NationalNfse, sender: Sender, other_sender: Sender, rest: RestWire
    ) -> None:
        assert await national.status(sender, "", "SP") == LOST
        assert await national.status(sender, "", "SP") == LOST
        await national.status(other_sender, "", "SP")
        assert len(rest.asked) == 2


class TestAnEvent:
    async def test_is_posted_to_its_note(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        rest.say(REGISTER, 201, said.registered())
        outcome = await national.register_event(sender, EVENT)
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.access_key) == ("101101", KEY)
        (name,) = rest.json
        assert name == "pedidoRegistroEventoXmlGZipB64"
        assert gzip.decompress(base64.b64decode(rest.json[name])).endswith(EVENT)

    async def test_that_is_refused_is_told_so(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        rest.say(REGISTER, 400, said.body(erro=[{"codigo": "E0822", "descricao": "O prazo expirou."}]))
        assert isinstance(await national.register_event(sender, EVENT), Rejected)
        assert rest.asked == [REGISTER]

    @pytest.mark.parametrize("event_type", [said.CANCELLATION, said.SUBSTITUTION, said.BY_THE_CITY])
    async def test_that_the_note_has_already_is_adopted_whoever_told_it(
        self, national: NationalNfse, sender: Sender, rest: RestWire, event_type: str
    ) -> None:
        rest.say(REGISTER, 400, LINKED)
        rest.say(of_event(event_type), 200, said.stored_event(event_type=event_type))
        outcome = await national.register_event(sender, EVENT)
        assert isinstance(outcome, Authorized)
        assert outcome.code == event_type

    async def test_that_another_kind_of_event_keeps_out_is_refused(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        rest.say(REGISTER, 400, LINKED)
        outcome = await national.register_event(sender, EVENT)
        assert outcome == Rejected(code="E0840", message="Já está vinculado.")
        assert rest.asked == [REGISTER, *CANCELLATIONS]

    async def test_that_something_keeps_out_which_nobody_tells_stays_open(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        rest.say(REGISTER, 400, LINKED)
        rest.say(of_event("305101"), 502, said.PAGE)
        outcome = await national.register_event(sender, EVENT)
        assert outcome == Duplicate(code="E0840", message="Já está vinculado.")

    async def test_of_unknown_fate_is_asked_for(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        assert isinstance(await national.consult_event(sender, EVENT), Unknown)
        rest.say(of_event("101101"), 200, said.stored_event())
        assert isinstance(await national.consult_event(sender, EVENT), Authorized)
        assert rest.asked == [of_event("101101")] * 2


class TestMunicipalities:
    async def test_tell_what_they_agreed(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        rest.say("GET /3509502/convenio", 200, said.agreed())
        assert await national.agreement(sender, "3509502") == Agreement("3509502", True, True)
        rest.say("GET /5300108/convenio", 404, said.NO_AGREEMENT)
        assert await national.agreement(sender, "5300108") == Agreement("5300108", False, False)
        assert rest.addresses == ["/adn/nfse/parametrizacao"] * 2

    async def test_tell_their_rates(self, national: NationalNfse, sender: Sender, rest: RestWire) -> None:
        service = "01.07.01.000"
        rest.say(f"GET /3509502/{service}/2026-11-15/aliquota", 200, said.rates("2.50"))
        rate = await national.rate(sender, "3509502", service, date(2026, 11, 15))
        assert rate == MunicipalRate("3509502", service, Decimal("2.50"))

    async def test_are_not_known_without_an_answer(self, national: NationalNfse, sender: Sender) -> None:
        assert await national.agreement(sender, "3509502") == LOST


class TestABlock:
    async def test_lets_the_service_rest_for_a_minute(
        self, national: NationalNfse, sender: Sender, rest: RestWire, clock: Clock
    ) -> None:
        rest.say(SEND, 429, said.PAGE)
        blocked = await national.send(sender, DOCUMENT)
        until = NOON + timedelta(minutes=1)
        assert isinstance(blocked, Throttled)
        assert (blocked.code, blocked.until, blocked.was_asked) == ("429", until, True)
        refused = await national.consult(sender, DPS_ID)
        assert isinstance(refused, Throttled)
        assert (refused.code, refused.until, refused.was_asked) == ("429", until, False)
        assert rest.asked == [SEND]
        clock.seconds += 60
        rest.answers.clear()
        assert await national.send(sender, DOCUMENT) == LOST

    async def test_is_of_one_service_and_one_taxpayer(
        self, national: NationalNfse, sender: Sender, rest: RestWire
    ) -> None:
        rest.say(SEND, 429, said.PAGE)
        await national.send(sender, DOCUMENT)
        assert await national.agreement(sender, "3509502") == LOST
        other = Sender(sender.certificate, "00000000000191", sender.environment)
        assert await national.consult(other, DPS_ID) == LOST

    async def test_is_not_invented(self, national: NationalNfse, sender: Sender, rest: RestWire) -> None:
        """Nothing is published of how often one may ask."""
        for _ in range(50):
            assert await national.consult(sender, DPS_ID) == LOST
        assert len(rest.asked) == 2 * 50
