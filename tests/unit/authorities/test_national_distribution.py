"""The distribution of NFS-e of interest: requests to the ADN, and how its pages are read."""

from dataclasses import replace
from datetime import timedelta

import pytest

import nfse_answers
from carimbo.authorities.endpoints import SimulatorEndpoints
from carimbo.authorities.national_nfse import NationalNfse
from carimbo.authorities.pacing import Pacing, StatusCache
from carimbo.fiscal.distribution import DistributionPage
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.outcome import Rejected, Throttled
from carimbo.service.ports import DistributingAuthority, KeyDistributingAuthority
from nfse_answers import distributed, distribution, nothing_new, refused_distribution
from support import CNPJ
from unit.authorities.wire import BASE, LOST, NOON, Clock, RestWire

AFTER_130 = f"GET /DFe/130?lote=true&cnpjConsulta={CNPJ}"
AT_130 = f"GET /DFe/130?lote=false&cnpjConsulta={CNPJ}"
NOTE = b"<NFSe/>"


@pytest.fixture
def rest() -> RestWire:
    return RestWire()


@pytest.fixture
def national(rest: RestWire, clock: Clock) -> NationalNfse:
    return NationalNfse(rest.fetch, SimulatorEndpoints(BASE), Pacing(clock, clock.now), StatusCache(clock))


async def test_national_environment_distributes_by_number_alone(national: NationalNfse) -> None:
    assert isinstance(national, DistributingAuthority)
    assert not isinstance(national, KeyDistributingAuthority)


async def test_page_is_asked_for_after_a_number(
    national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
) -> None:
    rest.say(AFTER_130, 200, distribution(distributed(131, NOTE), distributed(135, NOTE)))
    page = await national.distribution(sender, "SP", 130)
    assert isinstance(page, DistributionPage)
    assert (page.last_nsu, page.max_nsu, page.is_last, len(page.documents)) == (135, 135, False, 2)
    assert (rest.requests, rest.addresses) == ([AFTER_130], ["/adn/nfse/contribuintes"])


async def test_answer_without_documents_stays_at_the_number(
    national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
) -> None:
    rest.say(AFTER_130, 404, nothing_new())
    page = await national.distribution(sender, "SP", 130)
    assert isinstance(page, DistributionPage)
    assert (page.last_nsu, page.max_nsu, page.is_last, page.documents) == (130, 130, True, ())


async def test_single_document_is_asked_for_by_its_number(
    national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
) -> None:
    rest.say(AT_130, 200, distribution(distributed(130, NOTE)))
    page = await national.distribution_at(sender, "SP", 130)
    assert isinstance(page, DistributionPage)
    assert [document.nsu for document in page.documents] == [130]


async def test_person_is_known_by_the_certificate(
    national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
) -> None:
    """The service has no parameter for a CPF."""
    await national.distribution(replace(sender, tax_id="52998224725"), "SP", 0)
    assert rest.requests == ["GET /DFe/0?lote=true"]


async def test_refused_query_and_missing_answer_are_reported(
    national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
) -> None:
    assert await national.distribution(sender, "SP", 130) == LOST
    rest.say(AFTER_130, 400, refused_distribution("E2241", "Não é parte da nota."))
    assert isinstance(await national.distribution(sender, "SP", 130), Rejected)


async def test_block_pauses_only_the_distribution(
    national: NationalNfse, sender: AuthorityCredentials, rest: RestWire
) -> None:
    rest.say(AFTER_130, 429, nfse_answers.PAGE)
    blocked = await national.distribution(sender, "SP", 130)
    assert isinstance(blocked, Throttled)
    assert (blocked.until, blocked.was_asked) == (NOON + timedelta(minutes=1), True)
    held_back = await national.distribution_at(sender, "SP", 131)
    assert isinstance(held_back, Throttled)
    assert not held_back.was_asked
    assert rest.requests == [AFTER_130]
    assert await national.agreement(sender, "3509502") == LOST
