"""Composition ensures the rules that are skipped for items without taxes in their request."""

import random
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.documents.nfe.document import compose
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.goods.rules.judging import ITEM_BOOKS, judge_document
from carimbo.fiscal.goods.rules.rule import RuleInput
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.rules import Judgement
from unit.fiscal.goods.support import BUYER, CONTRIBUTOR, NFE_BODY, SOFTWARE, company, emission
from unit.fiscal.goods.taxed_sales import ABROAD, IN_BAHIA, IN_RIO, NORMAL, PRESUMED, SIMPLES

SKIPPED = frozenset(rule.code for book in ITEM_BOOKS if book.is_for_given_taxes for rule in book)
ITEMS = 40

pytestmark = pytest.mark.usefixtures("cbs_of_2027")


def random_items(**taxes: Any) -> list[dict[str, Any]]:
    """Returns items with all kinds of origins, prices, charges and discounts."""
    chance = random.Random(0)
    return [
        {
            "description": "Caneca",
            "ncm": "69120000",
            "origin": chance.choice("012"),
            "quantity": Decimal(chance.randrange(1, 40_000)) / chance.choice((1, 10, 10_000)),
            "unitValue": Decimal(chance.randrange(1, 1_000_000)) / chance.choice((1, 100, 10_000)),
            "freight": Decimal(chance.randrange(100)) / 100,
            "discount": Decimal(chance.randrange(2)) / 100,
            **taxes,
        }
        for _ in range(ITEMS)
    ]


def judged(by: Company, issued: str, *, is_composed: bool, **changes: Any) -> Judgement:
    request = NfeRequest.model_validate(NFE_BODY | changes)
    under = emission(issued_at=datetime.fromisoformat(f"{issued}T10:00:00-03:00"))
    composition = compose(request, by, under, SOFTWARE)
    assert not composition.problems
    rule_input = RuleInput(composition.document, request, by, under.issued_at, is_composed=is_composed)
    return judge_document(rule_input)


@pytest.mark.parametrize("issued", ["2026-11-14", "2027-02-01"])
@pytest.mark.parametrize("recipient", [BUYER, CONTRIBUTOR, IN_RIO, IN_BAHIA, ABROAD])
@pytest.mark.parametrize(
    "by", [NORMAL, PRESUMED, SIMPLES, company(taxRegime="normal", pisCofinsRegime="cumulative")]
)
def test_computed_taxes_break_none_of_the_skipped_rules(
    by: Company, recipient: dict[str, Any], issued: str
) -> None:
    judgement = judged(by, issued, is_composed=False, recipient=recipient, items=random_items())
    assert not {problem.code for problem in judgement.problems} & SKIPPED


def test_computed_taxes_of_a_public_purchase_break_none_of_the_skipped_rules() -> None:
    purchase = {"entityType": "1", "rateReduction": 10, "operationType": "1"}
    judgement = judged(
        NORMAL, "2026-11-14", is_composed=False, governmentPurchase=purchase, items=random_items()
    )
    assert not {problem.code for problem in judgement.problems} & SKIPPED


def test_wrong_rate_of_the_request_is_refused() -> None:
    wrong = {"state": {"rate": 0.3}}
    judgement = judged(NORMAL, "2026-11-14", is_composed=True, items=random_items(ibsCbs=wrong))
    assert len(judgement.problems) == ITEMS
    assert {problem.code for problem in judgement.problems} == {"1026"}
