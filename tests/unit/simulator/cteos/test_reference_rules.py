"""Complements and substitutions of CT-e OS."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from carimbo.simulator.family import RequestContext
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.cte.bases import NORMAL, RATES_OF_2027, WITHOUT_TAXES, store_cte
from unit.simulator.cte.sample_cte import CARRIER
from unit.simulator.cte.test_reference_rules import canceled, changed_in_store, undisputed
from unit.simulator.cteos.bases import COMPLEMENT, ORIGINAL_KEY, SUBSTITUTION, TO_BAHIA, through, unsigned
from unit.simulator.cteos.breaking import CteOsRuleTester, OsViolation
from unit.simulator.cteos.sample_cteos import key_of
from unit.simulator.mutating import Edit, both, says, without
from unit.simulator.nfe.event_scenario import altered
from unit.simulator.rules.edits import FIRST_OF_2027, grown

REPLACED, COMPLEMENTED = f"{NORMAL}/infCteSub/chCte", "infCte/infCteComp/chCTe"
UNKNOWN_KEY, OTHER_CODE, OF_CTE = key_of(77), key_of(1, code="98765432"), key_of(1, model="57")
OLD_KEY = altered(UNKNOWN_KEY, 2, "2510")
FROM_ANOTHER_STATE = both(says("infCte/ide/UFIni", "MG"), says("infCte/ide/cMunIni", "3106200"))
TO_ANOTHER_STATE = both(TO_BAHIA, through("MG"))
OTHER_TAKER = says("infCte/toma/CNPJ", CARRIER)


def stored(edit: Edit, *numbers: int) -> Callable[[RequestContext, bytes], None]:
    """Stores further documents that refer to the original."""

    def prepare(context: RequestContext, xml: bytes) -> None:
        for number in numbers:
            store_cte(context, unsigned(number, edit))

    return prepare


original_is_a_complement = changed_in_store("update documents set xml = ?", unsigned(1, COMPLEMENT))
original_is_of_baggage = changed_in_store(
    "update documents set xml = ?", unsigned(1, says("infCte/ide/tpServ", "8"))
)

VIOLATIONS = [
    OsViolation("503", base="substitution", edit=says("infCte/ide/tpEmis", "2"), masked_by={"587"}),
    OsViolation("505", base="substitution", edit=without(f"{NORMAL}/infCteSub")),
    OsViolation("858", base="substitution", edit=says(REPLACED, OF_CTE), also_off={"568"}),
    OsViolation("673", base="substitution", edit=says(REPLACED, OTHER_CODE), also_off={"568"}),
    OsViolation("568", base="substitution", edit=says(REPLACED, UNKNOWN_KEY)),
    OsViolation("569", base="substitution", prepare=canceled),
    OsViolation("570", base="substitution", prepare=stored(SUBSTITUTION, 3)),
    OsViolation("659", base="substitution", prepare=stored(COMPLEMENT, 3)),
    OsViolation("739", base="substitution", prepare=undisputed),
    OsViolation("571", base="substitution", prepare=original_is_a_complement),
    OsViolation(
        "510",
        base="substitution",
        prepare=changed_in_store(
            "update documents set xml = replace(cast(xml as text), '<emit><CNPJ>11222333000181',"
            " '<emit><CNPJ>66677788000183')"
        ),
    ),
    OsViolation("552", base="substitution", edit=OTHER_TAKER),
    OsViolation("553", base="substitution", edit=says("infCte/emit/IE", "110042490122")),
    OsViolation("559", base="substitution", edit=FROM_ANOTHER_STATE),
    OsViolation("560", base="substitution", edit=TO_ANOTHER_STATE),
    OsViolation("834", base="substitution", prepare=original_is_of_baggage),
    OsViolation(
        "563",
        base="substitution",
        prepare=changed_in_store(
            "update documents set received_at = ?", (ISSUED_AT - timedelta(days=60, seconds=1)).isoformat()
        ),
    ),
    OsViolation("859", base="complement", edit=says(COMPLEMENTED, OF_CTE), also_off={"267"}),
    OsViolation(
        "907",
        base="complement",
        edit=grown("infCte/infCteComp", f"<infCteComp><chCTe>{ORIGINAL_KEY}</chCTe></infCteComp>"),
        detail=ORIGINAL_KEY,
    ),
    OsViolation("933", base="complement", edit=says(COMPLEMENTED, OLD_KEY), detail=OLD_KEY, also_off={"267"}),
    OsViolation("269", base="complement", edit=says(COMPLEMENTED, key_of(1, CARRIER)), also_off={"267"}),
    OsViolation("671", base="complement", edit=says(COMPLEMENTED, OTHER_CODE), also_off={"267"}),
    OsViolation("267", base="complement", edit=says(COMPLEMENTED, UNKNOWN_KEY), detail=UNKNOWN_KEY),
    OsViolation("491", base="complement", prepare=original_is_a_complement),
    OsViolation("655", base="complement", prepare=canceled),
    OsViolation("657", base="complement", prepare=stored(SUBSTITUTION, 3)),
    OsViolation("520", base="complement", prepare=stored(COMPLEMENT, *range(11, 21))),
    OsViolation("804", base="complement", edit=OTHER_TAKER),
    OsViolation("805", base="complement", edit=says("infCte/emit/IE", "110042490122")),
    OsViolation("811", base="complement", edit=FROM_ANOTHER_STATE),
    OsViolation("812", base="complement", edit=TO_ANOTHER_STATE),
    OsViolation("835", base="complement", prepare=original_is_of_baggage),
]


class TestReferenceRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: OsViolation, tester: CteOsRuleTester) -> None:
        tester.check(violation)


class TestYear2027:
    """No published rule refuses PIS and COFINS in 2027; the rates of IBS and CBS change as in CT-e."""

    def code_of(self, tester: CteOsRuleTester, base: str, *edits: Edit) -> str | None:
        edit = both(
            says("infCte/ide/dhEmi", FIRST_OF_2027.isoformat()),
            *edits,
        )
        document = OsViolation("", base=base, edit=edit, now=FIRST_OF_2027)
        refusal = tester.verdict_on(tester.broken(document), document)
        return refusal.code if refusal else None

    def test_substitution_repeats_the_rates_of_the_document_of_2026(self, tester: CteOsRuleTester) -> None:
        later = says(f"{NORMAL}/infModal/rodoOS/infFretamento/dhViagem", "2027-01-02T08:00:00-03:00")
        assert self.code_of(tester, "substitution", later) is None
        assert self.code_of(tester, "substitution", later, RATES_OF_2027) == "1026"

    def test_complement_of_a_document_of_2026_may_leave_the_taxes_out(self, tester: CteOsRuleTester) -> None:
        assert self.code_of(tester, "complement", WITHOUT_TAXES) is None
        assert self.code_of(tester, "complement") == "1026"
        assert self.code_of(tester, "complement", RATES_OF_2027) is None
