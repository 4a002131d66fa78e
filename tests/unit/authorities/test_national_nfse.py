"""The adapter of the national NFS-e: addresses, requests, and how answers are read."""

import base64
import gzip
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

import nfse_answers
from carimbo.authorities.endpoints import SimulatorEndpoints
from carimbo.authorities.national_nfse import NationalNfse
from carimbo.authorities.pacing import Pacing, StatusCache
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.dps_v1.events import NoteCancellation, NoteEvent, signed_event
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
from carimbo.fiscal.signed_documents import SignedDocument
from nfse_answers import DIGEST, DPS_ID, KEY
from support import CNPJ
from unit.authorities.wire import BASE, LOST, NOON, Clock, RestWire

XML = f'<DPS xmlns="{nfse_answers.NAMESPACE}">assinada</DPS>'.encode()
DOCUMENT = SignedDocument(XML, DPS_ID, DIGEST)
MOMENT = datetime(2026, 11, 15, 10, tzinfo=timezone(timedelta(hours=-3)))
REASON = NoteCancellation(reason_code="1", reason="Serviço lançado em duplicidade")
EVENT = signed_event(NoteEvent("2", "carimbo", CNPJ, KEY, MOMENT, REASON), Signer.throwaway())

SEND = "POST /nfse"
OF_DPS = f"GET /dps/{DPS_ID}"
OF_NOTE = f"GET /nfse/{KEY}"
REGISTER = f"POST /nfse/{KEY}/eventos"
NO_DPS = "HEAD /dps/DPS000000000000000000000000000000000000000000"
LINKED = nfse_answers.body(erro=[{"codigo": "E0840", "descricao": "Já está vinculado."}])


def of_event(event_type: str) -> str:
    return f"GET /nfse/{KEY}/eventos/{event_type}/1"


CANCELLATIONS = [of_event(event_type) for event_type in ("101101", "105102", "305101", "105104")]


@pytest.fixture
def rest() -> RestWire:
    wire = RestWire()
    for question in CANCELLATIONS:
        wire.say(question, 404, nfse_answers.NO_EVENT)
    return wire


@pytest.fixture
def national(rest: RestWire, clock: Clock) -> NationalNfse:
    return NationalNfse(rest.fetch, SimulatorEndpoints(BASE), Pacing(clock, clock.now), StatusCache(clock))


