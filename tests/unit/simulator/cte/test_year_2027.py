"""Corrections around 1 January 2027."""

from datetime import datetime

from unit.simulator.cte.bases import NORMAL, RATES_OF_2027, WITHOUT_TAXES
from unit.simulator.cte.breaking import CteRuleTester, Violation
from unit.simulator.cte.sample_cte import key_of
from unit.simulator.mutating import Edit, both, says
from unit.simulator.nfe.event_scenario import altered
from unit.simulator.rules.edits import FIRST_OF_2027, LAST_OF_2026, grown

KEY_OF_2027 = altered(key_of(77), 2, "2701")
ALSO_OF_2027 = grown("infCte/infCteComp", f"<infCteComp><chCTe>{KEY_OF_2027}</chCTe></infCteComp>")


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


class TestRates:
    def test_substitution_repeats_the_rates_of_the_document_of_2026(self, tester: CteRuleTester) -> None:
        assert code_of(tester, "substitution", FIRST_OF_2027) is None
        assert code_of(tester, "substitution", FIRST_OF_2027, RATES_OF_2027) == "1026"

    def test_substitution_of_a_document_of_2027_has_the_new_rates(self, tester: CteRuleTester) -> None:
        replaced = says(f"{NORMAL}/infCteSub/chCte", KEY_OF_2027)
        assert code_of(tester, "substitution", FIRST_OF_2027, replaced) == "1026"
        # The authority does not have it, which a later rule refuses.
        assert code_of(tester, "substitution", FIRST_OF_2027, replaced, RATES_OF_2027) == "568"

    def test_complement_has_the_rates_of_its_own_day(self, tester: CteRuleTester) -> None:
        assert code_of(tester, "complement", FIRST_OF_2027) == "1026"
        assert code_of(tester, "complement", FIRST_OF_2027, RATES_OF_2027) is None
