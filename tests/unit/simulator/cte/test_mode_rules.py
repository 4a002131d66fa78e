"""The content of each mode of transport."""

import pytest

from carimbo.simulator.family import RequestContext
from carimbo.simulator.ledger import DocumentStatus
from unit.simulator.cte.bases import CONTAINER, NORMAL, ORIGINAL_KEY
from unit.simulator.cte.breaking import CteRuleTester, Violation
from unit.simulator.cte.sample_cte import key_of
from unit.simulator.mutating import both, says, without
from unit.simulator.nfe.event_scenario import altered
from unit.simulator.rules.edits import grown

MODE = f"{NORMAL}/infModal"
TRAFFIC = f"{MODE}/ferrov/trafMut"
KEY_OF_ORIGIN = f"{TRAFFIC}/chCTeFerroOrigem"


def canceled(context: RequestContext, xml: bytes) -> None:
    context.store.connection.execute("update documents set status = ?", (DocumentStatus.CANCELED,))


VIOLATIONS = [
    Violation("580", base="air", edit=says(f"{MODE}/aereo/tarifa/CL", "X"), detail="tarifa/CL"),
    Violation("580", base="water", edit=says(f"{MODE}/aquav/direc", "X"), detail="aquav/direc"),
    Violation("580", base="rail", edit=says(f"{MODE}/ferrov/tpTraf", "4"), detail="ferrov/tpTraf"),
    Violation("580", base="pipeline", edit=without(f"{MODE}/duto/dFim"), detail="duto"),
    Violation("580", base="multimodal", edit=says(f"{MODE}/multimodal/indNegociavel", "2"), detail="indNeg"),
    Violation("580", base="air", edit=says("infCte/ide/modal", "03"), detail="aereo"),
    Violation("581", base="pipeline", edit=says("infCte/ide/modal", "01"), masked_by={"580"}),
    Violation("526", base="containers", edit=without(f"{MODE}/aquav/detCont")),
    Violation("526", base="water", edit=grown(f"{MODE}/aquav/irin", CONTAINER)),
    Violation("582", base="rail", edit=says(f"{MODE}/ferrov/tpTraf", "1")),
    Violation("583", base="mutual_traffic", edit=says(f"{TRAFFIC}/respFat", "1")),
    Violation("584", base="mutual_traffic", edit=without(KEY_OF_ORIGIN)),
    Violation(
        "842",
        base="mutual_traffic",
        edit=says(KEY_OF_ORIGIN, altered(ORIGINAL_KEY, 4, "13")),
        detail="mês inválido",
        also_off={"709", "710"},
    ),
    Violation(
        "710", base="mutual_traffic", edit=says(KEY_OF_ORIGIN, key_of(code="98765432")), also_off={"709"}
    ),
    Violation("709", base="mutual_traffic", edit=says(KEY_OF_ORIGIN, key_of(77))),
    Violation("711", base="mutual_traffic", prepare=canceled),
]


class TestModeRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: CteRuleTester) -> None:
        tester.check(violation)

    def test_railway_of_origin_that_bills_refers_to_no_other_document(self, tester: CteRuleTester) -> None:
        edit = both(says(f"{TRAFFIC}/respFat", "1"), says(f"{TRAFFIC}/ferrEmi", "1"), without(KEY_OF_ORIGIN))
        billed = Violation("583", base="mutual_traffic", edit=edit)
        assert tester.verdict_on(tester.broken(billed), billed) is None