class TestSend:
    async def test_send_posts_the_packed_document(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        await national.send(sender, DOCUMENT)
        assert (rest.requests, rest.addresses) == ([SEND], ["/sefin/nfse/SefinNacional"])
        assert rest.questions[-1].media_type == "application/json"
        (name,) = rest.json
        sent = gzip.decompress(base64.b64decode(rest.json[name]))
        assert (name, sent) == ("dpsXmlGZipB64", b'<?xml version="1.0" encoding="UTF-8"?>' + XML)

    async def test_send_uses_the_environment_of_the_sender(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        real = AuthorityCredentials(sender.certificate, sender.tax_id, Environment.PRODUCTION)
        await national.send(real, DOCUMENT)
        assert rest.addresses == ["/producao/sefin/nfse/SefinNacional"]

    async def test_send_returns_the_note(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        rest.say(SEND, 201, nfse_answers.issued())
        outcome = await national.send(sender, DOCUMENT)
        assert isinstance(outcome, Authorized)
        assert (outcome.access_key, outcome.number, outcome.digest) == (KEY, 123, DIGEST)

    async def test_send_returns_a_refusal_or_a_duplicate(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        rest.say(SEND, 400, nfse_answers.refused(nfse_answers.error("E0617", "Não pode.")))
        assert isinstance(await national.send(sender, DOCUMENT), Rejected)
        rest.say(SEND, 400, nfse_answers.refused(nfse_answers.error("E0014", "Já existe.")))
        assert await national.send(sender, DOCUMENT) == Duplicate(code="E0014", message="Já existe.")

    async def test_send_reports_a_missing_answer(
        self, national: NationalNfse, sender: AuthorityCredentials
    ) -> None:
        assert await national.send(sender, DOCUMENT) == LOST


class TestConsult:
    @pytest.fixture(autouse=True)
    def issued(self, rest: RestWire) -> None:
        rest.say(OF_DPS, 200, nfse_answers.of_dps())
        rest.say(OF_NOTE, 200, nfse_answers.stored())

    async def test_consult_reads_the_dps_then_the_note_and_its_cancellations(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        outcome = await national.consult(sender, DPS_ID)
        assert isinstance(outcome, Authorized)
        assert (outcome.access_key, outcome.digest) == (KEY, DIGEST)
        assert rest.requests == [OF_DPS, OF_NOTE, *CANCELLATIONS]

    async def test_consult_reports_that_there_is_no_note(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        rest.say(OF_DPS, 404, nfse_answers.NO_NOTE)
        assert isinstance(await national.consult(sender, DPS_ID), Unknown)
        assert rest.requests == [OF_DPS]

    @pytest.mark.parametrize(
        "event_type", [nfse_answers.CANCELLATION, nfse_answers.SUBSTITUTION, nfse_answers.BY_THE_CITY]
    )
    async def test_consult_returns_a_canceled_note_with_its_authorization(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire, event_type: str
    ) -> None:
        rest.say(of_event(event_type), 200, nfse_answers.stored_event(event_type=event_type))
        outcome = await national.consult(sender, DPS_ID)
        assert isinstance(outcome, Canceled)
        assert isinstance(outcome.authorization, Authorized)
        assert outcome == Canceled(
            code=event_type,
            message=outcome.message,
            access_key=KEY,
            protocol=f"EVT{KEY}{event_type}001",
            canceled_at=datetime.fromisoformat(nfse_answers.CANCELED_AT),
            cancellation_xml=nfse_answers.event(event_type).encode(),
            authorization=outcome.authorization,
        )
        assert outcome.message.startswith("Cancelamento de NFS-e")

    @pytest.mark.parametrize("question", [OF_DPS, OF_NOTE, *CANCELLATIONS])
    async def test_consult_concludes_nothing_from_incomplete_answers(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire, question: str
    ) -> None:
        rest.say(question, 503, nfse_answers.PAGE)
        outcome = await national.consult(sender, DPS_ID)
        assert isinstance(outcome, NotJudged)
        assert outcome.cause is Cause.HTTP_STATUS

    async def test_consult_puts_no_invalid_key_into_a_path(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        rest.say(OF_DPS, 200, nfse_answers.of_dps("../../outra?x=" + KEY[:36]))
        assert isinstance(await national.consult(sender, DPS_ID), NotJudged)
        assert rest.requests == [OF_DPS] * 2


class TestStatus:
    async def test_status_is_asked_with_a_dps_that_does_not_exist(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        rest.say(NO_DPS, 404, b"")
        assert isinstance(await national.status(sender, "", "SP"), Available)
        assert (rest.requests, rest.max_seconds) == ([NO_DPS], [5])

    async def test_status_is_cached_for_all_states_for_some_seconds(
        self,
        national: NationalNfse,
        sender: AuthorityCredentials,
        other_sender: AuthorityCredentials,
        rest: RestWire,
        clock: Clock,
    ) -> None:
        rest.say(NO_DPS, 404, b"")
        await national.status(sender, "", "SP")
        await national.status(other_sender, "", "AC", authorizer="SEFIN")
        assert len(rest.requests) == 1
        clock.seconds += 15
        await national.status(sender, "", "SP")
        assert len(rest.requests) == 2

    async def test_status_is_unknown_without_an_answer(
        self,
        national: NationalNfse,
        sender: AuthorityCredentials,
        other_sender: AuthorityCredentials,
        rest: RestWire,
    ) -> None:
        assert await national.status(sender, "", "SP") == LOST
        assert await national.status(sender, "", "SP") == LOST
        await national.status(other_sender, "", "SP")
        assert len(rest.requests) == 2


class TestAnEvent:
    async def test_event_is_posted_to_its_note(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        rest.say(REGISTER, 201, nfse_answers.registered())
        outcome = await national.register_event(sender, EVENT)
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.access_key) == ("101101", KEY)
        (name,) = rest.json
        assert name == "pedidoRegistroEventoXmlGZipB64"
        assert gzip.decompress(base64.b64decode(rest.json[name])).endswith(EVENT)

    async def test_refused_event_is_reported(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        rest.say(
            REGISTER, 400, nfse_answers.body(erro=[{"codigo": "E0822", "descricao": "O prazo expirou."}])
        )
        assert isinstance(await national.register_event(sender, EVENT), Rejected)
        assert rest.requests == [REGISTER]

    @pytest.mark.parametrize(
        "event_type", [nfse_answers.CANCELLATION, nfse_answers.SUBSTITUTION, nfse_answers.BY_THE_CITY]
    )
    async def test_event_that_the_note_already_has_is_adopted(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire, event_type: str
    ) -> None:
        rest.say(REGISTER, 400, LINKED)
        rest.say(of_event(event_type), 200, nfse_answers.stored_event(event_type=event_type))
        outcome = await national.register_event(sender, EVENT)
        assert isinstance(outcome, Authorized)
        assert outcome.code == event_type

    async def test_event_blocked_by_another_type_of_event_is_refused(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        rest.say(REGISTER, 400, LINKED)
        outcome = await national.register_event(sender, EVENT)
        assert outcome == Rejected(code="E0840", message="Já está vinculado.")
        assert rest.requests == [REGISTER, *CANCELLATIONS]

    async def test_event_blocked_for_an_unknown_reason_stays_open(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        rest.say(REGISTER, 400, LINKED)
        rest.say(of_event("305101"), 502, nfse_answers.PAGE)
        outcome = await national.register_event(sender, EVENT)
        assert outcome == Duplicate(code="E0840", message="Já está vinculado.")

    async def test_event_of_unknown_outcome_is_consulted(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        assert isinstance(await national.consult_event(sender, EVENT), Unknown)
        rest.say(of_event("101101"), 200, nfse_answers.stored_event())
        assert isinstance(await national.consult_event(sender, EVENT), Authorized)
        assert rest.requests == [of_event("101101")] * 2


class TestMunicipalities:
    async def test_agreement_of_a_municipality_is_read(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        rest.say("GET /3509502/convenio", 200, nfse_answers.agreed())
        assert await national.agreement(sender, "3509502") == Agreement("3509502", True, True)
        rest.say("GET /5300108/convenio", 404, nfse_answers.NO_AGREEMENT)
        assert await national.agreement(sender, "5300108") == Agreement("5300108", False, False)
        assert rest.addresses == ["/adn/nfse/parametrizacao"] * 2

    async def test_rates_of_a_municipality_are_read(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        service = "01.07.01.000"
        rest.say(f"GET /3509502/{service}/2026-11-15/aliquota", 200, nfse_answers.rates("2.50"))
        rate = await national.rate(sender, "3509502", service, date(2026, 11, 15))
        assert rate == MunicipalRate("3509502", service, Decimal("2.50"))

    async def test_municipal_data_are_unknown_without_an_answer(
        self, national: NationalNfse, sender: AuthorityCredentials
    ) -> None:
        assert await national.agreement(sender, "3509502") == LOST


class TestABlock:
    async def test_block_pauses_the_service_for_a_minute(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire, clock: Clock
    ) -> None:
        rest.say(SEND, 429, nfse_answers.PAGE)
        blocked = await national.send(sender, DOCUMENT)
        until = NOON + timedelta(minutes=1)
        assert isinstance(blocked, Throttled)
        assert (blocked.code, blocked.until, blocked.was_asked) == ("429", until, True)
        refused = await national.consult(sender, DPS_ID)
        assert isinstance(refused, Throttled)
        assert (refused.code, refused.until, refused.was_asked) == ("429", until, False)
        assert rest.requests == [SEND]
        clock.seconds += 60
        rest.answers.clear()
        assert await national.send(sender, DOCUMENT) == LOST

    async def test_block_affects_only_one_service_and_one_taxpayer(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        rest.say(SEND, 429, nfse_answers.PAGE)
        await national.send(sender, DOCUMENT)
        assert await national.agreement(sender, "3509502") == LOST
        other = AuthorityCredentials(sender.certificate, "00000000000191", sender.environment)
        assert await national.consult(other, DPS_ID) == LOST

    async def test_no_limit_is_assumed_without_a_block(
        self, national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
    ) -> None:
        """No limits are published for these services."""
        for _ in range(50):
            assert await national.consult(sender, DPS_ID) == LOST
        assert len(rest.requests) == 2 * 50
