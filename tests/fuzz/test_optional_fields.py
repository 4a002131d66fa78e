"""Optional fields of NF-e and NFC-e, alone and together, with any value: the XML fits the schema."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.identity.signature import Signer
from unit.fiscal import optional_fields as may
from unit.fiscal import optional_taxes as tax
from unit.fiscal import test_optional_fields as together
from unit.fiscal.drawing import AMOUNT, Fields, Strategy
from unit.fiscal.good_bodies import EXPORTED, IN_THE_STATE, TO_A_CONSUMER
from unit.fiscal.goods.support import item
from unit.fiscal.optional_goods import SCALE, SPECIAL_GOODS

Json = dict[str, Any]


def any_single_field(fields: Fields) -> Strategy:
    """Draws a single field, with equal chances, and a value for it."""
    names = st.sampled_from(sorted(fields))
    return names.flatmap(lambda name: fields[name].strategy.map(lambda value: {name: value}))


def items(fields: Strategy) -> Strategy:
    """Draws a sale of one item with these fields."""
    return fields.map(lambda more: {"items": [item(**more)]})


@st.composite
def carriages(draw: Callable[..., Any]) -> Json:
    """Draws a freight with one optional field."""
    freight = draw(may.CARRIAGE.strategy) | draw(any_single_field(may.FREIGHT | {"amount": AMOUNT}))
    return {"freight": freight}


ICMS = tax.ICMS_BY_CST.strategy.map(lambda icms: {"icms": icms})
ICMS_OF_THE_SIMPLES = tax.ICMS_BY_CSOSN.strategy.map(lambda icms: {"icms": icms})
STATE_SHARE = tax.STATE_SHARE.strategy.map(lambda share: {"stateShare": share})
# The regime of the seller, the good body, and the fields that are added to it.
ALONE: dict[str, tuple[str, Json, Strategy]] = {
    "item": ("normal", IN_THE_STATE, items(any_single_field(may.ITEM))),
    "price": ("normal", IN_THE_STATE, items(may.SOLD.strategy)),
    "charges": ("normal", IN_THE_STATE, items(may.CHARGES.strategy)),
    "scale": ("normal", IN_THE_STATE, items(SCALE.strategy)),
    "special goods": ("normal", IN_THE_STATE, items(SPECIAL_GOODS.strategy)),
    "ICMS": ("normal", IN_THE_STATE, items(ICMS)),
    "ICMS of the Simples": ("simples", IN_THE_STATE, items(ICMS_OF_THE_SIMPLES)),
    "share of the buyer's state": ("normal", TO_A_CONSUMER, items(STATE_SHARE)),
    "sale": ("normal", IN_THE_STATE, any_single_field(may.SALE | may.SALE_CHARGES | together.OF_AN_NFE)),
    "carriage": ("normal", IN_THE_STATE, carriages()),
    "operation": ("normal", IN_THE_STATE, may.OPERATION.strategy),
    "buyer abroad": (
        "normal",
        EXPORTED | {"recipient": {}},
        may.FOREIGN_BUYER_FIELDS.strategy.map(lambda buyer: {"recipient": buyer}),
    ),
}


@pytest.mark.parametrize("group", ALONE)
@given(data=st.data())
def test_a_field_alone_fits_the_schema(quick_signer: Signer, group: str, data: st.DataObject) -> None:
    regime, good, fields = ALONE[group]
    together.assert_fits_the_schema(quick_signer, regime, good, data.draw(fields))


@given(together.sales_with_more())
def test_fields_of_an_nfe_fit_the_schema_together(quick_signer: Signer, sale: tuple[str, Json, Json]) -> None:
    together.assert_fits_the_schema(quick_signer, *sale)


@given(together.receipts_with_more())
def test_fields_of_an_nfce_fit_the_schema_together(quick_signer: Signer, receipt: tuple[str, Json]) -> None:
    together.assert_receipt_fits_the_schema(quick_signer, *receipt)
