"""The service of a sale: from its items or from the company, the same for all lines."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.catalog.sale import SoldLine
from carimbo.fiscal.problems import Incomplete
from unit.fiscal.documents.nfse_sales import OWN, USUAL, body_of, json_of, service
from unit.fiscal.documents.nfse_support import NBS, declared, reviewed, text_at
from unit.fiscal.sold_parts import part_of


def differing(*fiscal: Mapping[str, Any], settings: Mapping[str, Any] = USUAL) -> list[str]:
    """Returns the paths where lines of these items are refused as different services."""
    with pytest.raises(Incomplete) as caught:
        json_of(*of_items(*fiscal), settings=settings)
    return [problem.path for problem in caught.value.problems]


def of_items(*fiscal: Mapping[str, Any]) -> list[SoldLine]:
    return [service(position=at, fiscal=item) for at, item in enumerate(fiscal)]


SCHOOL: dict[str, Any] = {"serviceItemCode": "08.02.01", "iss": {"rate": 2}, "nbs": "122051100"}
"""A service whose operations have the indicator 100301, among others."""


class TestService:
    def test_service_comes_from_the_company_where_no_item_has_one(self) -> None:
        payload = json_of(service(fiscal={"nbs": NBS, "iss": None, "cnaeCode": "6201501"}))
        assert not {"federalServiceCode", "cityServiceCode", "iss"} & set(payload)
        assert (payload["nbs"], payload["cnaeCode"]) == (NBS, "6201501")

    def test_service_is_that_of_the_item(self) -> None:
        own = {"serviceItemCode": "17.01", "cityServiceCode": "456", "iss": {"rate": 5, "isWithheld": True}}
        taxed = own | {"taxes": {"ir": {"rate": 1.5}}, "ibsCbs": {"cst": "000"}}
        payload = json_of(service(fiscal=taxed))
        assert {name: payload[name] for name in taxed if name in payload} | {
            "serviceItemCode": payload["federalServiceCode"]
        } == taxed

    @pytest.mark.parametrize(
        ("fiscal", "filled"),
        [
            ({"serviceItemCode": "1.05"}, ("1.05", "123", {"rate": 2})),
            ({"cityServiceCode": "789"}, ("01.05", "789", {"rate": 2})),
            ({"iss": {"rate": 3}}, ("01.05", "123", {"rate": 3})),
            ({"serviceItemCode": "17.01"}, ("17.01", "1701", {"rate": 2})),
        ],
        ids=["code of the company", "city code", "rate", "another service than the company's"],
    )
    def test_gaps_of_the_item_are_filled_by_the_company(self, fiscal: Any, filled: tuple[Any, ...]) -> None:
        payload = json_of(service(fiscal=fiscal))
        assert (payload["federalServiceCode"], payload["cityServiceCode"], payload["iss"]) == filled

    def test_city_code_of_another_service_is_not_used(self) -> None:
        payload = json_of(service(fiscal={"serviceItemCode": "01.07"}))
        assert text_at(declared(payload, settings=USUAL), "serv/cServ/cTribMun") is None

    def test_item_without_company_defaults_does_not_take_the_companys_city_code(self) -> None:
        own = {"serviceItemCode": "01.05", "iss": {"rate": 3}}
        payload = json_of(service(fiscal=own, follows_company_defaults=False))
        assert (payload["federalServiceCode"], payload["iss"]) == ("01.05", {"rate": 3})
        assert text_at(declared(payload, settings=USUAL), "serv/cServ/cTribMun") is None
        assert text_at(declared(json_of(service(fiscal=own)), settings=USUAL), "serv/cServ/cTribMun") == "123"

    def test_service_that_needs_more_than_a_sale_has_is_refused_by_the_sales_field(self) -> None:
        body = body_of(part_of(service(fiscal=OWN | {"serviceItemCode": "07.02.01"})))
        problems = reviewed(body.json, settings=USUAL).problems
        assert [(problem.code, body.path_in_sale(problem.path)) for problem in problems] == [
            ("E0370", "products[0].serviceItemCode")
        ]

    def test_incomplete_service_is_reported_by_the_sales_field(self) -> None:
        with pytest.raises(Incomplete) as caught:
            body_of(part_of(service(position=2, fiscal={"cityServiceCode": "123"})), {})
        problems = [(problem.code, problem.path) for problem in caught.value.problems]
        assert problems == [("MISSING", "products[2].serviceItemCode"), ("MISSING", "products[2].iss")]


class TestServices:
    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (OWN, {}),
            ({}, OWN),
            (OWN, OWN | {"serviceItemCode": "1.05"}),
            (OWN, OWN | {"iss": {"rate": Decimal("2.0"), "isWithheld": False}}),
            (OWN | {"cityServiceCode": "28000"}, OWN | {"cityServiceCode": "29000"}),
            ({"nbs": "1.1502.10.00"}, {"nbs": NBS}),
            ({"cnaeCode": "6201501"}, {"cnaeCode": "6202300"}),
            ({"nbs": None}, {}),
            ({"ibsCbs": {}} | SCHOOL, {"ibsCbs": {"operationIndicator": "100301"}} | SCHOOL),
        ],
        ids=[
            "the company's last",
            "the company's first",
            "another spelling",
            "another number",
            "city codes that are not written",
            "dots",
            "CNAE",
            "nothing",
            "usual indicator",
        ],
    )
    def test_services_with_the_same_meaning_share_a_note(self, first: Any, second: Any) -> None:
        payload = json_of(*of_items(first, second))
        assert reviewed(payload, settings=USUAL).problems == ()

    def test_services_with_the_companys_nbs_share_a_note(self) -> None:
        assert json_of(*of_items({"nbs": NBS}, {}), settings=USUAL | {"nbs": NBS})["nbs"] == NBS

    @pytest.mark.parametrize(
        ("second", "fields"),
        [
            ({"serviceItemCode": "17.01"}, ["serviceItemCode", "cityServiceCode"]),
            ({"cityServiceCode": "456"}, ["cityServiceCode"]),
            ({"iss": {"rate": 5}}, ["iss"]),
            ({"iss": {"rate": 2, "isWithheld": True}}, ["iss"]),
            ({"nbs": NBS}, ["nbs"]),
            ({"taxes": {"ir": {"rate": 1.5}}}, ["taxes"]),
            ({"ibsCbs": {"cst": "000"}}, ["ibsCbs"]),
        ],
        ids=["code", "city code", "rate", "withheld", "NBS", "taxes", "reform"],
    )
    def test_different_services_are_refused_by_the_sales_fields(self, second: Any, fields: list[str]) -> None:
        assert differing({}, second) == [f"products[1].{name}" for name in fields]
        assert differing(second, {}) == [f"products[1].{name}" for name in fields]

    def test_item_without_company_defaults_differs_from_one_with_them(self) -> None:
        own = service(position=1, fiscal={"serviceItemCode": "01.05", "iss": {"rate": 2}})
        assert json_of(service(), own)
        with pytest.raises(Incomplete) as caught:
            json_of(service(), replace(own, follows_company_defaults=False))
        assert [problem.path for problem in caught.value.problems] == ["products[1].cityServiceCode"]

    def test_indicator_that_differs_from_the_table_makes_services_differ(self) -> None:
        # The table has 100501 and not 100301 for 01.05.
        explicit = {"ibsCbs": {"operationIndicator": "100301"}}
        assert differing({"ibsCbs": {}}, explicit) == ["products[1].ibsCbs"]

    def test_every_difference_is_reported(self) -> None:
        assert differing({}, {"nbs": NBS}, {}, {"iss": {"rate": 0}}) == ["products[1].nbs", "products[3].iss"]

    def test_problem_names_both_items(self) -> None:
        with pytest.raises(Incomplete) as caught:
            json_of(service(), service(name="Mentoria", fiscal={"nbs": NBS}))
        [problem] = caught.value.problems
        assert "“Mentoria”" in problem.message
        assert "“Curso”" in problem.message
