"""Each rule about events, broken by one change of an accepted event."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from lxml import etree

from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.limits import REFUSALS_OF_AN_EVENT, REFUSED_EVENT, count_use
from support import CNPJ
from unit.fiscal.goods.support import CPF, ISSUED_AT
from unit.simulator.mdfe.bases import AIR, LOADS_LATER, OWN_CARGO, by, edited, store_event, store_mdfe
from unit.simulator.mdfe.event_scenario import MessageViolation, Scenario
from unit.simulator.mdfe.mdfe_client import MdfeClient, driver, inclusion
from unit.simulator.mdfe.sample_mdfe import CTE_KEY, NFE_KEY, SECOND_NFE_KEY
from unit.simulator.mutating import Edit, at, both, says, without
from unit.simulator.nfe.event_scenario import altered
from unit.simulator.nfe.message_scenarios import with_wrong_digit
from unit.simulator.rules.edits import becomes

DETAIL = "infEvento/detEvento"
CLOSING, INCLUSION = f"{DETAIL}/evEncMDFe", f"{DETAIL}/evIncDFeMDFe"
PAYMENT, CHANGE = f"{DETAIL}/evPagtoOperMDFe/infPag", f"{DETAIL}/evAlteracaoPagtoServMDFe/infPag"
WRONG_CNPJ, WRONG_CPF = "11222333000182", "52998224700"
PASSAGE = "310620"


def rekeyed(start: int, text: str) -> Edit:
    """Replaces a part of the document's key, with a valid check digit."""

    def edit(root: etree._Element) -> None:
        element = at(root, "infEvento/chMDFe")
        element.text = altered(element.text or "", start, text)

    return edit


def wrong_digit(root: etree._Element) -> None:
    element = at(root, "infEvento/chMDFe")
    element.text = with_wrong_digit(element.text or "")


def with_another_id(root: etree._Element) -> None:
    at(root, "infEvento").set("Id", f"ID{'1' * 53}")


def with_short_sequence(root: etree._Element) -> None:
    content = at(root, "infEvento")
    content.set("Id", f"{content.get('Id', '')[:-3]}01")


def authored_by_a_person(root: etree._Element) -> None:
    element = at(root, "infEvento/CNPJ")
    element.tag = element.tag.replace("CNPJ", "CPF")
    element.text = WRONG_CPF


def refused_often(scenario: Scenario) -> None:
    [document] = scenario.carrier.ledger.documents()
    for _ in range(REFUSALS_OF_AN_EVENT):
        count_use(scenario.carrier.context, CNPJ, REFUSED_EVENT, f"ID110111{document.access_key}001")


def with_event(code: str, payload: Callable[[str], str] | None = None) -> Callable[[Scenario], None]:
    """Stores an earlier event of the document."""

    def prepare(scenario: Scenario) -> None:
        [document] = scenario.carrier.ledger.documents()
        inside = payload(document.protocol) if payload else "<evento/>"
        xml = f"<eventoMDFe><infEvento><detEvento>{inside}</detEvento></infEvento></eventoMDFe>"
        store_event(scenario.carrier.context, document.access_key, code, xml.encode())

    return prepare


def with_status(status: DocumentStatus) -> Callable[[Scenario], None]:
    return lambda scenario: scenario.change("update documents set status = ?", status)


def with_document(edit: Edit) -> Callable[[Scenario], None]:
    """Replaces the stored document."""
    return lambda scenario: scenario.change("update documents set xml = ?", edited(edit))


def with_invoice(key: str, status: DocumentStatus) -> Callable[[Scenario], None]:
    """Stores an NF-e."""

    def prepare(scenario: Scenario) -> None:
        store_mdfe(scenario.carrier.context, edited(OWN_CARGO, 9), access_key=key, status=status)

    return prepare


def moved(column: str, by_time: timedelta) -> Callable[[Scenario], None]:
    """Changes a moment of the stored document."""
    moment = (ISSUED_AT + by_time).isoformat()
    return lambda scenario: scenario.change(f"update documents set {column} = ?", moment)


def other(scenario: Scenario) -> MdfeClient:
    return scenario.other


def person(scenario: Scenario) -> MdfeClient:
    return scenario.person(WRONG_CPF)


CANCELED, CLOSED = with_status(DocumentStatus.CANCELED), with_status(DocumentStatus.CLOSED)
BY_AIR = with_document(by(*AIR))
BASES = ("cancellation", "closing", "driver", "inclusion", "payment", "payment_change")

