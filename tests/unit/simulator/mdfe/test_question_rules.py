"""Each rule about consults and open MDF-e, broken by one change of an accepted question."""

import pytest
from lxml import etree

from carimbo.simulator import limits
from carimbo.simulator.limits import CONSULTS_OF_A_KEY, count_use
from carimbo.simulator.mdfe.dialect import DIALECT
from support import CNPJ
from unit.simulator.mdfe.event_scenario import MessageViolation, Scenario
from unit.simulator.mdfe.sample_mdfe import CONTRACTOR
from unit.simulator.mutating import at, says
from unit.simulator.nfe.message_scenarios import KeyChange, with_part, with_wrong_digit


def impossible_key(code: str, change: KeyChange) -> MessageViolation:
    """Stores a document, and asks for it, under an impossible key."""

    def ask_for_that_key(root: etree._Element) -> None:
        element = at(root, "chMDFe")
        element.text = change(element.text or "")

    def store_under_that_key(scenario: Scenario) -> None:
        [document] = scenario.carrier.ledger.documents()
        key = change(document.access_key)
        scenario.change("update documents set access_key = ?, number_id = ?", key, DIALECT.number_id(key))

    return MessageViolation(code, "consult", ask_for_that_key, prepare=store_under_that_key, also_off={"460"})


def consulted_often(scenario: Scenario) -> None:
    [document] = scenario.carrier.ledger.documents()
    for _ in range(CONSULTS_OF_A_KEY):
        count_use(scenario.carrier.context, CNPJ, limits.CONSULT, document.access_key)


def other_code(root: etree._Element) -> None:
    element = at(root, "chMDFe")
    element.text = with_part(35, "98765432")(element.text or "")


CONSULTS = [
    MessageViolation("678", "consult", prepare=consulted_often),
    impossible_key("236", with_wrong_digit),
    impossible_key("236", with_part(2, "11")),
    impossible_key("236", with_part(2, "27")),
    impossible_key("236", with_part(6, "11222333000182")),
    impossible_key("236", with_part(20, "57")),
    impossible_key("236", with_part(25, "000000000")),
    impossible_key("460", with_part(4, "04")),
    MessageViolation("600", "consult", other_code),
]
OPEN_ONES = [
    MessageViolation("213", "open_ones", says("CNPJ", CONTRACTOR)),
    MessageViolation("202", "open_ones_of_a_person", says("CPF", "11144477735")),
]


class TestQuestionRules:
    @pytest.mark.parametrize("violation", [*CONSULTS, *OPEN_ONES], ids=str)
    def test_broken_rule_refuses_the_question(self, violation: MessageViolation, scenario: Scenario) -> None:
        violation.check(scenario)
