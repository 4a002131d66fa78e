"""Corrections around 1 January 2027."""

from datetime import datetime

from unit.simulator.cte.bases import ORIGINAL_KEY, WITHOUT_TAXES
from unit.simulator.cte.breaking import CteRuleTester, Violation
from unit.simulator.mutating import Edit, both, says
from unit.simulator.nfe.event_scenario import altered
from unit.simulator.rules.edits import FIRST_OF_2027, LAST_OF_2026, grown

ALSO_OF_2027 = grown(
    "infCte/infCteComp", f"<infCteComp><chCTe>{altered(ORIGINAL_KEY, 2, '2701')}</chCTe></infCteComp>"
)


def code_of(tester: CteRuleTester, base: str, moment: datetime, *edits: Edit) -> str | None:
    """Returns the code that refuses a correction of a document of November 2026; None if it is accepted."""
    edit = both(says("infCte/ide/dhEmi", moment.isoformat()), *edits)
    correction = Violation("", base=base, edit=edit, now=moment)
    refusal = tester.verdict_on(tester.broken(correction), correction)
    return refusal.code if refusal else None


class TestComplementWithoutTaxes:
    def test_complement_of_a_document_of_2026_may_leave_them_out(self, tester: CteRuleTester) -> None:
        assert code_of(tester, "complement", FIRST_OF_2027, WITHOUT_TAXES) is None

    def test_complement_also_of_a_document_of_2027_needs_them(self, tester: CteRuleTester) -> None:
        assert code_of(tester, "complement", FIRST_OF_2027, WITHOUT_TAXES, ALSO_OF_2027) == "310"

    def test_complement_issued_in_2026_needs_them(self, tester: CteRuleTester) -> None:
        assert code_of(tester, "complement", LAST_OF_2026, WITHOUT_TAXES) == "310"

    def test_substitution_needs_them(self, tester: CteRuleTester) -> None:
        assert code_of(tester, "substitution", FIRST_OF_2027, WITHOUT_TAXES) == "310"
