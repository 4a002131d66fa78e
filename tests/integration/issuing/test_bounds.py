"""Documents with dates at the ends of the calendar, and documents of the greatest size."""

from typing import Any

import pytest

from integration.issuing.shop import GOODS, KINDS, MUG, REFUSALS, REFUSED, Shop, body_of, error_of
from support import data_of

ENDS_OF_THE_CALENDAR = [
    "0001-01-01T00:00:00Z",
    "0001-01-01T12:00:00Z",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59-12:00",
]
LONG_ITEMS = [MUG | {"notes": "x" * 500, "unitValue": 1}] * 700
of_every_type = pytest.mark.parametrize("document_type", KINDS)


def fields_in(rules: list[dict[str, Any]]) -> set[str]:
    assert all(rule["message"] for rule in rules)
    return {rule["field"] for rule in rules}


def fields_by_moment(rules: dict[str, list[dict[str, Any]]]) -> dict[str, set[str]]:
    """Returns the invalid fields for each issue date."""
    return {moment: fields_in(problems) for moment, problems in rules.items()}


BLAMED = {moment: {"issueDate"} for moment in ENDS_OF_THE_CALENDAR}


@of_every_type
async def test_issue_date_at_the_end_of_the_calendar_is_a_rule_violation(
    idle_shop: Shop, document_type: str
) -> None:
    rules, problems = {}, {}
    for moment in ENDS_OF_THE_CALENDAR:
        body = body_of(document_type, issueDate=moment)
        rules[moment] = error_of(
            await idle_shop.post(f"/{document_type}", body), 422, "FISCAL_RULE_VIOLATION"
        )["rules"]
        problems[moment] = data_of(await idle_shop.post(f"/{document_type}", body, dryRun="true"))["problems"]
    assert fields_by_moment(rules) == BLAMED
    assert problems == rules
    assert await idle_shop.count() == 0


class TestCorrectionAtTheBounds:
    @of_every_type
    async def test_correction_to_the_end_of_the_calendar_changes_nothing(
        self, shop: Shop, document_type: str
    ) -> None:
        refused, rules = await shop.issue(document_type, notes=REFUSALS[document_type]), {}
        for moment in ENDS_OF_THE_CALENDAR:
            answer = await shop.patch(refused, issueDate=moment)
            rules[moment] = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert fields_by_moment(rules) == BLAMED
        assert await shop.read(refused) == refused

    async def test_correction_that_makes_the_document_too_long_changes_nothing(self, shop: Shop) -> None:
        refused = await shop.issue(notes=REFUSED, payments=None)
        details = error_of(await shop.patch(refused, items=LONG_ITEMS), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["code"] for rule in details["rules"]] == ["214"]
        assert await shop.read(refused) == refused


async def test_document_longer_than_the_authorities_accept_is_a_rule_violation(
    idle_shop: Shop,
) -> None:
    nfe, nfce = (body_of(document_type, items=LONG_ITEMS, payments=None) for document_type in GOODS)
    (rule,) = error_of(await idle_shop.post("/nfe", nfe), 422, "FISCAL_RULE_VIOLATION")["rules"]
    assert (rule["code"], rule["field"]) == ("214", "items")
    assert "500 kB" in rule["message"]
    assert rule["hint"].startswith("Divida")
    assert data_of(await idle_shop.post("/nfce", nfce, dryRun="true"))["problems"] == [rule]
    assert await idle_shop.count() == 0
