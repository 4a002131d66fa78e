"""Each rule about deliveries, undone events and guides of valuables, broken by one change."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from lxml import etree

from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.ledger import StoredDocument
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.cte.bases import COMPLEMENT, NORMAL, SUBSTITUTION
from unit.simulator.cte.cte_client import (
    CteClient,
    cancellation,
    delivery,
    delivery_cancellation,
    failed_delivery,
    guides,
)
from unit.simulator.cte.event_scenario import AN_HOUR_LATER, DELIVERED_AT, MessageViolation, Scenario
from unit.simulator.cte.sample_cte import INVOICE_KEY, SENDER, key_of
from unit.simulator.cte.test_event_rules import (
    AT_SVRS,
    DETAIL,
    carrier,
    held_by_svrs,
    rekeyed,
    replaced_or_complemented,
)
from unit.simulator.mutating import Edit, after, at, says, without
from unit.simulator.nfe.message_scenarios import with_wrong_digit
from unit.simulator.rules.edits import filled, grown

PROOF, FAILURE, GUIDES = f"{DETAIL}/evCECTe", f"{DETAIL}/evIECTe", f"{DETAIL}/evGTV"
INVOICE = f"<infEntrega><chNFe>{INVOICE_KEY}</chNFe></infEntrega>"
OTHER_PROTOCOL = "135260000000099"
OTHER_INVOICE = key_of(4, SENDER, "55")
GLOBALIZED = after("infCte/ide/verProc", "indGlobalizado", "1")


def only_document(scenario: Scenario) -> StoredDocument:
    [document] = scenario.carrier.ledger.documents()
    return document


def delivered(scenario: Scenario) -> None:
    """Registers another proof of delivery."""
    document = only_document(scenario)
    proof = delivery(document.protocol, DELIVERED_AT, INVOICE_KEY)
    scenario.registered(scenario.carrier, document, proof, sequence=2)


def document_becomes(edit: Edit) -> Callable[[Scenario], None]:
    """Changes the stored document."""

    def prepare(scenario: Scenario) -> None:
        root = etree.fromstring(only_document(scenario).xml)
        edit(root)
        scenario.change("update documents set xml = ?", etree.tostring(root))

    return prepare


def globalized_and_delivered(scenario: Scenario) -> None:
    document_becomes(GLOBALIZED)(scenario)
    delivered(scenario)


def guides_sent(scenario: Scenario) -> None:
    scenario.registered(scenario.carrier, only_document(scenario), guides(1), sequence=2)


def moment(minutes: int) -> str:
    return (ISSUED_AT + timedelta(minutes=minutes)).isoformat()


VIOLATIONS = [
    MessageViolation("530", "delivery", where=AT_SVRS, prepare=held_by_svrs, masked_by={"516"}),
    MessageViolation("732", "delivery", rekeyed(20, "67"), also_off={"217"}, answer="136"),
    MessageViolation("721", "guides", rekeyed(20, "57"), also_off={"217"}, answer="136"),
    MessageViolation("595", "disagreement", rekeyed(20, "55"), also_off={"217"}, answer="136"),
    MessageViolation("636", "guides", says("infEvento/nSeqEvento", "100")),
    MessageViolation(
        "755", "disagreement_cancellation", says("infEvento/CNPJ", "11222333000181"), by=carrier
    ),
    MessageViolation("664", "disagreement_cancellation", prepare=replaced_or_complemented(SUBSTITUTION)),
    MessageViolation("222", "delivery", says(f"{PROOF}/nProt", OTHER_PROTOCOL)),
    MessageViolation("222", "failed_delivery", says(f"{FAILURE}/nProt", OTHER_PROTOCOL)),
    MessageViolation("222", "delivery_cancellation", says(f"{DETAIL}/evCancCECTe/nProt", OTHER_PROTOCOL)),
    MessageViolation("862", "cancellation", prepare=delivered),
    MessageViolation("866", "delivery_cancellation", says(f"{DETAIL}/evCancCECTe/nProtCE", OTHER_PROTOCOL)),
    MessageViolation(
        "866", "failed_delivery_cancellation", says(f"{DETAIL}/evCancIECTe/nProtIE", OTHER_PROTOCOL)
    ),
    MessageViolation(
        "866",
        "disagreement_cancellation",
        says(f"{DETAIL}/evCancPrestDesacordo/nProtEvPrestDes", OTHER_PROTOCOL),
    ),
    MessageViolation("869", "delivery", prepare=document_becomes(COMPLEMENT), also_off={"871", "864"}),
    MessageViolation("869", "failed_delivery", prepare=document_becomes(COMPLEMENT), also_off={"871", "864"}),
    MessageViolation("865", "delivery", without(f"{PROOF}/infEntrega")),
    MessageViolation("865", "failed_delivery", without(f"{FAILURE}/infEntrega")),
    MessageViolation("871", "delivery", prepare=document_becomes(says("infCte/ide/tpServ", "1"))),
    MessageViolation(
        "860",
        "delivery",
        says(f"{PROOF}/infEntrega/chNFe", with_wrong_digit(INVOICE_KEY)),
        also_off={"864"},
    ),
    MessageViolation("861", "delivery", grown(f"{PROOF}/infEntrega", INVOICE)),
    MessageViolation("864", "delivery", says(f"{PROOF}/infEntrega/chNFe", OTHER_INVOICE)),
    MessageViolation("863", "delivery", prepare=globalized_and_delivered),
    MessageViolation("870", "delivery", prepare=delivered),
    MessageViolation("872", "delivery", says(f"{PROOF}/dhEntrega", moment(-1))),
    MessageViolation("872", "failed_delivery", says(f"{FAILURE}/dhTentativaEntrega", moment(66))),
    MessageViolation("873", "delivery", says(f"{PROOF}/dhHashEntrega", moment(29))),
    MessageViolation("873", "delivery", says(f"{PROOF}/dhHashEntrega", moment(66))),
    MessageViolation("889", "guides", prepare=document_becomes(says("infCte/ide/tpServ", "6"))),
    MessageViolation(
        "890", "guides", prepare=document_becomes(filled(NORMAL, "<infGTVe><chCTe>1</chCTe></infGTVe>"))
    ),
    MessageViolation(
        "618",
        "guides",
        lambda root: at(root, GUIDES).append(etree.fromstring(etree.tostring(at(root, f"{GUIDES}/infGTV")))),
    ),
    MessageViolation("619", "guides", prepare=guides_sent),
]


class TestDeliveryRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_event(self, violation: MessageViolation, scenario: Scenario) -> None:
        violation.check(scenario)


@pytest.fixture
def later(scenario: Scenario) -> CteClient:
    """The carrier an hour after the issue."""
    scenario.carrier.now = AN_HOUR_LATER
    return scenario.carrier


class TestUndoing:
    def test_undone_delivery_allows_another_and_the_cancellation(
        self, scenario: Scenario, later: CteClient
    ) -> None:
        document = scenario.transported()
        proof = delivery(document.protocol, DELIVERED_AT, INVOICE_KEY)
        undone = scenario.registered(later, document, proof)
        assert later.send_event(document.access_key, proof, 2).code == "870"
        undo = delivery_cancellation(document.protocol, undone)
        assert later.send_event(document.access_key, undo).code == "135"
        assert later.send_event(document.access_key, undo, 2).code == "866"
        again = scenario.registered(later, document, proof, 2)
        assert later.send_event(document.access_key, cancellation(document.protocol)).code == "862"
        scenario.registered(later, document, delivery_cancellation(document.protocol, again), 2)
        assert later.cancel(document).code == "135"

    def test_failed_deliveries_do_not_prevent_anything(self, scenario: Scenario, later: CteClient) -> None:
        document = scenario.transported()
        failure = failed_delivery(document.protocol, DELIVERED_AT, INVOICE_KEY)
        for sequence in (1, 2):
            scenario.registered(later, document, failure, sequence)
        scenario.registered(later, document, delivery(document.protocol, DELIVERED_AT, INVOICE_KEY))


class TestAtTheContingency:
    def test_delivery_of_a_document_of_the_svc_is_not_accepted_there(self, scenario: Scenario) -> None:
        carrier_at_svc = scenario.carrier
        carrier_at_svc.switches["contingency"] = {"SVRS": ContingencySwitch.ON}
        document = scenario.transported_at_the_svc()
        carrier_at_svc.now = AN_HOUR_LATER
        proof = delivery(document.protocol, DELIVERED_AT, INVOICE_KEY)
        assert carrier_at_svc.send_event(document.access_key, proof, authorizer="SVRS").code == "530"
