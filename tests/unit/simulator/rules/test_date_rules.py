"""The dates of a document, compared with each other and with the clock of the authority."""

from datetime import timedelta

import pytest

from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.mutating import after, both, says, without
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation, base

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
CONTINGENCY = both(
    after("infNFe/ide/verProc", "xJust", "SEM CONEXAO COM A SEFAZ"),
    after("infNFe/ide/verProc", "dhCont", "2026-11-14T09:00:00-03:00"),
)
VIOLATIONS = [
    Violation("703", "nfe", now=ISSUED_AT - 6 * MINUTE),
    Violation("228", "nfe", now=ISSUED_AT + 30 * DAY + MINUTE),
    Violation("704", "nfce", now=ISSUED_AT + 6 * MINUTE),
    Violation("504", "nfe", after("infNFe/ide/dhEmi", "dhSaiEnt", "2026-12-14T10:00:01-03:00")),
    Violation("506", "nfe", after("infNFe/ide/dhEmi", "dhSaiEnt", "2026-11-14T09:59:59-03:00")),
    Violation("556", "nfe", CONTINGENCY),
    Violation("557", "nfce_offline", both(without("infNFe/ide/dhCont"), without("infNFe/ide/xJust"))),
    Violation("558", "nfce_offline", says("infNFe/ide/dhCont", "2026-11-14T10:05:01-03:00")),
    Violation("569", "nfce_offline", says("infNFe/ide/dhCont", "2026-10-15T09:59:59-03:00")),
]


class TestDateRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize(
        ("name", "late"),
        [
            ("nfe", -5 * MINUTE),
            ("nfe", 30 * DAY),
            ("nfce", -5 * MINUTE),
            ("nfce", 5 * MINUTE),
            ("nfce_offline", 60 * DAY),
        ],
    )
    def test_document_in_time_is_accepted(
        self, name: str, late: timedelta, tester: InvoiceRuleTester
    ) -> None:
        accepted = Violation("none", name, now=ISSUED_AT + late)
        assert tester.verdict_on(base(name, tester.signer), accepted) is None
