"""The NF-e of the demo's supplier."""

from datetime import UTC, datetime, timedelta

import pytest
from lxml import etree

from carimbo.demo.seed import TAX_ID
from carimbo.demo.supplier import supplier_documents
from carimbo.fiscal.identity.certificate import open_a1
from carimbo.fiscal.sample_certificate import SampleAuthority


@pytest.mark.parametrize("year", [2026, 2027, 2033])
def test_all_purchases_of_the_sample_company_can_be_issued_whatever_the_clock_says(year: int) -> None:
    now = datetime(year, 11, 10, 12, tzinfo=UTC)
    issued = SampleAuthority.create(now).issue_company("66677788000183", "ATACADO", now, now + timedelta(90))
    documents = supplier_documents(open_a1(issued.to_pfx("senha"), "senha"), now)
    invoices = [etree.fromstring(document.xml) for document in documents]
    assert [invoice.findtext(".//{*}nNF") for invoice in invoices] == ["4711", "4712", "4713"]
    assert {invoice.findtext(".//{*}dest/{*}CNPJ") for invoice in invoices} == {TAX_ID}
