"""The tables of services: their codes and the facts about them."""

import re

import pytest

from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES
from carimbo.fiscal.tables.service_codes import (
    NATIONAL_SERVICES,
    NBS,
    OPERATION_INDICATORS,
    SERVICE_INDICATORS,
    Incidence,
    ServiceGroup,
    indicators_of_service,
    services_of_item,
)
from unit.fiscal.tables.conftest import Provide

FILE = """# source: Portal da NFS-e
# date: 2099-01-01
code,item,incidence,required_group,description
010501,01.05,provider,,Licenciamento de programas
010502,01.05,provider,,Cessão de programas
"""


class TestServicesOfItem:
    def test_item_that_is_not_split_has_one_service(self) -> None:
        (service,) = services_of_item("01.05")
        assert (service.code, service.incidence, service.required_group) == ("010501", "provider", None)
        assert service.description.startswith("Licenciamento ou cessão de direito de uso")

    def test_split_item_has_several_services_in_order(self) -> None:
        assert [service.code for service in services_of_item("01.03")] == ["010301", "010302"]

    @pytest.mark.parametrize("item", ["", "1.05", "0105", "010501", "98.01"])
    def test_unknown_item_has_no_services(self, item: str) -> None:
        assert services_of_item(item) == ()

    def test_operators_table_changes_the_services(self, provide: Provide) -> None:
        assert len(services_of_item("01.05")) == 1
        provide("national_services", FILE)
        assert [service.code for service in services_of_item("01.05")] == ["010501", "010502"]


class TestNationalServices:
    def test_codes_begin_with_their_item(self) -> None:
        for service in NATIONAL_SERVICES.values():
            assert service.code[:4] == service.item.replace(".", "")
            assert service.code[4:] != "00"

    def test_services_belong_to_the_items_of_the_law(self) -> None:
        assert {service.item[:2] for service in NATIONAL_SERVICES.values()} == {
            *(f"{number:02}" for number in range(1, 41)),
            "99",
        }

    @pytest.mark.parametrize(
        ("code", "incidence"),
        [
            ("010101", Incidence.PROVIDER),
            ("070201", Incidence.PLACE),
            ("160201", Incidence.PLACE),
            ("170501", Incidence.TAKER),
            ("990101", None),
            ("990301", None),
        ],
    )
    def test_incidence_decides_the_municipality_of_the_iss(
        self, code: str, incidence: Incidence | None
    ) -> None:
        assert NATIONAL_SERVICES[code].incidence is incidence

    def test_services_of_construction_and_events_require_their_group(self) -> None:
        demanding = {service.code: service.required_group for service in NATIONAL_SERVICES.values()}
        assert {code[:2] for code, group in demanding.items() if group is ServiceGroup.CONSTRUCTION} == {"07"}
        assert {code[:2] for code, group in demanding.items() if group is ServiceGroup.EVENT} == {"12"}
        assert demanding["070901"] is None

    def test_operations_without_iss_are_those_of_the_newest_note(self) -> None:
        without = [code for code in NATIONAL_SERVICES if code.startswith("99")]
        rentals = ["990301", "990302", "990303", "990304", "990305"]
        assert without == ["990101", "990201", *rentals, "990401"]


class TestNbs:
    def test_nbs_has_codes_of_nine_digits_with_their_texts(self) -> None:
        assert all(re.fullmatch(r"1[0-9]{8}", code) for code in NBS)
        assert NBS["115021000"].description.startswith("Serviços de projeto, desenvolvimento e instalação")


class TestOperationIndicators:
    def test_indicators_have_the_place_where_the_taxes_are_due(self) -> None:
        usual = OPERATION_INDICATORS["100301"]
        assert usual.operation == "Demais serviços, em operações onerosas"
        assert usual.place == "Local do domicílio principal do adquirente"
        assert OPERATION_INDICATORS["020201"].place == "Localidade do imóvel"


CORRELATION = """# source: Anexo VIII
# date: 2099-01-01
item,nbs,indicator,tax_class
01.05,111032200,100301,000001
"""


class TestServiceIndicators:
    def test_every_code_is_in_its_own_table(self) -> None:
        rows = SERVICE_INDICATORS.values()
        assert {row.indicator for row in rows} <= OPERATION_INDICATORS.keys()
        assert {row.nbs for row in rows if row.nbs} <= NBS.keys()
        for_services = {code for code, tax_class in IBS_CBS_CLASSES.items() if "nfse" in tax_class.models}
        assert {row.tax_class for row in rows} <= for_services

    def test_every_service_of_the_list_but_99_01_01_has_rows(self) -> None:
        without = [code for code, service in NATIONAL_SERVICES.items() if not indicators_of_service(service)]
        assert without == ["990101"]

    def test_operations_without_iss_differ_by_their_whole_code(self) -> None:
        rentals = {row.indicator for row in indicators_of_service(NATIONAL_SERVICES["990302"])}
        assert rentals == {"020201"}
        assert len(indicators_of_service(NATIONAL_SERVICES["990301"])) == 5

    def test_operators_table_replaces_the_indicators(self, provide: Provide) -> None:
        service = NATIONAL_SERVICES["010501"]
        assert {row.indicator for row in indicators_of_service(service)} == {"100501"}
        provide("service_indicators", CORRELATION)
        assert {row.indicator for row in indicators_of_service(service)} == {"100301"}
