"""NFeDistribuicaoDFe blocks careless clients for an hour (656), and forgets those that stop asking."""

from datetime import timedelta

import pytest

from carimbo.fiscal.outcome import Throttled
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import CallReply
from nfe_dialect import distribution_after, distribution_at, read_distribution
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR, emission, signer_of
from unit.simulator.mutating import nfe
from unit.simulator.nfe.sefaz_client import SefazClient, der, schema_errors, text_of
from unit.simulator.nfe.test_distribution import AT_AN, at_number, by_key, fill, page, sold

OVERUSE = "Rejeição: Consumo Indevido"
USE_THE_LAST_NSU = "(Deve ser utilizado o ultNSU nas solicitacoes subsequentes. Tente apos 1 hora)"
WAIT = (
    "(Deve ser aguardado 1 hora para efetuar nova solicitacao caso nao existam mais documentos a serem"
    " pesquisados. Tente apos 1 hora)"
)
TOO_MANY = "(Ultrapassou o limite de 20 consultas por hora)"
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
BRANCH = "12ABC345010221"


def refused(answer: CallReply, text: str, last_nsu: int) -> bool:
    """Returns whether an answer is a valid 656 with this text and this NSU from which to continue."""
    assert schema_errors(answer, Schema.NFE_DISTRIBUTION_ANSWER) == []
    outcome = read_distribution(answer.reply.body)
    numbers = (text_of(answer, "ultNSU"), text_of(answer, "maxNSU"))
    assert (answer.code, numbers) == ("656", (f"{last_nsu:015d}", "0" * 15)), answer.message
    assert isinstance(outcome, Throttled)
    return text_of(answer, "xMotivo") == f"{OVERUSE} {text}"


@pytest.fixture
def small_pages(buyer: SefazClient) -> SefazClient:
    """The customer with five documents on pages of two."""
    fill(buyer, 5)
    buyer.switches["distribution_page"] = 2
    return buyer


class TestRest:
    def test_reader_of_the_last_page_must_wait_for_an_hour(self, buyer: SefazClient) -> None:
        fill(buyer, 2)
        assert page(buyer.distributed(BUYER_CNPJ)).max_nsu == 2
        fill(buyer, 1)
        buyer.now += HOUR - MINUTE
        assert refused(buyer.distributed(BUYER_CNPJ, 2), WAIT, 2)

    def test_reader_of_the_last_page_may_ask_after_an_hour(self, buyer: SefazClient) -> None:
        fill(buyer, 2)
        buyer.distributed(BUYER_CNPJ)
        fill(buyer, 1)
        buyer.now += HOUR
        assert page(buyer.distributed(BUYER_CNPJ, 2)).last_nsu == 3

    def test_single_documents_can_be_queried_during_the_rest(self, buyer: SefazClient) -> None:
        fill(buyer, 2)
        buyer.distributed(BUYER_CNPJ)
        assert at_number(buyer, 1).code == "138"

    def test_rest_ends_when_the_clock_is_set_back(self, buyer: SefazClient) -> None:
        assert buyer.distributed(BUYER_CNPJ).code == "137"
        buyer.now -= MINUTE
        assert buyer.distributed(BUYER_CNPJ).code == "137"


