"""When a request repeats an earlier order, and when it is a new order."""

from decimal import Decimal
from uuid import UUID

import pytest

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.orders import OrderIdentity, is_same_body, matching_order
from carimbo.storage.order_keys import OrderKey

FIRST, SECOND = UUID(int=1), UUID(int=2)


def keys_of(order: UUID, header: str | None, external_id: str | None) -> list[OrderKey]:
    """The keys that an order has claimed."""
    return [
        OrderKey(key, key == header, order, None, external_id)
        for key in dict.fromkeys((header, external_id))
        if key
    ]


def sold(sale: UUID, external_id: str) -> OrderKey:
    """The key of a sale."""
    return OrderKey(external_id, False, None, sale, external_id)


def repeats(identity: OrderIdentity, *taken: OrderKey) -> UUID | None:
    order = matching_order(identity, [key for key in taken if key.key in identity.keys])
    return order.document_id if order else None


@pytest.mark.parametrize(
    ("earlier", "request_keys"),
    [
        (("k", None), ("k", None)),
        (("k", "a"), ("k", "b")),
        (("a", "a"), ("a", "b")),
        ((None, "a"), (None, "a")),
        (("k", "a"), (None, "a")),
        (("k1", "a"), ("k2", "a")),
        (("a", None), (None, "a")),
        ((None, "a"), ("a", None)),
        ((None, "a"), ("a", "a")),
    ],
)
def test_request_with_an_existing_key_repeats_its_order(
    earlier: tuple[str | None, str | None], request_keys: tuple[str | None, str | None]
) -> None:
    assert repeats(OrderIdentity(*request_keys), *keys_of(FIRST, *earlier)) == FIRST


@pytest.mark.parametrize(
    ("earlier", "request_keys"),
    [
        ((None, "a"), ("a", "b")),
        (("k", "a"), ("a", "b")),
        (("a", "x"), ("k", "a")),
        (("a", "x"), (None, "a")),
    ],
)
def test_key_of_an_order_with_another_external_id_is_refused(
    earlier: tuple[str | None, str], request_keys: tuple[str | None, str]
) -> None:
    with pytest.raises(Refusal) as refused:
        repeats(OrderIdentity(*request_keys), *keys_of(FIRST, *earlier))
    assert refused.value.code is ErrorCode.IDEMPOTENCY_CONFLICT
    assert refused.value.details == {"existingId": str(FIRST)}


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        (OrderIdentity("k1", "b"), FIRST),
        (OrderIdentity("b", "a"), FIRST),
        (OrderIdentity("k3", "b"), SECOND),
        (OrderIdentity("k3", "c"), None),
        (OrderIdentity(None, None), None),
    ],
)
def test_same_header_wins_over_same_external_id_and_both_over_a_mix(
    identity: OrderIdentity, expected: UUID | None
) -> None:
    taken = [*keys_of(FIRST, "k1", "a"), *keys_of(SECOND, "k2", "b")]
    assert repeats(identity, *taken) == expected


@pytest.mark.parametrize("identity", [OrderIdentity("k", None), OrderIdentity(None, "k")])
def test_direct_document_wins_over_a_sale_with_the_same_key(identity: OrderIdentity) -> None:
    external_id = identity.external_id
    document = OrderKey("k", external_id is None, FIRST, None, external_id)
    assert repeats(identity, sold(SECOND, "k"), document) == FIRST


@pytest.mark.parametrize(
    ("created_by", "body", "expected"),
    [
        ('{"amount": 1.50, "notes": null}', {"amount": Decimal("1.5"), "externalId": ""}, True),
        ('{"externalId": " a "}', {"externalId": "a"}, True),
        ('{"items": [{"quantity": 1}]}', {"items": [{"quantity": 2}]}, False),
        ('{"items": []}', None, False),
    ],
)
def test_body_is_compared_by_its_meaning(created_by: str, body: object, expected: bool) -> None:
    assert is_same_body(created_by, body) is expected