VIOLATIONS = [
    MessageViolation("678", "cancellation", prepare=refused_often),
    MessageViolation(
        "297", "cancellation", after_signing=says(f"{DETAIL}/evCancMDFe/xJust", "OUTRA RAZAO QUALQUER")
    ),
    MessageViolation("213", "cancellation", by=other),
    MessageViolation("252", "cancellation", says("infEvento/tpAmb", "1")),
    MessageViolation(
        "627",
        "closing_by_another",
        says("infEvento/CNPJ", "12ABC34501DE36"),
    ),
    MessageViolation("700", "closing_by_another", authored_by_a_person, by=person),
    MessageViolation("628", "cancellation", with_another_id, identified=False),
    MessageViolation("629", "cancellation", says("infEvento/tpEvento", "110199")),
    MessageViolation("630", "cancellation", says(f"{DETAIL}/evCancMDFe/xJust", "curta")),
    MessageViolation(
        "630",
        "driver",
        becomes(
            f"{DETAIL}/evIncCondutorMDFe", "<evCancMDFe><descEvento>Cancelamento</descEvento></evCancMDFe>"
        ),
        also_off={"645"},
    ),
    MessageViolation("236", "cancellation", wrong_digit, also_off={"600", "217"}, answer="136"),
    MessageViolation("236", "cancellation", rekeyed(2, "11"), also_off={"600", "217"}, answer="136"),
    MessageViolation("236", "cancellation", rekeyed(20, "57"), also_off={"217"}, answer="136"),
    MessageViolation("631", "driver", prepare=with_event("110114", lambda _: driver("39053344705"))),
    MessageViolation("632", "cancellation", says("infEvento/CNPJ", "11222333000262")),
    MessageViolation("632", "closing_by_another", without(f"{CLOSING}/indEncPorTerceiro")),
    MessageViolation("633", "cancellation", says("infEvento/tpEvento", PASSAGE)),
    MessageViolation("600", "cancellation", rekeyed(35, "98765432"), also_off={"217"}, answer="136"),
    MessageViolation("217", "cancellation", rekeyed(25, "000000077"), answer="136"),
    MessageViolation("634", "cancellation", prepare=moved("issued_at", timedelta(hours=2))),
    MessageViolation(
        "637",
        "cancellation",
        says("infEvento/dhEvento", "2026-11-14T10:10:00-03:00"),
        prepare=moved("received_at", timedelta(minutes=50)),
    ),
    MessageViolation("635", "cancellation", says("infEvento/dhEvento", "2026-11-14T11:06:00-03:00")),
    MessageViolation("636", "cancellation", says("infEvento/nSeqEvento", "2")),
    MessageViolation("636", "driver", says("infEvento/nSeqEvento", "100")),
    *(MessageViolation("218", base, prepare=CANCELED) for base in BASES),
    *(MessageViolation("609", base, prepare=CLOSED) for base in BASES[:4]),
    MessageViolation("222", "cancellation", says(f"{DETAIL}/evCancMDFe/nProt", "935260000000099")),
    MessageViolation("222", "closing", says(f"{CLOSING}/nProt", "935260000000099")),
    MessageViolation("222", "inclusion", says(f"{INCLUSION}/nProt", "935260000000099")),
    MessageViolation("220", "cancellation", later=timedelta(hours=23, seconds=1)),
    MessageViolation(
        "220",
        "cancellation_before_loading",
        prepare=with_event("110115", inclusion),
        later=timedelta(hours=23, seconds=1),
    ),
    MessageViolation("219", "cancellation", prepare=with_event(PASSAGE)),
    MessageViolation(
        "710",
        "cancellation_before_loading",
        prepare=with_event("110115", lambda protocol: inclusion(protocol, loading="3509502")),
    ),
    MessageViolation("714", "closing", says(f"{CLOSING}/cMun", "3300000")),
    MessageViolation("614", "closing", says(f"{CLOSING}/cUF", "35")),
    MessageViolation("689", "closing", says(f"{CLOSING}/cUF", "99")),
    MessageViolation("615", "closing", says(f"{CLOSING}/dtEnc", "2026-11-13")),
    MessageViolation("715", "closing", prepare=with_document(LOADS_LATER)),
    MessageViolation("644", "driver", prepare=BY_AIR),
    MessageViolation("645", "driver", says(f"{DETAIL}/evIncCondutorMDFe/condutor/CPF", WRONG_CPF)),
    MessageViolation("577", "driver", says(f"{DETAIL}/evIncCondutorMDFe/condutor/CPF", CPF)),
    MessageViolation(
        "577",
        "driver",
        says("infEvento/nSeqEvento", "2"),
        prepare=with_event("110114", lambda _: driver()),
    ),
    MessageViolation(
        "708",
        "inclusion",
        prepare=with_document(both(LOADS_LATER, without("infMDFe/ide/indCarregaPosterior"))),
    ),
    MessageViolation("456", "inclusion", says(f"{INCLUSION}/cMunCarrega", "3304557")),
    MessageViolation("405", "inclusion", says(f"{INCLUSION}/cMunCarrega", "3500000")),
    MessageViolation("612", "inclusion", says(f"{INCLUSION}/infDoc/cMunDescarga", "3304557")),
    MessageViolation("406", "inclusion", says(f"{INCLUSION}/infDoc/cMunDescarga", "3500000")),
    MessageViolation("709", "inclusion", says(f"{INCLUSION}/infDoc/chNFe", CTE_KEY)),
    MessageViolation(
        "676",
        "inclusion",
        prepare=with_invoice(altered(NFE_KEY, 35, "98765432"), DocumentStatus.AUTHORIZED),
    ),
    MessageViolation("677", "inclusion", prepare=with_invoice(NFE_KEY, DocumentStatus.CANCELED)),
    MessageViolation(
        "711",
        "inclusion",
        says("infEvento/nSeqEvento", "2"),
        prepare=with_event("110115", inclusion),
    ),
    MessageViolation("722", "payment", prepare=BY_AIR, also_off={"723"}),
    MessageViolation("723", "payment", prepare=with_document(lambda root: None)),
    MessageViolation("749", "payment_change", prepare=BY_AIR),
    MessageViolation(
        "724", "payment", both(without(f"{PAYMENT}/infPrazo[2]"), without(f"{PAYMENT}/infPrazo"))
    ),
    MessageViolation(
        "729",
        "payment_change",
        both(says(f"{CHANGE}/indPag", "0"), without(f"{CHANGE}/vAdiant")),
    ),
    MessageViolation("727", "payment", says(f"{PAYMENT}/CNPJ", WRONG_CNPJ)),
    MessageViolation("728", "payment_change", says(f"{CHANGE}/infBanc/CNPJIPEF", WRONG_CNPJ)),
    MessageViolation("746", "payment", says(f"{PAYMENT}/Comp/vComp", "2999.00")),
    MessageViolation("735", "payment", says(f"{PAYMENT}/infPrazo/nParcela", "002")),
    MessageViolation("736", "payment_change", says(f"{CHANGE}/infPrazo/dVenc", "2026-11-13")),
    MessageViolation("737", "payment", says(f"{PAYMENT}/infPrazo[2]/dVenc", "2026-12-04")),
    MessageViolation("738", "payment", says(f"{PAYMENT}/infPrazo/vParcela", "999.00")),
    MessageViolation(
        "739",
        "payment",
        both(
            says(f"{PAYMENT}/indPag", "0"),
            without(f"{PAYMENT}/infPrazo[2]"),
            without(f"{PAYMENT}/infPrazo"),
        ),
    ),
]


class TestEventRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_event_rule_refuses_the_event(
        self, violation: MessageViolation, scenario: Scenario
    ) -> None:
        violation.check(scenario)


class TestAcceptedEvents:
    def test_sequence_in_the_id_may_have_two_digits(self, scenario: Scenario) -> None:
        short = MessageViolation("135", "cancellation", with_short_sequence, identified=False)
        short.accepted(scenario)

    def test_cargo_that_was_not_loaded_is_canceled_later(self, scenario: Scenario) -> None:
        MessageViolation("135", "cancellation_before_loading", later=timedelta(days=20)).accepted(scenario)

    def test_loading_where_it_was_planned_does_not_prevent_a_cancellation(self, scenario: Scenario) -> None:
        loaded = with_event("110115", inclusion)
        MessageViolation("135", "cancellation_before_loading", prepare=loaded).accepted(scenario)

    def test_trip_ends_abroad(self, scenario: Scenario) -> None:
        abroad = both(says(f"{CLOSING}/cUF", "99"), says(f"{CLOSING}/cMun", "9999999"))
        MessageViolation("135", "closing", abroad).accepted(scenario)

    def test_payment_may_change_after_the_trip(self, scenario: Scenario) -> None:
        MessageViolation("135", "payment_change", prepare=CLOSED).accepted(scenario)

    def test_several_invoices_are_included(self, scenario: Scenario) -> None:
        document = scenario.on_the_way(LOADS_LATER)
        first = scenario.carrier.send_event(document, inclusion(document.protocol))
        again = inclusion(document.protocol, [SECOND_NFE_KEY, NFE_KEY])
        refused = scenario.carrier.send_event(document, again, sequence=2)
        assert (first.code, refused.code, "[nProt:" in refused.message) == ("135", "711", True)
        second = inclusion(document.protocol, [SECOND_NFE_KEY])
        assert scenario.carrier.send_event(document, second, sequence=2).code == "135"
        assert scenario.carrier.close(document, city="3550308").code == "135"