class TestBlock:
    def test_every_question_restarts_the_hour(self, client: SefazClient, buyer: SefazClient) -> None:
        key = sold(client)
        assert buyer.distributed(BUYER_CNPJ).code == "138"
        buyer.now += 10 * MINUTE
        assert refused(buyer.distributed(BUYER_CNPJ, 1), WAIT, 1)
        buyer.now += HOUR - MINUTE
        assert refused(at_number(buyer, 1), WAIT, 1)
        buyer.now += HOUR - MINUTE
        assert refused(by_key(buyer, key), WAIT, 1)
        buyer.now += HOUR
        assert (at_number(buyer, 1).code, by_key(buyer, key).code) == ("138", "138")
        assert buyer.distributed(BUYER_CNPJ, 1).code == "137"

    def test_block_ends_after_an_hour_without_questions(self, small_pages: SefazClient) -> None:
        small_pages.distributed(BUYER_CNPJ)
        assert refused(small_pages.distributed(BUYER_CNPJ, 0), USE_THE_LAST_NSU, 2)
        assert refused(small_pages.distributed(BUYER_CNPJ, 2), WAIT, 2)
        small_pages.now += HOUR
        assert page(small_pages.distributed(BUYER_CNPJ, 2)).last_nsu == 4

    def test_other_companies_are_not_blocked(self, client: SefazClient, buyer: SefazClient) -> None:
        for _ in range(2):
            buyer.distributed(BUYER_CNPJ)
        assert buyer.distributed(BRANCH).code == "137"
        assert client.distributed("11222333000181").code == "137"

    def test_questions_with_the_certificate_of_another_company_do_not_count(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        assert {at_number(client, 0).code for _ in range(20)} == {"593"}
        assert client.distributed(BUYER_CNPJ, 9).code == "593"
        assert at_number(buyer, 0).code == "137"
        assert buyer.distributed(BUYER_CNPJ).code == "137"

    def test_questions_in_homologation_do_not_count_in_production(self, buyer: SefazClient) -> None:
        for _ in range(20):
            at_number(buyer, 0)
        assert at_number(buyer, 0).code == "656"
        production = AT_AN._replace(environment="1")
        assert buyer.ask(production, distribution_at("1", "35", BUYER_CNPJ, 0)).code == "137"
        assert buyer.ask(production, distribution_after("1", "35", BUYER_CNPJ, 0)).code == "137"


class TestSequence:
    @pytest.mark.parametrize("nsu", [0, 1, 3, 5, 52])
    def test_question_after_another_nsu_is_refused_with_the_right_one(
        self, nsu: int, small_pages: SefazClient
    ) -> None:
        """Zero is also the question of a client that has lost the first page."""
        assert page(small_pages.distributed(BUYER_CNPJ)).last_nsu == 2
        assert refused(small_pages.distributed(BUYER_CNPJ, nsu), USE_THE_LAST_NSU, 2)

    def test_first_question_may_begin_anywhere(self, small_pages: SefazClient) -> None:
        assert [document.nsu for document in page(small_pages.distributed(BUYER_CNPJ, 3)).documents] == [4, 5]

    def test_second_program_of_a_company_disturbs_the_first(
        self, small_pages: SefazClient, authority: SampleAuthority
    ) -> None:
        certificate = authority.issue_company(BRANCH, "COMPRADORA LTDA", LONG_AGO, FAR_AWAY)
        second = SefazClient(
            small_pages.store, small_pages.trust, signer_of(certificate), der(certificate), small_pages.now
        )
        assert page(small_pages.distributed(BUYER_CNPJ)).last_nsu == 2
        assert refused(second.distributed(BUYER_CNPJ), USE_THE_LAST_NSU, 2)
        assert refused(small_pages.distributed(BUYER_CNPJ, 2), WAIT, 2)


class TestSingleQuestions:
    def test_twenty_questions_by_number_and_by_key_are_answered_in_an_hour(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        key = sold(client)
        answers = [ask for _ in range(10) for ask in (at_number(buyer, 1), by_key(buyer, key))]
        assert {answer.code for answer in answers} == {"138"}
        assert refused(at_number(buyer, 1), TOO_MANY, 0)
        assert refused(by_key(buyer, key), TOO_MANY, 0)
        assert refused(buyer.distributed(BUYER_CNPJ), WAIT, 0)

    def test_refused_questions_count_too(self, buyer: SefazClient) -> None:
        assert {at_number(buyer, 7).code for _ in range(20)} == {"589"}
        assert refused(at_number(buyer, 7), TOO_MANY, 0)

    def test_limit_is_free_again_after_an_hour(self, buyer: SefazClient) -> None:
        for _ in range(20):
            at_number(buyer, 0)
        buyer.now += HOUR + MINUTE
        assert at_number(buyer, 0).code == "137"


class TestLimitsOff:
    def test_nothing_is_refused_without_limits(self, small_pages: SefazClient) -> None:
        small_pages.switches["limits"] = False
        assert {small_pages.distributed(BUYER_CNPJ, nsu).code for nsu in (0, 4, 0, 5, 5)} == {"138", "137"}
        assert {at_number(small_pages, 1).code for _ in range(21)} == {"138"}

    def test_block_does_not_count_without_limits(self, buyer: SefazClient) -> None:
        for _ in range(2):
            buyer.distributed(BUYER_CNPJ)
        buyer.switches["limits"] = False
        assert buyer.distributed(BUYER_CNPJ).code == "137"


class TestDormantReaders:
    def test_reader_that_stopped_asking_for_60_days_gets_nothing_until_it_asks(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        buyer.now -= 61 * DAY
        assert buyer.distributed(BUYER_CNPJ).code == "137"
        sold(client)
        buyer.now += 61 * DAY
        assert buyer.distributed(BUYER_CNPJ).code == "137"
        client.authorized(nfe(client.signer, recipient=CONTRIBUTOR, under=emission(number=77)))
        buyer.now += HOUR
        assert len(page(buyer.distributed(BUYER_CNPJ)).documents) == 1

    def test_reader_gets_documents_for_60_days_after_any_question(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        buyer.now -= 60 * DAY
        assert at_number(buyer, 0).code == "137"
        sold(client)
        buyer.now += 60 * DAY
        assert len(page(buyer.distributed(BUYER_CNPJ)).documents) == 1

    def test_taxpayer_that_never_asked_gets_its_documents(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        sold(client)
        buyer.now += 89 * DAY
        assert len(page(buyer.distributed(BUYER_CNPJ)).documents) == 1

    def test_readers_are_never_dormant_without_limits(self, client: SefazClient, buyer: SefazClient) -> None:
        buyer.now -= 61 * DAY
        assert buyer.distributed(BUYER_CNPJ).code == "137"
        client.switches["limits"] = False
        sold(client)
        buyer.now += 61 * DAY
        assert len(page(buyer.distributed(BUYER_CNPJ)).documents) == 1
