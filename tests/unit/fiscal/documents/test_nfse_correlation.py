"""Operation indicator and tax class of a service, by the official correlation (Anexo VIII)."""

from typing import Any

import pytest

from unit.fiscal.documents.nfse_support import (
    FIRM,
    FOREIGNER,
    NORMAL,
    RIO_CODE,
    TRADE,
    body,
    codes_of,
    composed,
    refusals,
)

INDICATOR, TAX_CLASS = "ibsCbs.operationIndicator: ", "ibsCbs.taxClassCode: "
PROPERTY = {"cibCode": "1A2B3C45"}
LICENSE: dict[str, Any] = {"federalServiceCode": "01.05", "nbs": "111032200"}
SUPPORT = {"federalServiceCode": "01.07", "nbs": "115013000"}
HAIRDRESSING: dict[str, Any] = {"federalServiceCode": "06.01", "nbs": "126021000"}
CLEANING = {"federalServiceCode": "07.10.02", "nbs": "118031000"}
PEST_CONTROL = {"federalServiceCode": "07.13", "nbs": "118032100"}
WASTE = {"federalServiceCode": "07.09.01", "nbs": "115021000"}
HERITAGE: dict[str, Any] = {"federalServiceCode": "38.01", "nbs": "125041200"}
RENTAL: dict[str, Any] = {"federalServiceCode": "99.03.01", "nbs": "110021000"}
TOOL_HIRE = {"federalServiceCode": "99.04.01", "nbs": "111029000"}
CONSTRUCTION = {
    "federalServiceCode": "07.02.02",
    "nbs": "101011200",
    "construction": {"workCode": "900123456789"},
}


def indicator(ibs_cbs: dict[str, Any] | None = None, **changes: Any) -> tuple[str, tuple[str, ...]]:
    """Returns the indicator of a declaration of the normal regime, and the warnings about it."""
    result = composed(body(borrower=FIRM, ibsCbs=ibs_cbs or {}, **changes), by=NORMAL)
    assert result.problems == ()
    assert result.note
    assert result.note.ibs_cbs
    return result.note.ibs_cbs.operation_indicator, warned(result.warnings, INDICATOR)


def class_warnings(ibs_cbs: dict[str, Any] | None = None, **changes: Any) -> tuple[str, ...]:
    result = composed(body(**{"borrower": FIRM} | changes, ibsCbs=ibs_cbs or {}), by=NORMAL)
    assert result.problems == ()
    return warned(result.warnings, TAX_CLASS)


def warned(warnings: tuple[str, ...], field: str) -> tuple[str, ...]:
    return tuple(warning for warning in warnings if warning.startswith(field))


class TestIndicator:
    @pytest.mark.parametrize(
        ("service", "expected"),
        [
            (SUPPORT, "100301"),
            (LICENSE, "100501"),
            (CONSTRUCTION, "020201"),
            ({"federalServiceCode": "99.01.01", "nbs": "111029000"}, "100301"),
        ],
        ids=["usual among others", "the only one", "construction without property", "not in the table"],
    )
    def test_indicator_is_chosen_without_a_warning_where_the_table_decides(
        self, service: dict[str, Any], expected: str
    ) -> None:
        assert indicator(**service) == (expected, ())

    @pytest.mark.parametrize(
        ("service", "place", "expected"),
        [
            (HAIRDRESSING, {}, "030101"),
            (HAIRDRESSING, {"serviceCityCode": RIO_CODE}, "030102"),
            (HAIRDRESSING, {"serviceLocation": "2"}, "030102"),
            (TOOL_HIRE, {}, "010101"),
            (TOOL_HIRE, {"serviceCityCode": RIO_CODE}, "010103"),
            (WASTE, {}, "050101"),
            (HERITAGE, {}, "030101"),
        ],
    )
    def test_indicator_follows_the_place_with_a_warning_where_the_table_has_several(
        self, service: dict[str, Any], place: dict[str, Any], expected: str
    ) -> None:
        code, warnings = indicator(**service, **place)
        assert (code, len(warnings)) == (expected, 1)

    def test_indicator_warning_names_every_choice_with_its_place(self) -> None:
        _, (warning,) = indicator(**HAIRDRESSING)
        assert "030101 (Estabelecimento do fornecedor)" in warning
        assert "030102 (Local da prestação do serviço diverso do estabelecimento do fornecedor)" in warning

    def test_indicator_warning_names_the_operations_where_they_differ(self) -> None:
        _, (warning,) = indicator(**HERITAGE)
        assert "020201 (Serviço prestado fisicamente sobre bem imóvel: Localidade do imóvel)" in warning

    def test_indicator_of_the_caller_always_wins_without_a_warning(self) -> None:
        assert indicator({"operationIndicator": "100301"}, **HAIRDRESSING) == ("100301", ())

    def test_property_decides_the_indicator_though_the_usual_one_is_allowed_too(self) -> None:
        code, _ = indicator({"property": PROPERTY}, federalServiceCode="07.16.01", nbs="119011000")
        assert code == "020201"

    def test_indicator_warning_gives_the_place_as_reason_only_where_it_decided(self) -> None:
        _, by_place = indicator(**HAIRDRESSING)
        _, by_property = indicator({"property": PROPERTY}, **HERITAGE)
        assert ["local da prestação;" in warning for warning in (*by_place, *by_property)] == [True, False]

    def test_indicator_is_that_of_a_property_where_the_body_has_one(self) -> None:
        code, warnings = indicator({"property": PROPERTY}, **HERITAGE)
        assert (code, len(warnings)) == ("020201", 1)

    def test_indicator_follows_the_tax_class_where_the_table_ties_them(self) -> None:
        seasonal = {"cst": "200", "taxClassCode": "200048"}
        assert indicator(seasonal, **RENTAL) == ("030101", ())
        ordinary = {"cst": "200", "taxClassCode": "200027", "property": PROPERTY}
        assert indicator(ordinary, **RENTAL) == ("020201", ())

    def test_indicator_at_the_establishment_needs_no_identified_taker(self) -> None:
        nobody = {"borrower": {"name": "Consumidor"}, "ibsCbs": {}}
        assert refusals(body(**HAIRDRESSING, **nobody), by=NORMAL) == set()
        elsewhere = {"serviceCityCode": RIO_CODE}
        assert refusals(body(**HAIRDRESSING, **nobody, **elsewhere), by=NORMAL) == {
            ("E0187", "borrower.taxId")
        }


