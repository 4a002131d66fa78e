"""The ICMS of what a sale sends elsewhere: the catalog has the rate of sales within the state."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.catalog_sale import SalePart
from carimbo.fiscal.company import Company
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.signature import Signer
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
    def test_between_states_takes_the_place_of_that_within(
        self, customer: CustomerFacts, by: Company, rate: int
    ) -> None:
        part = part_of(sold(fiscal=TAXED), to=customer, by=by)
        assert icms_of(part) == {"cst": "00", "rate": rate}
        assert problems_of(part) == ()

    def test_of_goods_that_take_nothing_from_the_company_is_by_their_own_origin(self) -> None:
        line = sold(fiscal=TAXED, follows_company_defaults=False)
        assert icms_of(part_of(line, to=FAR, by=FOREIGN_GOODS)) == {"cst": "00", "rate": 12}

    @pytest.mark.parametrize("cst", ["51", "90"])
    def test_is_not_lost_where_the_tax_might_be_left_out(self, cst: str) -> None:
        line = sold(fiscal=MUG | {"icms": {"cst": cst, "rate": Decimal(18)}})
        assert icms_of(part_of(line, to=FAR, by=NORMAL)) == {"cst": cst, "rate": 12}

    def test_within_the_state_is_the_items(self) -> None:
        assert icms_of(part_of(sold(fiscal=TAXED), to=PERSON, by=NORMAL)) == TAXED["icms"]

    def test_abroad_is_none(self) -> None:
        assert icms_of(part_of(sold(fiscal=TAXED), to=ABROAD, by=NORMAL)) == {"cst": "00"}

    def test_that_nobody_told_stays_untold(self) -> None:
        csosn = MUG | {"icms": {"csosn": "102"}}
        assert icms_of(part_of(sold(fiscal=csosn), to=FAR)) == {"csosn": "102"}
        assert icms_of(part_of(sold(), to=FAR)) is None
