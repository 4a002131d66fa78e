"""Each rule about queries and lots, broken by one change of an accepted message."""

from datetime import timedelta

import pytest

from carimbo.simulator import limits
from carimbo.simulator.limits import CONSULTS_OF_A_KEY, count_use
from carimbo.simulator.nfe.receipts import QUESTIONS_ABOUT_A_RECEIPT
from carimbo.simulator.sefaz.distribution import SINGLE_QUESTIONS
from support import CNPJ
from unit.fiscal.goods.support import BUYER_CNPJ
from unit.simulator.mutating import nfce, nfe, says
from unit.simulator.nfe.event_scenario import Scenario
from unit.simulator.nfe.message_scenarios import (
    MessageViolation,
    SentMessage,
    about,
    document_query,
    impossible_key,
    lot_of,
    nothing_new,
    person,
    registered,
    with_part,
    with_wrong_digit,
)
from unit.simulator.nfe.sefaz_client import CONSULT, DISTRIBUTION, RECEIPT, SefazClient, service_path

WRONG_CNPJ, WRONG_CPF, OTHER_CPF = "11222333000182", "52998224700", "11144477735"
NO_REGISTRATION, NO_NUMBER = "000000000000", "000000000"
AMONG_RECEIPTS = service_path(CONSULT, family="nfce")


def company(scenario: Scenario) -> SefazClient:
    return scenario.company


def use_up(scenario: Scenario, taxpayer: str, service: str, subject: str, times: int) -> None:
    for _ in range(times):
        count_use(scenario.company.context, taxpayer, service, subject)


def consulted_often(scenario: Scenario) -> None:
    [kept] = scenario.company.ledger.documents()
    use_up(scenario, CNPJ, limits.CONSULT, kept.access_key, CONSULTS_OF_A_KEY)


def many_documents_queried(scenario: Scenario) -> None:
    use_up(scenario, BUYER_CNPJ, DISTRIBUTION, "consultas no ambiente 2", SINGLE_QUESTIONS)


def receipt_queried_often(scenario: Scenario) -> None:
    use_up(scenario, CNPJ, RECEIPT, "351000000000001", QUESTIONS_ABOUT_A_RECEIPT)


def without_news_already(scenario: Scenario) -> None:
    sent = nothing_new(scenario)
    assert sent.by.ask(sent.service_path, sent.message).code == "137"


def without_news_twice(scenario: Scenario) -> None:
    without_news_already(scenario)
    sent = nothing_new(scenario)
    assert sent.by.ask(sent.service_path, sent.message).code == "656"


def read_further(scenario: Scenario) -> None:
    """As if the last answer had ended with another NSU, long ago."""
    without_news_already(scenario)
    scenario.change("update distribution_readers set last_nsu = 7, finished_at = null")


def canceled(scenario: Scenario) -> None:
    scenario.change("update documents set status = 'canceled'")


def nothing_kept(scenario: Scenario) -> None:
    scenario.change("delete from documents")


def nobody_registered(scenario: Scenario) -> None:
    scenario.change("delete from contributors")


def receipt_of_rio(scenario: Scenario) -> None:
    scenario.change("update lots set receipt = '331000000000001'")


def sold_to_another(scenario: Scenario) -> SentMessage:
    scenario.change("delete from documents")
    return document_query(scenario, scenario.company.authorized(nfe(scenario.company.signer)).access_key)


def lot_of_both_models(scenario: Scenario) -> SentMessage:
    signer = scenario.company.signer
    return lot_of(scenario, nfe(signer), nfce(signer))


