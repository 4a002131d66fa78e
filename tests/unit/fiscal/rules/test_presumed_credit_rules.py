"""Conditional presumed credits of CBS, which purchases of used goods have from 2027 on."""

from datetime import datetime
from decimal import Decimal

import pytest

from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs, OperationCredit, PresumedCredit
from unit.fiscal.goods.support import emission
from unit.fiscal.rules.breakings_parties import refusals

IN_2026, IN_2027 = (
    emission(issued_at=datetime.fromisoformat(f"{moment}-03:00"))
    for moment in ("2026-12-31T23:59:00", "2027-01-01T00:01:00")
)
USED_GOODS, OTHER = "04", "01"
AT_ONCE = PresumedCredit(rate=Decimal(1), amount=Decimal(1))
LATER = PresumedCredit(rate=Decimal(1), conditional_amount=Decimal(1))


@pytest.mark.parametrize(
    ("under", "code", "credit", "is_refused"),
    [
        (IN_2026, USED_GOODS, LATER, True),
        (IN_2027, USED_GOODS, LATER, False),
        (IN_2027, OTHER, LATER, True),
        (IN_2026, USED_GOODS, AT_ONCE, False),
    ],
)
def test_conditional_credit_is_accepted_for_used_goods_since_2027(
    under: object, code: str, credit: PresumedCredit, is_refused: bool
) -> None:
    granted = OperationCredit(base=Decimal(100), code=code, cbs=credit)
    taxed = IbsCbs(cst="000", tax_class="000001", operation_credit=granted)
    codes = refusals(document={"items[0].taxes.ibs_cbs": taxed}, under=under)
    assert ("1060" in codes) is is_refused