class TestTaxClass:
    def test_tax_class_that_the_table_lacks_for_the_service_is_kept_with_a_warning(self) -> None:
        result = composed(body(borrower=FIRM, **CONSTRUCTION), by=NORMAL)
        (warning,) = warned(result.warnings, TAX_CLASS)
        assert "não tem a classificação 000001 para este serviço, e sim 200045 ou 200046" in warning
        assert result.note
        assert result.note.ibs_cbs
        assert result.note.ibs_cbs.amounts.taxes.situation.tax_class == "000001"

    @pytest.mark.parametrize(
        ("ibs_cbs", "service"),
        [
            ({}, SUPPORT),
            ({"cst": "200", "taxClassCode": "200038", "property": PROPERTY}, PEST_CONTROL),
            ({}, {"federalServiceCode": "99.01.01", "nbs": "111029000"}),
        ],
        ids=["of the NBS", "of a row without NBS", "of a service not in the table"],
    )
    def test_tax_class_that_the_table_does_not_contradict_has_no_warning(
        self, ibs_cbs: dict[str, Any], service: dict[str, Any]
    ) -> None:
        assert class_warnings(ibs_cbs, **service) == ()

    def test_tax_class_of_an_export_is_not_compared(self) -> None:
        export = {"borrower": FOREIGNER, "foreignTrade": TRADE, "resultCountryCode": "US"}
        assert class_warnings({"cst": "410", "taxClassCode": "410004"}, **SUPPORT, **export) == ()


class TestProperty:
    @pytest.mark.parametrize(
        ("service", "ibs_cbs", "code"),
        [
            (CLEANING, {}, "E0932"),
            (CLEANING, {"property": {}}, "E0932"),
            (SUPPORT, {"operationIndicator": "020401"}, "E0932"),
            (SUPPORT, {"property": PROPERTY}, "E0928"),
            (CONSTRUCTION, {"property": PROPERTY}, "E0931"),
        ],
    )
    def test_missing_or_unexpected_property_is_refused(
        self, service: dict[str, Any], ibs_cbs: dict[str, Any], code: str
    ) -> None:
        payload = body(borrower=FIRM, **service, ibsCbs=ibs_cbs)
        assert refusals(payload, by=NORMAL) == {(code, "ibsCbs.property")}

    def test_missing_property_leaves_the_group_out_until_2027_unless_requested(self) -> None:
        result = composed(body(borrower=FIRM, **CLEANING), by=NORMAL)
        assert result.problems == ()
        assert result.note
        assert result.note.ibs_cbs is None
        (warning,) = [warning for warning in result.warnings if "sem IBS e CBS" in warning]
        assert "falta ou não serve ibsCbs.property:" in warning
        assert warned(result.warnings, TAX_CLASS) == ()

    def test_property_address_accepts_a_zipcode_with_hyphen(self) -> None:
        address = {"zipcode": "01001-000", "street": "Praça da Sé", "number": "1", "district": "Sé"}
        result = composed(
            body(borrower=FIRM, **CLEANING, ibsCbs={"property": {"address": address}}), by=NORMAL
        )
        assert codes_of(result.problems) == set()
        assert result.note
        assert result.note.ibs_cbs
        assert result.note.ibs_cbs.property
        assert result.note.ibs_cbs.property.address
        assert result.note.ibs_cbs.property.address.zipcode == "01001000"
