"""Our client in front of the simulated national environment: neither knows the other's code."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path

import pytest

from carimbo.authorities.national_nfse import NationalNfse
from carimbo.authorities.pacing import Pacing
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.emission import local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.ids import dps_id
from carimbo.fiscal.layouts.dps_v1.document import enclose, read_note, write
from carimbo.fiscal.layouts.dps_v1.events import Cancellation, Event, signed_event
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import (
    Authorized,
    Available,
    Canceled,
    Cause,
    Duplicate,
    NotJudged,
    Rejected,
    Unknown,
)
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.service_key import parse_service_key
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.main.authorities import endpoints_of, transport_of
from carimbo.settings import load_settings
from carimbo.simulator.run import Simulator, running
from support import CNPJ, OTHER_CNPJ

SAMPLE = read_note((Path(__file__).parents[3] / "examples/nfse/minimal.xml").read_bytes())
CITY = SAMPLE.city_code
SERVICE = "01.01.01.000"
REASON = Cancellation(reason_code="1", reason="Serviço lançado em duplicidade")
NUMBERS = count(1)


@dataclass(frozen=True)
class Office:
    """A provider of services at the door of the authority."""

    national: NationalNfse
    certificate: A1Certificate

    @property
    def sender(self) -> Sender:
        return Sender(self.certificate, CNPJ, Environment.HOMOLOGATION)

    def declaration(self, description: str = "Desenvolvimento de sistema") -> SignedDocument:
        """A new declaration, signed."""
        number, now = next(NUMBERS), local_moment(datetime.now(UTC), "SP")
        note = replace(
            SAMPLE,
            id=dps_id(CITY, CNPJ, SAMPLE.series, number),
            issued_at=now - timedelta(seconds=5),
            number=number,
            competence=now.date(),
            service=replace(SAMPLE.service, code=replace(SAMPLE.service.code, description=description)),
        )
        written = write(note)
        assert isinstance(written, WrittenPart), written
        return enclose(written, Signer.of(self.certificate).sign(written.canonical, written.id))

    def cancellation(self, key: str) -> bytes:
        moment = local_moment(datetime.now(UTC), "SP")
        return signed_event(Event("2", "carimbo", CNPJ, key, moment, REASON), Signer.of(self.certificate))

    async def issued(self, document: SignedDocument) -> Authorized:
        outcome = await self.national.send(self.sender, document)
        assert isinstance(outcome, Authorized), outcome
        return outcome


@pytest.fixture(scope="module")
async def simulator(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Simulator]:
    async with running(tmp_path_factory.mktemp("simulator")) as simulator:
        yield simulator


@pytest.fixture(scope="module")
async def office(simulator: Simulator) -> AsyncIterator[Office]:
    told = {
        "CARIMBO_SIMULATOR_URL": simulator.url,
        "CARIMBO_AUTHORITY_CA_FILE": str(simulator.certificates.ca_file),
        "CARIMBO_AUTHORITY_READ_SECONDS": "2",
    }
    settings = load_settings(told, needs_database=False)
    company = simulator.certificates.issue(CNPJ, "ESTÚDIO MODELO LTDA", datetime.now(UTC))
    async with transport_of(settings) as transport:
        national = NationalNfse(transport.fetch, endpoints_of(settings), Pacing())
        yield Office(national, A1Certificate.from_bundle(company.to_pem()))


class TestANote:
    async def test_is_issued_with_key_and_number_of_the_authority(self, office: Office) -> None:
        document = office.declaration()
        outcome = await office.issued(document)
        key = parse_service_key(outcome.access_key or "")
        assert key.startswith(f"{CITY}22{CNPJ}{outcome.number:013d}")
        assert (outcome.code, outcome.message, outcome.digest) == (
            "100",
            "NFS-e Gerada",
            document.digest_value,
        )
        assert abs(outcome.authorized_at - datetime.now(UTC)) < timedelta(minutes=1)

    async def test_that_was_issued_is_found_by_its_declaration(self, office: Office) -> None:
        document = office.declaration()
        outcome = await office.issued(document)
        assert await office.national.consult(office.sender, document.access_key) == outcome

    async def test_is_issued_once(self, office: Office) -> None:
        document = office.declaration()
        await office.issued(document)
        again = await office.national.send(office.sender, document)
        assert isinstance(again, Duplicate)
        assert again.code == "E0014"

    async def test_that_nobody_asked_for_is_unknown(self, office: Office) -> None:
        document = office.declaration()
        told = await office.national.consult(office.sender, document.access_key)
        assert isinstance(told, Unknown)
        assert told.code == "E2404"

    async def test_that_breaks_a_rule_is_refused(self, office: Office) -> None:
        outcome = await office.national.send(office.sender, office.declaration("SIMULA:REJEICAO:E0617"))
        assert isinstance(outcome, Rejected)
        assert (outcome.code, outcome.retryable) == ("E0617", False)

    @pytest.mark.parametrize(
        ("trigger", "cause"),
        [
            ("RESPOSTA_PERDIDA", Cause.CONNECTION),
            ("CORTADA", Cause.UNREADABLE),
            ("RESPOSTA_VAZIA", Cause.EMPTY),
            ("DEMORA:3s", Cause.TIMEOUT),
        ],
    )
    async def test_whose_answer_is_lost_is_found_by_its_declaration(
        self, office: Office, trigger: str, cause: Cause
    ) -> None:
        document = office.declaration(f"SIMULA:{trigger}")
        lost = await office.national.send(office.sender, document)
        assert isinstance(lost, NotJudged)
        assert (lost.cause, lost.may_have_arrived) == (cause, True)
        found = await office.national.consult(office.sender, document.access_key)
        assert isinstance(found, Authorized)
        assert found.digest == document.digest_value

    @pytest.mark.parametrize(("trigger", "cause"), [("HTML", Cause.HTML), ("HTTP:503", Cause.HTTP_STATUS)])
    async def test_that_never_came_to_be_is_told_so_and_issued_the_second_time(
        self, office: Office, trigger: str, cause: Cause
    ) -> None:
        document = office.declaration(f"SIMULA:{trigger}")
        lost = await office.national.send(office.sender, document)
        assert isinstance(lost, NotJudged)
        assert lost.cause is cause
        assert isinstance(await office.national.consult(office.sender, document.access_key), Unknown)
        assert (await office.issued(document)).digest == document.digest_value


class TestACancellation:
    async def test_is_registered_and_found(self, office: Office) -> None:
        document = office.declaration()
        note = await office.issued(document)
        event = office.cancellation(note.access_key or "")
        outcome = await office.national.register_event(office.sender, event)
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.message) == ("101101", "Cancelamento de NFS-e")
        assert await office.national.consult_event(office.sender, event) == outcome
        assert await office.national.register_event(office.sender, event) == outcome

    async def test_is_told_with_the_note(self, office: Office) -> None:
        document = office.declaration()
        note = await office.issued(document)
        await office.national.register_event(office.sender, office.cancellation(note.access_key or ""))
        outcome = await office.national.consult(office.sender, document.access_key)
        assert isinstance(outcome, Canceled)
        assert outcome.authorization == note

    async def test_that_nobody_asked_for_is_unknown(self, office: Office) -> None:
        note = await office.issued(office.declaration())
        event = office.cancellation(note.access_key or "")
        assert isinstance(await office.national.consult_event(office.sender, event), Unknown)


class TestTheAuthority:
    async def test_tells_that_it_answers(self, office: Office) -> None:
        assert isinstance(await office.national.status(office.sender, "", "SP"), Available)

    @pytest.mark.parametrize(
        ("city", "is_active", "uses_national_emitter"),
        [("3509502", True, True), ("4314902", True, False), ("5300108", False, False)],
        ids=["national", "of its own", "none"],
    )
    async def test_tells_what_municipalities_agreed(
        self, office: Office, city: str, is_active: bool, uses_national_emitter: bool
    ) -> None:
        told = await office.national.agreement(office.sender, city)
        assert told == Agreement(city, is_active, uses_national_emitter)

    async def test_tells_their_rates(self, office: Office) -> None:
        told = await office.national.rate(office.sender, "3509502", SERVICE, datetime.now(UTC).date())
        assert told == MunicipalRate("3509502", SERVICE, Decimal(2))

    async def test_wants_the_certificate_of_the_issuer(self, office: Office, simulator: Simulator) -> None:
        stranger = simulator.certificates.issue(OTHER_CNPJ, "OUTRA LTDA", datetime.now(UTC))
        other = replace(office, certificate=A1Certificate.from_bundle(stranger.to_pem()))
        outcome = await other.national.send(other.sender, other.declaration())
        assert isinstance(outcome, Rejected)
        assert (outcome.code, outcome.retryable) == ("E0718", True)

    async def test_shows_a_note_to_those_it_names_alone(self, office: Office, simulator: Simulator) -> None:
        document = office.declaration()
        await office.issued(document)
        stranger = simulator.certificates.issue(OTHER_CNPJ, "OUTRA LTDA", datetime.now(UTC))
        other = replace(office, certificate=A1Certificate.from_bundle(stranger.to_pem()))
        told = await other.national.consult(other.sender, document.access_key)
        assert isinstance(told, NotJudged)
        assert told.cause is Cause.CERTIFICATE_NOT_ACCEPTED
