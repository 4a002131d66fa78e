"""Each rule about events, broken by one change of an accepted event."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from lxml import etree

from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.limits import REFUSALS_OF_AN_EVENT, REFUSED_EVENT, count_use
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.cte.bases import COMPLEMENT, SUBSTITUTION, store_cte
from unit.simulator.cte.cte_client import EVENT, CteClient, correction, service_path
from unit.simulator.cte.event_scenario import MessageViolation, Scenario
from unit.simulator.cte.sample_cte import TAGS, unsigned_cte
from unit.simulator.mutating import Edit, at, renew_key, says
from unit.simulator.nfe.event_scenario import altered
from unit.simulator.nfe.message_scenarios import with_wrong_digit
from unit.simulator.rules.edits import becomes

AT_SVRS, AT_MG = service_path(EVENT, "SVRS"), service_path(EVENT, "MG")
DETAIL = "infEvento/detEvento"
WRONG_CPF = "52998224700"


def rekeyed(start: int, text: str) -> Edit:
    """Replaces a part of the document's key, with a valid check digit."""

    def edit(root: etree._Element) -> None:
        element = at(root, "infEvento/chCTe")
        element.text = altered(element.text or "", start, text)

    return edit


def wrong_digit(root: etree._Element) -> None:
    element = at(root, "infEvento/chCTe")
    element.text = with_wrong_digit(element.text or "")


def with_another_id(root: etree._Element) -> None:
    at(root, "infEvento").set("Id", f"ID{'1' * 53}")


def authored_by_a_person(root: etree._Element) -> None:
    element = at(root, "infEvento/CNPJ")
    element.tag = element.tag.replace("CNPJ", "CPF")
    element.text = WRONG_CPF


def refused_often(scenario: Scenario) -> None:
    [document] = scenario.carrier.ledger.documents()
    for _ in range(REFUSALS_OF_AN_EVENT):
        count_use(scenario.carrier.context, CNPJ, REFUSED_EVENT, f"ID110111{document.access_key}001")


def corrected(scenario: Scenario) -> None:
    [document] = scenario.carrier.ledger.documents()
    assert scenario.carrier.send_event(document.access_key, correction()).code == "135"


def listed_in_a_manifest(scenario: Scenario) -> None:
    ledger = scenario.carrier.ledger
    [document] = ledger.documents()
    key = document.access_key
    manifest = replace(document, access_key=f"{key[:20]}58{key[22:]}")
    ledger.keep_document(manifest, number_id="manifest")
    ledger.keep_reference(manifest, key)


def canceled(scenario: Scenario) -> None:
    scenario.change("update documents set status = ?", DocumentStatus.CANCELED)


def authorized_later(scenario: Scenario) -> None:
    scenario.change("update documents set received_at = ?", (ISSUED_AT + timedelta(minutes=50)).isoformat())


def issued_later(scenario: Scenario) -> None:
    scenario.change("update documents set issued_at = ?", (ISSUED_AT + timedelta(hours=2)).isoformat())


def held_by_svrs(scenario: Scenario) -> None:
    """The document of São Paulo is held by the SVC, which is enabled."""
    scenario.change("update documents set authorizer = 'SVRS'")


def replaced_or_complemented(edit: Edit) -> Callable[[Scenario], None]:
    """Stores a document that refers to the first one."""

    def prepare(scenario: Scenario) -> None:
        root = etree.fromstring(unsigned_cte(2))
        edit(root)
        renew_key(root, TAGS)
        store_cte(scenario.carrier.context, etree.tostring(root))

    return prepare


def document_is_a_substitution(scenario: Scenario) -> None:
    root = etree.fromstring(unsigned_cte(1))
    SUBSTITUTION(root)
    scenario.change("update documents set xml = ?", etree.tostring(root))


def taker(scenario: Scenario) -> CteClient:
    return scenario.taker


def carrier(scenario: Scenario) -> CteClient:
    return scenario.carrier


def branch(root: etree._Element) -> None:
    at(root, "infEvento/CNPJ").text = "11222333000262"


def person(scenario: Scenario) -> CteClient:
    return scenario.person(WRONG_CPF)


