"""The CFOP of what a sale sends elsewhere: the catalog has that of sales within the state."""

from dataclasses import replace
from typing import Any

import pytest

from carimbo.fiscal.catalog_sale import SalePart
from carimbo.fiscal.company import Company
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from unit.fiscal.goods.support import company
from unit.fiscal.sold_parts import ABROAD, FAR, PERSON, body_of, part_of, sold

SIMPLES, MEI = company(), company(taxRegime="mei")


def cfop_of(kind: DocumentType, part: SalePart) -> Any:
    return body_of(kind, part).json["items"][0]["cfop"]


class TestCfop:
    @pytest.mark.parametrize(
        ("customer", "by", "cfop"),
        [
            (PERSON, SIMPLES, "5101"),
            (FAR, SIMPLES, "6107"),
            (FAR, MEI, "6101"),
            (replace(FAR, state_registration="11111115"), SIMPLES, "6101"),
            (ABROAD, SIMPLES, "7101"),
            (replace(PERSON, address=None), SIMPLES, "5101"),
        ],
        ids=["here", "elsewhere", "by a MEI", "to a contributor", "abroad", "nowhere"],
    )
    def test_of_an_nfe_is_that_of_where_the_goods_go(
        self, customer: CustomerFacts, by: Company, cfop: str
    ) -> None:
        part = part_of(sold(fiscal={"cfop": "5101"}), to=customer, by=by)
        assert cfop_of(NFE, part) == cfop

    @pytest.mark.parametrize("cfop", ["6108", "5910"], ids=["of another state", "no sale"])
    def test_that_is_of_no_sale_within_the_state_stays(self, cfop: str) -> None:
        part = part_of(sold(fiscal={"cfop": cfop}), to=FAR, by=SIMPLES)
        assert cfop_of(NFE, part) == cfop

    def test_of_a_receipt_stays(self) -> None:
        part = part_of(sold(fiscal={"cfop": "5101"}), to=FAR, by=SIMPLES)
        assert cfop_of(NFCE, part) == "5101"
