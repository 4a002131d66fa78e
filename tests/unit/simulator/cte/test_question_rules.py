"""Each rule about consults, the status and the distribution, broken by one change of an accepted question."""

import pytest
from lxml import etree

from carimbo.simulator import limits
from carimbo.simulator.cte.dialect import DIALECT
from carimbo.simulator.limits import CONSULTS_OF_A_KEY, count_use
from carimbo.simulator.sefaz.distribution import SINGLE_QUESTIONS
from support import CNPJ
from unit.simulator.cte.cte_client import DISTRIBUTION
from unit.simulator.cte.event_scenario import MessageViolation, Scenario, nothing_new
from unit.simulator.cte.sample_cte import SENDER
from unit.simulator.mutating import at, says
from unit.simulator.nfe.message_scenarios import KeyChange, with_part, with_wrong_digit

WRONG_CNPJ, WRONG_CPF, OTHER_CPF = "11222333000182", "52998224700", "11144477735"


def impossible_key(code: str, change: KeyChange) -> MessageViolation:
    """Stores a document, and asks for it, under an impossible key."""

    def ask_for_that_key(root: etree._Element) -> None:
        element = at(root, "chCTe")
        element.text = change(element.text or "")

    def store_under_that_key(scenario: Scenario) -> None:
        [document] = scenario.carrier.ledger.documents()
        key = change(document.access_key)
        scenario.change("update documents set access_key = ?, number_id = ?", key, DIALECT.number_id(key))

    return MessageViolation(code, "consult", ask_for_that_key, prepare=store_under_that_key)


def consulted_often(scenario: Scenario) -> None:
    [document] = scenario.carrier.ledger.documents()
    for _ in range(CONSULTS_OF_A_KEY):
        count_use(scenario.carrier.context, CNPJ, limits.CONSULT, document.access_key)


def without_news_already(scenario: Scenario) -> None:
    sent = nothing_new(scenario.carrier)
    assert sent.by.ask(sent.service_path, sent.message).code == "137"


def without_news_twice(scenario: Scenario) -> None:
    without_news_already(scenario)
    sent = nothing_new(scenario.carrier)
    assert sent.by.ask(sent.service_path, sent.message).code == "656"


def read_further(scenario: Scenario) -> None:
    """As if the last answer had ended with another NSU, long ago."""
    without_news_already(scenario)
    scenario.change("update distribution_readers set last_nsu = 7, finished_at = null")


def many_numbers_queried(scenario: Scenario) -> None:
    for _ in range(SINGLE_QUESTIONS):
        count_use(scenario.carrier.context, CNPJ, DISTRIBUTION, "consultas no ambiente 2")


def other_code(root: etree._Element) -> None:
    element = at(root, "chCTe")
    element.text = with_part(35, "98765432")(element.text or "")


CONSULTS = [
    MessageViolation("678", "consult", prepare=consulted_often),
    impossible_key("410", with_part(0, "33")),
    impossible_key("236", with_wrong_digit),
    impossible_key("236", with_part(2, "27")),
    impossible_key("236", with_part(6, WRONG_CNPJ)),
    impossible_key("236", with_part(25, "000000000")),
    impossible_key("732", with_part(20, "64")),
    impossible_key("731", with_part(4, "04")),
    MessageViolation("600", "consult", other_code),
]
STATUSES = [MessageViolation("410", "status", says("cUF", "33"))]
DISTRIBUTIONS = [
    MessageViolation("489", "nothing_new", says("CNPJ", WRONG_CNPJ)),
    MessageViolation(
        "490", "nothing_for_a_person", says("CPF", WRONG_CPF), by=lambda scenario: scenario.person(WRONG_CPF)
    ),
    MessageViolation("593", "nothing_new", says("CNPJ", SENDER)),
    MessageViolation("472", "nothing_for_a_person", says("CPF", OTHER_CPF)),
    MessageViolation("656", "nothing_new", prepare=without_news_already),
    MessageViolation("656", "nothing_new", prepare=read_further),
    MessageViolation("656", "number_wanted", prepare=without_news_twice),
    MessageViolation("656", "number_wanted", prepare=many_numbers_queried),
    MessageViolation("589", "nothing_new", says("distNSU/ultNSU", "000000000000004")),
]


class TestQuestionRules:
    @pytest.mark.parametrize("violation", [*CONSULTS, *STATUSES, *DISTRIBUTIONS], ids=str)
    def test_broken_rule_refuses_the_question(self, violation: MessageViolation, scenario: Scenario) -> None:
        violation.check(scenario)
