"""Our client against the simulated national environment: they share no code."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path

import pytest

from carimbo.authorities.national_nfse import NationalNfse
from carimbo.authorities.pacing import Pacing
from carimbo.fiscal.emission import local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import dps_id, parse_service_key
from carimbo.fiscal.identity.certificate import A1Certificate, AuthorityCredentials
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.dps_v1.events import NoteCancellation, NoteEvent, signed_event
from carimbo.fiscal.layouts.dps_v1.service_note import enclose, read_note, write
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
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.main.authorities import endpoints_of, transport_of
from carimbo.settings import load_settings
from carimbo.simulator.program.run import Simulator, running
from support import CNPJ, OTHER_CNPJ

SAMPLE = read_note((Path(__file__).parents[3] / "examples/nfse/minimal.xml").read_bytes())
CITY = SAMPLE.city_code
SERVICE = "01.01.01.000"
REASON = NoteCancellation(reason_code="1", reason="Serviço lançado em duplicidade")
NUMBERS = count(1)


@dataclass(frozen=True)
class Provider:
    """A service provider with its client of the national environment."""

    national: NationalNfse
    certificate: A1Certificate

    @property
    def sender(self) -> AuthorityCredentials:
        return AuthorityCredentials(self.certificate, CNPJ, Environment.HOMOLOGATION)

    def declaration(self, description: str = "Desenvolvimento de sistema") -> SignedDocument:
        """Returns a new signed declaration."""
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
        return signed_event(NoteEvent("2", "carimbo", CNPJ, key, moment, REASON), Signer.of(self.certificate))

    async def issued(self, document: SignedDocument) -> Authorized:
        outcome = await self.national.send(self.sender, document)
        assert isinstance(outcome, Authorized), outcome
        return outcome


@pytest.fixture(scope="module")
async def simulator(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Simulator]:
    async with running(tmp_path_factory.mktemp("simulator")) as simulator:
        yield simulator


@pytest.fixture(scope="module")
async def provider(simulator: Simulator) -> AsyncIterator[Provider]:
    environment = {
        "CARIMBO_SIMULATOR_URL": simulator.url,
        "CARIMBO_AUTHORITY_CA_FILE": str(simulator.certificates.ca_file),
        "CARIMBO_AUTHORITY_READ_SECONDS": "2",
    }
    settings = load_settings(environment, needs_database=False)
    company = simulator.certificates.issue(CNPJ, "ESTÚDIO MODELO LTDA", datetime.now(UTC))
    async with transport_of(settings) as transport:
        national = NationalNfse(transport.fetch, endpoints_of(settings), Pacing())
        yield Provider(national, A1Certificate.from_bundle(company.to_pem()))


class TestNote:
    async def test_note_is_issued_with_key_and_number_of_the_authority(self, provider: Provider) -> None:
        document = provider.declaration()
        outcome = await provider.issued(document)
        key = parse_service_key(outcome.access_key or "")
        assert key.startswith(f"{CITY}22{CNPJ}{outcome.number:013d}")
        assert (outcome.code, outcome.message, outcome.digest) == (
            "100",
            "NFS-e Gerada",
            document.digest_value,
        )
        assert abs(outcome.authorized_at - datetime.now(UTC)) < timedelta(minutes=1)

    async def test_issued_note_is_found_by_its_declaration(self, provider: Provider) -> None:
        document = provider.declaration()
        outcome = await provider.issued(document)
        assert await provider.national.consult(provider.sender, document.access_key) == outcome

    async def test_declaration_sent_twice_is_a_duplicate(self, provider: Provider) -> None:
        document = provider.declaration()
        await provider.issued(document)
        again = await provider.national.send(provider.sender, document)
        assert isinstance(again, Duplicate)
        assert again.code == "E0014"

    async def test_declaration_that_was_never_sent_is_unknown(self, provider: Provider) -> None:
        document = provider.declaration()
        outcome = await provider.national.consult(provider.sender, document.access_key)
        assert isinstance(outcome, Unknown)
        assert outcome.code == "E2404"

    async def test_declaration_that_breaks_a_rule_is_rejected(self, provider: Provider) -> None:
        outcome = await provider.national.send(provider.sender, provider.declaration("SIMULA:REJEICAO:E0617"))
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
    async def test_note_with_a_lost_answer_is_found_by_its_declaration(
        self, provider: Provider, trigger: str, cause: Cause
    ) -> None:
        document = provider.declaration(f"SIMULA:{trigger}")
        lost = await provider.national.send(provider.sender, document)
        assert isinstance(lost, NotJudged)
        assert (lost.cause, lost.may_have_arrived) == (cause, True)
        outcome = await provider.national.consult(provider.sender, document.access_key)
        assert isinstance(outcome, Authorized)
        assert outcome.digest == document.digest_value

    @pytest.mark.parametrize(("trigger", "cause"), [("HTML", Cause.HTML), ("HTTP:503", Cause.HTTP_STATUS)])
    async def test_note_that_was_not_issued_is_unknown_and_can_be_sent_again(
        self, provider: Provider, trigger: str, cause: Cause
    ) -> None:
        document = provider.declaration(f"SIMULA:{trigger}")
        lost = await provider.national.send(provider.sender, document)
        assert isinstance(lost, NotJudged)
        assert lost.cause is cause
        assert isinstance(await provider.national.consult(provider.sender, document.access_key), Unknown)
        assert (await provider.issued(document)).digest == document.digest_value


class TestCancellation:
    async def test_cancellation_is_registered_and_found(self, provider: Provider) -> None:
        document = provider.declaration()
        note = await provider.issued(document)
        event = provider.cancellation(note.access_key or "")
        outcome = await provider.national.register_event(provider.sender, event)
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.message) == ("101101", "Cancelamento de NFS-e")
        assert await provider.national.consult_event(provider.sender, event) == outcome
        assert await provider.national.register_event(provider.sender, event) == outcome

    async def test_consult_of_a_canceled_note_returns_the_cancellation(self, provider: Provider) -> None:
        document = provider.declaration()
        note = await provider.issued(document)
        await provider.national.register_event(provider.sender, provider.cancellation(note.access_key or ""))
        outcome = await provider.national.consult(provider.sender, document.access_key)
        assert isinstance(outcome, Canceled)
        assert outcome.authorization == note

    async def test_cancellation_that_was_never_sent_is_unknown(self, provider: Provider) -> None:
        note = await provider.issued(provider.declaration())
        event = provider.cancellation(note.access_key or "")
        assert isinstance(await provider.national.consult_event(provider.sender, event), Unknown)


class TestAuthority:
    async def test_authority_reports_that_it_is_available(self, provider: Provider) -> None:
        assert isinstance(await provider.national.status(provider.sender, "", "SP"), Available)

    @pytest.mark.parametrize(
        ("city", "is_active", "uses_national_emitter"),
        [("3509502", True, True), ("4314902", True, False), ("5300108", False, False)],
        ids=["national", "of its own", "none"],
    )
    async def test_authority_returns_the_agreement_of_a_municipality(
        self, provider: Provider, city: str, is_active: bool, uses_national_emitter: bool
    ) -> None:
        agreement = await provider.national.agreement(provider.sender, city)
        assert agreement == Agreement(city, is_active, uses_national_emitter)

    async def test_authority_returns_the_rate_of_a_municipality(self, provider: Provider) -> None:
        rate = await provider.national.rate(provider.sender, "3509502", SERVICE, datetime.now(UTC).date())
        assert rate == MunicipalRate("3509502", SERVICE, Decimal(2))

    async def test_declaration_with_another_companys_certificate_is_rejected(
        self, provider: Provider, simulator: Simulator
    ) -> None:
        stranger = simulator.certificates.issue(OTHER_CNPJ, "OUTRA LTDA", datetime.now(UTC))
        other = replace(provider, certificate=A1Certificate.from_bundle(stranger.to_pem()))
        outcome = await other.national.send(other.sender, other.declaration())
        assert isinstance(outcome, Rejected)
        assert (outcome.code, outcome.retryable) == ("E0718", True)

    async def test_note_is_shown_only_to_its_parties(self, provider: Provider, simulator: Simulator) -> None:
        document = provider.declaration()
        await provider.issued(document)
        stranger = simulator.certificates.issue(OTHER_CNPJ, "OUTRA LTDA", datetime.now(UTC))
        other = replace(provider, certificate=A1Certificate.from_bundle(stranger.to_pem()))
        outcome = await other.national.consult(other.sender, document.access_key)
        assert isinstance(outcome, NotJudged)
        assert outcome.cause is Cause.CERTIFICATE_NOT_ACCEPTED
