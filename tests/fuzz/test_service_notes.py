"""Bodies of NFS-e and sales of services with any content: notes that fit the schema and add up."""

from hypothesis import given

from carimbo.fiscal.catalog.sale import SalePart
from unit.fiscal.documents import test_nfse_from_sale as catalog_sales
from unit.fiscal.documents.nfse_bodies import Reviewed, reviews
from unit.fiscal.documents.test_nfse_properties import assert_consistent_note


@given(reviews())
def test_notes_fit_the_schema_have_their_rate_and_add_up(drawn: Reviewed) -> None:
    assert_consistent_note(drawn)


@given(catalog_sales.SALES)
def test_sales_of_the_catalog_cost_what_the_customer_pays(sale: SalePart) -> None:
    catalog_sales.assert_costs_what_the_customer_pays(sale)
