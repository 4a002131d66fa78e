"""The moments that a document tells, against each other and against the authority's clock."""

from datetime import timedelta

import pytest

from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.mutating import after, both, says, without
from unit.simulator.rules.breaking import Breaking, Court, base

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
CONTINGENCY = both(
    after("infNFe/ide/verProc", "xJust", "SEM CONEXAO COM A SEFAZ"),
    after("infNFe/ide/verProc", "dhCont", "2026-11-14T09:00:00-03:00"),
)
BREAKINGS = [
    Breaking("703", "nfe", now=ISSUED_AT - 6 * MINUTE),
    Breaking("228", "nfe", now=ISSUED_AT + 30 * DAY + MINUTE),
    Breaking("704", "nfce", now=ISSUED_AT + 6 * MINUTE),
    Breaking("504", "nfe", after("infNFe/ide/dhEmi", "dhSaiEnt", "2026-12-14T10:00:01-03:00")),
    Breaking("506", "nfe", after("infNFe/ide/dhEmi", "dhSaiEnt", "2026-11-14T09:59:59-03:00")),
    Breaking("556", "nfe", CONTINGENCY),
    Breaking("557", "nfce_offline", both(without("infNFe/ide/dhCont"), without("infNFe/ide/xJust"))),
    Breaking("558", "nfce_offline", says("infNFe/ide/dhCont", "2026-11-14T10:05:01-03:00")),
    Breaking("569", "nfce_offline", says("infNFe/ide/dhCont", "2026-10-15T09:59:59-03:00")),
]


class TestDateRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

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
    def test_what_comes_in_time_is_accepted(self, name: str, late: timedelta, court: Court) -> None:
        accepted = Breaking("none", name, now=ISSUED_AT + late)
        assert court.verdict_on(base(name, court.signer), accepted) is None
