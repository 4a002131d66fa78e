"""Bodies of NF-e and NFC-e with any content: good documents, or problems at the fields at fault."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.catalog.sale import SalePart
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from unit.fiscal import test_any_field as any_field
from unit.fiscal import test_bad_input as bad_input
from unit.fiscal import test_bad_numbers as bad_numbers
from unit.fiscal import test_request_properties as totals
from unit.fiscal.good_bodies import Good
from unit.fiscal.goods import test_from_sale as catalog_sales
from unit.fiscal.hostile_bodies import Step


@given(st.sampled_from(bad_numbers.NUMBERS), bad_numbers.NUMERIC)
def test_hostile_numbers_are_reported_or_written(signer: Signer, place: tuple[Step, ...], value: Any) -> None:
    bad_numbers.assert_hostile_number_is_reported_or_written(signer, place, value)


@given(st.sampled_from(bad_input.TEXTS), bad_input.HOSTILE)
def test_hostile_texts_are_reported_or_written(signer: Signer, place: tuple[Step, ...], value: str) -> None:
    bad_input.assert_hostile_text_is_reported_or_written(signer, place, value)


@given(totals.sales())
def test_totals_add_up(invoice: Invoice) -> None:
    totals.assert_totals_add_up(invoice)


@given(*totals.SHARED_CHARGES)
def test_shares_of_charges_are_whole(
    prices: list[dict[str, Any]], charges: dict[str, Decimal], discounted: Decimal
) -> None:
    totals.assert_shares_are_whole(prices, charges, discounted)


@given(catalog_sales.SALES, st.sampled_from([NFE, NFCE]))
def test_sales_of_the_catalog_cost_what_the_customer_pays(
    sale: SalePart, document_type: DocumentType
) -> None:
    catalog_sales.assert_costs_what_the_customer_pays(sale, document_type)


@pytest.mark.parametrize("change", any_field.CHANGES)
def test_changed_bodies_are_valid_or_refused_in_our_words(
    quick_signer: Signer, change: any_field.Change
) -> None:
    assert any_field.all_problems_with_tags(change, quick_signer, everywhere=True) == {}


@given(any_field.bodies_with_other_fields())
def test_any_fields_together_are_valid_or_refused_in_our_words(quick_signer: Signer, good: Good) -> None:
    assert any_field.problems_with_tags(good, quick_signer) == []