VIOLATIONS = [
    MessageViolation("678", "cancellation", prepare=refused_often),
    MessageViolation(
        "629", "cancellation", says("infEvento/tpEvento", "110199"), also_off={"217", "632"}, answer="135"
    ),
    MessageViolation("630", "cancellation", says(f"{DETAIL}/evCancCTe/xJust", "curta")),
    MessageViolation(
        "630",
        "correction",
        becomes(f"{DETAIL}/evCCeCTe", "<evCancCTe><descEvento>Cancelamento</descEvento></evCancCTe>"),
    ),
    MessageViolation(
        "297", "cancellation", after_signing=says(f"{DETAIL}/evCancCTe/xJust", "OUTRA RAZAO QUALQUER")
    ),
    MessageViolation("213", "cancellation", by=taker),
    MessageViolation("252", "cancellation", says("infEvento/tpAmb", "1")),
    MessageViolation("677", "cancellation", says("infEvento/cOrgao", "31")),
    MessageViolation("677", "cancellation", where=AT_MG, also_off={"217"}, answer="136"),
    MessageViolation("627", "disagreement", says("infEvento/CNPJ", "12ABC34501DE36"), also_off={"755"}),
    MessageViolation("905", "disagreement", authored_by_a_person, by=person, also_off={"755"}),
    MessageViolation("628", "cancellation", with_another_id, identified=False),
    MessageViolation("516", "cancellation", where=AT_SVRS, prepare=held_by_svrs),
    MessageViolation("530", "correction", where=AT_SVRS, prepare=held_by_svrs, masked_by={"516"}),
    MessageViolation("236", "cancellation", wrong_digit, also_off={"600", "217"}, answer="136"),
    MessageViolation("236", "cancellation", rekeyed(4, "13"), also_off={"600", "217"}, answer="136"),
    MessageViolation("595", "cancellation", rekeyed(20, "64"), also_off={"217"}, answer="136"),
    MessageViolation("631", "correction", prepare=corrected),
    MessageViolation("632", "cancellation", branch),
    MessageViolation("600", "cancellation", rekeyed(35, "98765432"), also_off={"217"}, answer="136"),
    MessageViolation("217", "cancellation", rekeyed(25, "000000077"), answer="136"),
    MessageViolation("755", "disagreement", says("infEvento/CNPJ", CNPJ), by=carrier),
    MessageViolation("634", "cancellation", prepare=issued_later),
    MessageViolation(
        "637",
        "cancellation",
        says("infEvento/dhEvento", "2026-11-14T10:10:00-03:00"),
        prepare=authorized_later,
    ),
    MessageViolation("635", "cancellation", says("infEvento/dhEvento", "2026-11-14T11:06:00-03:00")),
    MessageViolation("636", "cancellation", says("infEvento/nSeqEvento", "2")),
    MessageViolation("636", "correction", says("infEvento/nSeqEvento", "21")),
    MessageViolation("218", "cancellation", prepare=canceled),
    MessageViolation("218", "correction", prepare=canceled),
    MessageViolation("218", "disagreement", prepare=canceled),
    MessageViolation("222", "cancellation", says(f"{DETAIL}/evCancCTe/nProt", "135260000000099")),
    MessageViolation("220", "cancellation", later=timedelta(hours=167, seconds=1)),
    MessageViolation("523", "cancellation", prepare=corrected),
    MessageViolation("574", "cancellation", prepare=document_is_a_substitution),
    MessageViolation("576", "cancellation", prepare=replaced_or_complemented(SUBSTITUTION)),
    MessageViolation("660", "cancellation", prepare=replaced_or_complemented(COMPLEMENT)),
    MessageViolation("528", "cancellation", prepare=listed_in_a_manifest),
    MessageViolation("681", "correction", says(f"{DETAIL}/evCCeCTe/infCorrecao/grupoAlterado", "ICMS00")),
    MessageViolation("787", "disagreement", later=timedelta(days=45)),
    MessageViolation("664", "correction", prepare=replaced_or_complemented(SUBSTITUTION)),
    MessageViolation("664", "disagreement", prepare=replaced_or_complemented(SUBSTITUTION)),
]
FORBIDDEN = [("ide", "dhEmi"), ("rem", "CNPJ"), ("enderDest", "UF"), ("vPrest", "vTPrest"), ("ICMSSN", "CST")]


class TestEventRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_event_rule_refuses_the_event(
        self, violation: MessageViolation, scenario: Scenario
    ) -> None:
        violation.check(scenario)

    @pytest.mark.parametrize(("group", "name"), FORBIDDEN)
    def test_fields_of_tax_and_identity_are_never_corrected(
        self, group: str, name: str, scenario: Scenario
    ) -> None:
        key = scenario.transported().access_key
        refused = scenario.carrier.send_event(key, correction(group, name, "1"))
        assert (refused.code, f"[{group}/{name}]" in refused.message) == ("681", True)

    def test_canceled_complement_does_not_prevent_a_cancellation(self, scenario: Scenario) -> None:
        document = scenario.transported()
        replaced_or_complemented(COMPLEMENT)(scenario)
        scenario.change("update documents set status = 'canceled' where number = 2")
        assert scenario.carrier.cancel(document).code == "135"


class TestAtTheContingency:
    def test_only_a_cancellation_is_accepted(self, scenario: Scenario) -> None:
        carrier = scenario.carrier
        carrier.switches["contingency"] = {"SVRS": ContingencySwitch.ON}
        document = scenario.transported_at_the_svc()
        assert carrier.send_event(document.access_key, correction(), authorizer="SVRS").code == "530"
        carrier.switches.clear()
        assert carrier.cancel(document, "SVRS").code == "135"
