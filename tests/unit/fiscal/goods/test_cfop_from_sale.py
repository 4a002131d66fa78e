"""The CFOP of goods that a sale sends elsewhere: the catalog has the CFOP of sales within the state."""

from dataclasses import replace
from typing import Any

import pytest

from carimbo.fiscal.catalog.sale import SalePart
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import CustomerFacts
from unit.fiscal.goods.support import company
from unit.fiscal.sold_parts import ABROAD, FAR, PERSON, body_of, part_of, sold

SIMPLES, MEI = company(), company(taxRegime="mei")


def cfop_of(document_type: DocumentType, part: SalePart) -> Any:
    return body_of(document_type, part).json["items"][0]["cfop"]


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
    def test_cfop_of_an_nfe_depends_on_the_destination_of_the_goods(
        self, customer: CustomerFacts, by: Company, cfop: str
    ) -> None:
        part = part_of(sold(fiscal={"cfop": "5101"}), to=customer, by=by)
        assert cfop_of(NFE, part) == cfop

    @pytest.mark.parametrize("cfop", ["6108", "5910"], ids=["of another state", "no sale"])
    def test_cfop_other_than_of_a_sale_within_the_state_is_kept(self, cfop: str) -> None:
        part = part_of(sold(fiscal={"cfop": cfop}), to=FAR, by=SIMPLES)
        assert cfop_of(NFE, part) == cfop

    def test_cfop_of_a_receipt_is_kept(self) -> None:
        part = part_of(sold(fiscal={"cfop": "5101"}), to=FAR, by=SIMPLES)
        assert cfop_of(NFCE, part) == "5101"
