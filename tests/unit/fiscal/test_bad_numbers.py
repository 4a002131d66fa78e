"""A hostile number anywhere in a request is refused at its field, or makes a valid document."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import NORMAL, company
from unit.fiscal.hostile_bodies import (
    BODY,
    COMPUTED,
    Step,
    assert_good,
    is_about,
    leaves,
    path_of,
    result_of,
    with_value,
)

NUMBERS = leaves(BODY, (int, float))
NUMERIC = st.one_of(
    st.decimals(),
    st.decimals(min_value=-10, max_value=10**16, places=2),
    st.decimals(min_value=0, max_value=1000, places=11),
    st.floats(),
    st.integers(),
    st.sampled_from(
        [Decimal("1e400"), Decimal("1E+1000000"), Decimal("1E-1000000"), 10**40, Decimal("9" * 40), -1]
    ),
)


ABSURD = {
    "1e400": Decimal("1e400"),
    "1E+1000000": Decimal("1E+1000000"),
    "40 digits": 10**40,
    "11 decimals": Decimal("0.00000000001"),
    "NaN": float("nan"),
    "negative": -1,
    "text": "1",
    "boolean": True,
}


def is_summed_up_in(path: str, place: tuple[Step, ...]) -> bool:
    """Returns whether a path leads to an amount that is computed from the number at a place."""
    if place[0] == "billing":
        return path == "billing.installments"
    return place[0] in ("items", "payments") and (path.startswith("totals.") or path == "change")


def assert_hostile_number_is_reported_or_written(signer: Signer, place: tuple[Step, ...], value: Any) -> None:
    """Checks that a number is refused at its field, or makes a valid document."""
    result = result_of(signer, with_value(place, value))
    if isinstance(result, SignedDocument):
        assert_good(result)
    else:
        # A number that is valid by itself may still make an invalid sum.
        assert any(is_about(path, place) or is_summed_up_in(path, place) for path in result), result
        assert all(len(message) < 400 for message in result.values()), result


class TestHostileNumbers:
    @settings(max_examples=60)
    @given(st.sampled_from(NUMBERS), NUMERIC)
    @example(("items", 1, "unitValue"), 0)
    @example(("payments", 0, "amount"), 0)
    def test_hostile_number_is_reported_at_its_field_or_written_exactly(
        self, signer: Signer, place: tuple[Step, ...], value: Any
    ) -> None:
        assert_hostile_number_is_reported_or_written(signer, place, value)

    @pytest.mark.parametrize(
        ("by", "body"), [(company(), BODY), (NORMAL, COMPUTED)], ids=["amounts of the caller", "computed"]
    )
    def test_absurd_number_is_reported_at_each_field(
        self, signer: Signer, by: Company, body: dict[str, Any]
    ) -> None:
        unreported = {}
        for place in leaves(body, (int, float)):
            for label, value in ABSURD.items():
                result = result_of(signer, with_value(place, value, among=body), by=by)
                if not isinstance(result, dict) or not any(is_about(path, place) for path in result):
                    unreported[f"{path_of(place)} = {label}"] = result
        assert unreported == {}
