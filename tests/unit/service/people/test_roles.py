"""The capabilities of each role. The table is written by hand, so that a change of roles is a decision."""

from datetime import UTC, datetime

import pytest

from carimbo.service.people.people import Membership
from carimbo.service.people.roles import NEEDS_FRESH_SIGN_IN, OF_OPERATOR, Capability, MemberRole
from carimbo.storage.identifiers import new_id
from carimbo.storage.subscriptions import Subscription, SubscriptionPlan

# Owner, admin, issuer, aCcountant, viewer; in small letters only with access to all companies.
TABLE = {
    "documents:read": "OAICV",
    "documents:issue": "OAI",
    "documents:cancel": "OAI",
    "work:resume": "OA",
    "documents:send": "OAIC",
    "documents:export": "OAIC",
    "received:read": "OAICV",
    "received:manifest": "OAIC",
    "catalog:read": "OAICV",
    "catalog:change": "OAI",
    "companies:read": "OAICV",
    "companies:create": "oa",
    "companies:change": "OA",
    "companies:certificate": "OA",
    "companies:environment": "OA",
    "webhooks:read": "oa",
    "webhooks:change": "oa",
    "usage:read": "oa",
    "credentials:read": "oa",
    "credentials:change": "o",
    "people:read": "oa",
    "people:change": "o",
    "audit:read": "oa",
    "installation:operate": "",
}
LETTERS = {
    MemberRole.OWNER: "o",
    MemberRole.ADMIN: "a",
    MemberRole.ISSUER: "i",
    MemberRole.ACCOUNTANT: "c",
    MemberRole.VIEWER: "v",
}
SUBSCRIPTION = Subscription(
    new_id(), "Loja", SubscriptionPlan("trial", None, 10, 120), frozenset(), datetime.now(UTC)
)


@pytest.mark.parametrize("role", MemberRole)
def test_role_may_do_exactly_what_the_table_says(role: MemberRole) -> None:
    letter = LETTERS[role]
    everywhere = {name for name, letters in TABLE.items() if letter in letters.lower()}
    in_some = {name for name, letters in TABLE.items() if letter.upper() in letters}
    assert {*Membership(SUBSCRIPTION, role, None).capabilities} == everywhere
    assert {*Membership(SUBSCRIPTION, role, frozenset({new_id()})).capabilities} == in_some


def test_table_has_every_capability() -> None:
    assert {capability.value for capability in Capability} == set(TABLE)


def test_operator_may_do_nothing_inside_a_subscription() -> None:
    assert {"installation:operate"} == OF_OPERATOR


def test_changes_that_need_a_fresh_sign_in_are_the_dangerous_ones() -> None:
    assert {
        "companies:certificate",
        "companies:environment",
        "credentials:change",
        "people:change",
    } == NEEDS_FRESH_SIGN_IN
