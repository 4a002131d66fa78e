"""Complements and substitutions."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from lxml import etree

from carimbo.simulator.family import RequestContext
from carimbo.simulator.ledger import DocumentStatus
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.cte.bases import (
    COMPLEMENT,
    NORMAL,
    ORIGINAL_KEY,
    SUBSTITUTION,
    invoices_of,
    other_taker,
    store_cte,
)
from unit.simulator.cte.breaking import CteRuleTester, Violation
from unit.simulator.cte.sample_cte import (
    CARRIER,
    CITY_SP,
    DISPATCHER,
    RECEIVER,
    SENDER,
    TAGS,
    key_of,
    unchanged,
    unsigned_cte,
)
from unit.simulator.mutating import Edit, at, both, renew_key, says, without
from unit.simulator.nfe.event_scenario import altered
from unit.simulator.rules.edits import grown

Prepare = Callable[[RequestContext, bytes], None]
REPLACED, COMPLEMENTED = f"{NORMAL}/infCteSub/chCte", "infCte/infCteComp/chCTe"
IMPOSSIBLE = altered(ORIGINAL_KEY, 4, "13")
OLD_KEY = altered(key_of(77), 2, "2510")
UNKNOWN_KEY, OTHER_CODE = key_of(77), key_of(1, code="98765432")
NEW_TAKER = grown(REPLACED, "<indAlteraToma>1</indAlteraToma>")
TO_ANOTHER_STATE = both(says("infCte/ide/UFFim", "MG"), says("infCte/ide/cMunFim", "3106200"))
FROM_ANOTHER_STATE = both(
    says("infCte/ide/UFIni", "MG"), says("infCte/ide/cMunIni", "3106200"), says("infCte/ide/CFOP", "6932")
)


def also_complementing(key: str) -> Edit:
    return grown("infCte/infCteComp", f"<infCteComp><chCTe>{key}</chCTe></infCteComp>")


def edited(number: int, edit: Edit) -> bytes:
    root = etree.fromstring(unsigned_cte(number))
    edit(root)
    renew_key(root, TAGS)
    return etree.tostring(root)


def stored(edit: Edit, *numbers: int) -> Prepare:
    """Stores further documents that refer to the original."""

    def prepare(context: RequestContext, xml: bytes) -> None:
        for number in numbers:
            store_cte(context, edited(number, edit))

    return prepare


def changed_in_store(statement: str, *values: object) -> Prepare:
    def prepare(context: RequestContext, xml: bytes) -> None:
        context.store.connection.execute(statement, values)

    return prepare


canceled = changed_in_store("update documents set status = ?", DocumentStatus.CANCELED)
undisputed = changed_in_store("delete from events")
original_is_subcontracted = changed_in_store(
    "update documents set xml = ?", edited(1, says("infCte/ide/tpServ", "1"))
)
original_is_a_complement = changed_in_store("update documents set xml = ?", edited(1, COMPLEMENT))


VIOLATIONS = [
    Violation("503", base="substitution", edit=says("infCte/ide/tpEmis", "3")),
    Violation("505", base="substitution", edit=without(f"{NORMAL}/infCteSub")),
    Violation("847", base="substitution", edit=says(REPLACED, IMPOSSIBLE), also_off={"673", "568"}),
    Violation("673", base="substitution", edit=says(REPLACED, OTHER_CODE), also_off={"568"}),
    Violation("568", base="substitution", edit=says(REPLACED, UNKNOWN_KEY)),
    Violation("569", base="substitution", prepare=canceled),
    Violation("570", base="substitution", prepare=stored(SUBSTITUTION, 3)),
    Violation("659", base="substitution", prepare=stored(COMPLEMENT, 3)),
    Violation("739", base="substitution", prepare=undisputed),
    Violation("571", base="substitution", prepare=original_is_a_complement, also_off={"734"}),
    Violation(
        "510",
        base="substitution",
        prepare=changed_in_store(
            "update documents set xml = replace(cast(xml as text), '<emit><CNPJ>11222333000181',"
            " '<emit><CNPJ>66677788000183')"
        ),
    ),
    Violation("511", base="substitution", edit=says("infCte/rem/CNPJ", CARRIER), also_off={"552"}),
    Violation("512", base="substitution", edit=says("infCte/dest/CNPJ", CARRIER)),
    Violation("550", base="substitution", edit=grown("infCte/rem", DISPATCHER)),
    Violation("551", base="substitution", edit=grown("infCte/rem", RECEIVER)),
    Violation("738", base="substitution", edit=says("infCte/ide/toma3/toma", "3"), also_off={"552"}),
    Violation("552", base="substitution", edit=says("infCte/rem/CNPJ", CARRIER), masked_by={"511"}),
    Violation("740", base="substitution", edit=both(NEW_TAKER, other_taker(CARRIER))),
    Violation("741", base="substitution", edit=both(NEW_TAKER, says("infCte/ide/toma3/toma", "3"))),
    Violation("742", base="substitution", edit=NEW_TAKER),
    Violation("553", base="substitution", edit=says("infCte/emit/IE", "110042490122")),
    Violation("559", base="substitution", edit=FROM_ANOTHER_STATE),
    Violation("560", base="substitution", edit=TO_ANOTHER_STATE),
    Violation("734", base="substitution", edit=invoices_of(SENDER, SENDER)),
    Violation("834", base="substitution", prepare=original_is_subcontracted),
    Violation(
        "563",
        base="substitution",
        prepare=changed_in_store(
            "update documents set received_at = ?", (ISSUED_AT - timedelta(days=60, seconds=1)).isoformat()
        ),
    ),
    Violation("849", base="complement", edit=says(COMPLEMENTED, IMPOSSIBLE), also_off={"671", "267"}),
    Violation("907", base="complement", edit=also_complementing(ORIGINAL_KEY), detail=ORIGINAL_KEY),
    Violation("933", base="complement", edit=says(COMPLEMENTED, OLD_KEY), detail=OLD_KEY, also_off={"267"}),
    Violation("269", base="complement", edit=says(COMPLEMENTED, key_of(1, CARRIER)), also_off={"267"}),
    Violation("671", base="complement", edit=says(COMPLEMENTED, OTHER_CODE), also_off={"267"}),
    Violation("267", base="complement", edit=says(COMPLEMENTED, UNKNOWN_KEY), detail=UNKNOWN_KEY),
    Violation("491", base="complement", prepare=original_is_a_complement),
    Violation("655", base="complement", prepare=canceled),
    Violation("657", base="complement", prepare=stored(SUBSTITUTION, 3)),
    Violation("520", base="complement", prepare=stored(COMPLEMENT, *range(11, 21))),
    Violation("800", base="complement", edit=says("infCte/rem/CNPJ", CARRIER), also_off={"804"}),
    Violation("801", base="complement", edit=says("infCte/dest/CNPJ", CARRIER)),
    Violation("802", base="complement", edit=grown("infCte/rem", DISPATCHER)),
    Violation("803", base="complement", edit=grown("infCte/rem", RECEIVER)),
    Violation("804", base="complement", edit=other_taker(CARRIER)),
    Violation("805", base="complement", edit=says("infCte/emit/IE", "110042490122")),
    Violation("811", base="complement", edit=FROM_ANOTHER_STATE),
    Violation("812", base="complement", edit=TO_ANOTHER_STATE),
    Violation("835", base="complement", prepare=original_is_subcontracted),
]


class TestReferenceRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: CteRuleTester) -> None:
        tester.check(violation)

    def test_substitution_may_change_the_taker_if_it_says_so(self, tester: CteRuleTester) -> None:
        # Of the same state as the taker before.
        recipient_of_sp = both(
            says("infCte/dest/enderDest/UF", "SP"), says("infCte/dest/enderDest/cMun", CITY_SP[0])
        )
        edit = both(NEW_TAKER, says("infCte/ide/toma3/toma", "3"), recipient_of_sp)
        changed = Violation("738", base="substitution", edit=edit)
        assert tester.verdict_on(tester.broken(changed), changed) is None

    def test_nine_complements_leave_room_for_another(self, tester: CteRuleTester) -> None:
        tenth = Violation("520", base="complement", prepare=stored(COMPLEMENT, *range(11, 20)))
        assert tester.verdict_on(tester.broken(tenth), tenth) is None

    def test_several_documents_may_be_complemented(self, tester: CteRuleTester) -> None:
        edit = also_complementing(key_of(5))
        several = Violation("267", base="complement", edit=edit, prepare=stored(unchanged, 5))
        assert tester.verdict_on(tester.broken(several), several) is None

    @pytest.mark.parametrize(
        ("mode", "month", "code"),
        [
            ("01", "2511", "267"),
            ("01", "2510", "933"),
            ("02", "2510", "933"),
            ("03", "2411", "267"),
            ("03", "2410", "933"),
            ("04", "2411", "267"),
            ("06", "2411", "267"),
        ],
    )
    def test_mode_decides_how_old_a_complemented_document_may_be(
        self, mode: str, month: str, code: str, tester: CteRuleTester
    ) -> None:
        def edit(root: etree._Element) -> None:
            at(root, "infCte/ide/modal").text = mode
            at(root, COMPLEMENTED).text = altered(UNKNOWN_KEY, 2, month)

        # The authority does not have the document, which a later rule refuses.
        complement = Violation("933", base="complement", edit=edit)
        refusal = tester.verdict_on(tester.broken(complement), complement)
        assert refusal is not None
        assert refusal.code == code
