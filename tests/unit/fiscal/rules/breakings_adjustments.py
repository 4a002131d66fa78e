"""What breaks the rules of debit notes, credit notes and presumed credits."""

from datetime import datetime

from unit.fiscal.goods.support import emission
from unit.fiscal.rules.breaking import Breaking

_IN_MARCH_2027 = emission(issued_at=datetime.fromisoformat("2027-03-01T10:00:00-03:00"))
_CONDITIONAL = {"rate": 1, "conditionalAmount": 1}

BREAKINGS: tuple[Breaking, ...] = (
    Breaking(
        "1001",
        "items[0].icms",
        body={
            "purpose": "debit",
            "debitType": "01",
            "items[0].icms": {"csosn": "102"},
            "items[0].ibsCbs": {"taxClassCode": "000001"},
        },
    ),
    Breaking(
        "1281",
        "governmentPurchase.operationType",
        body={"governmentPurchase": {"entityType": "1", "rateReduction": 10, "operationType": "4"}},
        under=_IN_MARCH_2027,
    ),
    Breaking(
        "1060",
        "items[0].ibsCbs.operationCredit.cbs.conditionalAmount",
        "normal sale",
        {
            "items[0].ibsCbs": {
                "taxClassCode": "000001",
                "operationCredit": {"base": 100, "code": "04", "cbs": _CONDITIONAL},
            }
        },
    ),
)
