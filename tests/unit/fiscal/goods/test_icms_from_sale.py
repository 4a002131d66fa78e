"""The ICMS of goods that a sale sends elsewhere: the catalog has the rate of sales within the state."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.catalog.sale import SalePart
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import CustomerFacts
from unit.fiscal.goods.support import NORMAL, company, issuance
from unit.fiscal.sold_parts import ABROAD, FAR, MUG, PERSON, body_of, part_of, sold

TAXED = MUG | {"cfop": "5102", "icms": {"cst": "00", "rate": 18, "fcpRate": 2}}
IN_BAHIA = replace(
    FAR,
    address={
        "zipcode": "40010000",
        "street": "Rua Chile",
        "number": "1",
        "district": "Centro",
        "city": "Salvador",
        "state": "BA",
        "cityCode": "2927408",
    },
)
CONTRIBUTOR = replace(FAR, document="66677788000183", state_registration="77040072")
FOREIGN_GOODS = company(taxRegime="normal", pisCofinsRegime="cumulative", defaults={"origin": "2"})
TRIAL = Signer.throwaway()


def icms_of(part: SalePart) -> Any:
    return body_of(NFE, part).json["items"][0].get("icms")


def problems_of(part: SalePart) -> Any:
    request = NFE.issuing.request.model_validate(body_of(NFE, part).json)
    return NFE.issuing.review(request, issuance(TRIAL, NFE.settings(), by=part.seller)).problems


class TestRate:
    @pytest.mark.parametrize(
        ("customer", "by", "rate"),
        [
            (FAR, NORMAL, 12),
            (CONTRIBUTOR, NORMAL, 12),
            (IN_BAHIA, NORMAL, 7),
            (FAR, FOREIGN_GOODS, 4),
        ],
        ids=["to a person", "to a contributor", "to Bahia", "of foreign goods"],
    )
    def test_interstate_rate_replaces_the_rate_within_the_state(
        self, customer: CustomerFacts, by: Company, rate: int
    ) -> None:
        part = part_of(sold(fiscal=TAXED), to=customer, by=by)
        assert icms_of(part) == {"cst": "00", "rate": rate}
        assert problems_of(part) == ()

    def test_rate_of_goods_without_company_defaults_depends_on_their_own_origin(self) -> None:
        line = sold(fiscal=TAXED, follows_company_defaults=False)
        assert icms_of(part_of(line, to=FAR, by=FOREIGN_GOODS)) == {"cst": "00", "rate": 12}

    @pytest.mark.parametrize("cst", ["51", "90"])
    def test_rate_is_kept_where_the_tax_might_be_left_out(self, cst: str) -> None:
        line = sold(fiscal=MUG | {"icms": {"cst": cst, "rate": Decimal(18)}})
        assert icms_of(part_of(line, to=FAR, by=NORMAL)) == {"cst": cst, "rate": 12}

    def test_rate_within_the_state_is_that_of_the_item(self) -> None:
        assert icms_of(part_of(sold(fiscal=TAXED), to=PERSON, by=NORMAL)) == TAXED["icms"]

    def test_sale_abroad_has_no_rate(self) -> None:
        assert icms_of(part_of(sold(fiscal=TAXED), to=ABROAD, by=NORMAL)) == {"cst": "00"}

    def test_item_without_a_rate_gets_none(self) -> None:
        csosn = MUG | {"icms": {"csosn": "102"}}
        assert icms_of(part_of(sold(fiscal=csosn), to=FAR)) == {"csosn": "102"}
        assert icms_of(part_of(sold(), to=FAR)) is None