CONSULTS = [
    MessageViolation("656", "consult", prepare=consulted_often),
    impossible_key("226", "consult", with_part(0, "33")),
    impossible_key("226", "consult", with_part(0, "99")),
    impossible_key("236", "consult", with_wrong_digit),
    impossible_key("615", "consult", with_part(2, "27")),
    impossible_key("616", "consult", with_part(4, "13")),
    impossible_key("617", "consult", with_part(6, WRONG_CNPJ)),
    impossible_key("618", "consult", with_part(20, "57")),
    impossible_key("619", "consult", with_part(25, NO_NUMBER)),
    impossible_key("450", "consult", with_part(20, "65")),
    MessageViolation("775", "consult", where=AMONG_RECEIPTS),
    impossible_key("526", "consult", with_part(4, "04")),
    MessageViolation("562", "consult", about(with_part(35, "12345699")), also_off={"613"}),
    MessageViolation("561", "consult", about(with_part(4, "10")), also_off={"613"}),
    MessageViolation("613", "consult", about(with_part(34, "9"))),
]
DISTRIBUTIONS = [
    MessageViolation("489", "nothing_new", says("CNPJ", WRONG_CNPJ)),
    MessageViolation("490", "nothing_for_a_person", says("CPF", WRONG_CPF), by=person(WRONG_CPF)),
    MessageViolation("593", "nothing_new", says("CNPJ", BUYER_CNPJ)),
    MessageViolation("472", "nothing_for_a_person", says("CPF", OTHER_CPF)),
    MessageViolation("656", "nothing_new", prepare=without_news_already),
    MessageViolation("656", "nothing_new", prepare=read_further),
    MessageViolation("656", "number_wanted", prepare=without_news_twice),
    MessageViolation("656", "invoice_wanted", prepare=many_documents_queried),
    MessageViolation("589", "nothing_new", says("distNSU/ultNSU", "000000000000004")),
    impossible_key("236", "invoice_wanted", with_wrong_digit),
    impossible_key("614", "invoice_wanted", with_part(0, "99")),
    impossible_key("615", "invoice_wanted", with_part(2, "27")),
    impossible_key("616", "invoice_wanted", with_part(4, "13")),
    impossible_key("617", "invoice_wanted", with_part(6, WRONG_CNPJ)),
    impossible_key("618", "invoice_wanted", with_part(20, "57")),
    impossible_key("619", "invoice_wanted", with_part(25, NO_NUMBER)),
    impossible_key("450", "invoice_wanted", with_part(20, "65")),
    MessageViolation("217", "invoice_wanted", prepare=nothing_kept, answer="137"),
    MessageViolation("632", "invoice_wanted", later=timedelta(days=91)),
    MessageViolation("641", "invoice_wanted", says("CNPJ", CNPJ), by=company),
    MessageViolation("640", "invoice_wanted", make=sold_to_another),
    MessageViolation("653", "invoice_wanted", prepare=canceled),
]
LOTS = [
    MessageViolation("452", "lot_of_one", says("indSinc", "0")),
    MessageViolation("764", "lot_of_two", says("indSinc", "1")),
    MessageViolation("765", "lot_of_two", make=lot_of_both_models),
]
EVENT_LOTS = [MessageViolation("215", "lot_of_events", says("idLote", "um"))]
RECEIPTS = [
    MessageViolation("656", "receipt", prepare=receipt_queried_often),
    MessageViolation("248", "receipt", says("nRec", "331000000000001"), prepare=receipt_of_rio),
]
STATUSES = [MessageViolation("289", "status", says("cUF", "33"))]
REGISTERS = [
    MessageViolation("215", "company", says("infCons/xServ", "CONSULTA")),
    MessageViolation("265", "company", says("infCons/UF", "RJ"), prepare=registered("RJ")),
    MessageViolation(
        "258", "company", says("infCons/CNPJ", WRONG_CNPJ), prepare=registered(tax_id=WRONG_CNPJ)
    ),
    MessageViolation("259", "company", prepare=nobody_registered),
    MessageViolation(
        "260",
        "registration",
        says("infCons/IE", NO_REGISTRATION),
        prepare=registered(registration=NO_REGISTRATION),
    ),
    MessageViolation("261", "registration", prepare=nobody_registered),
    MessageViolation("263", "person", says("infCons/CPF", WRONG_CPF), prepare=registered(tax_id=WRONG_CPF)),
    MessageViolation("264", "person", prepare=nobody_registered),
]
VIOLATIONS = [*CONSULTS, *DISTRIBUTIONS, *LOTS, *EVENT_LOTS, *RECEIPTS, *STATUSES, *REGISTERS]


class TestQuestionRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_message_rule_refuses_the_message(
        self, violation: MessageViolation, scenario: Scenario
    ) -> None:
        violation.check(scenario)
