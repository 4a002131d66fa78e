"""The body of an NFS-e: two forms, limits and defaults; all its errors are reported at once."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.territory import requested_day
from unit.fiscal.documents.nfse_support import (
    DETAILED,
    PERSON,
    SHORTCUT,
    SIMPLES,
    body,
    errors_in,
    request_of,
)

OF_DETAILED_FORM = ("federalServiceCode", "iss")
NOT_INHERITED = "Obrigatório na forma detalhada"


class TestForm:
    @pytest.mark.parametrize("names", [(), ("federalServiceCode",), ("iss",), OF_DETAILED_FORM])
    def test_shortcut_body_may_have_national_code_and_iss(self, names: tuple[str, ...]) -> None:
        request = NfseRequest.model_validate(SHORTCUT | {name: DETAILED[name] for name in names})
        assert (request.federal_service_code is not None) is ("federalServiceCode" in names)
        assert (request.iss is not None) is ("iss" in names)

    def test_body_with_city_service_code_needs_national_code_and_iss(self) -> None:
        errors = errors_in(SHORTCUT | {"cityServiceCode": "000"})
        assert set(errors) == set(OF_DETAILED_FORM)
        assert all(message.startswith(NOT_INHERITED) for message in errors.values())
        assert "informe iss.rate" in errors["iss"]

    @pytest.mark.parametrize("name", OF_DETAILED_FORM)
    @pytest.mark.parametrize("absent", [None, ""])
    def test_detailed_body_reports_the_field_that_it_lacks(self, name: str, absent: str | None) -> None:
        assert set(errors_in(body(**{name: None}))) == {name}
        assert set(errors_in(DETAILED | {name: absent})) == {name}

    def test_errors_of_the_form_are_reported_with_all_others(self) -> None:
        errors = errors_in(
            {
                "cityServiceCode": "1",
                "iss": {},
                "amount": 0,
                "guarantee": 366,
                "borrower": {},
                "color": "blue",
            }
        )
        assert set(errors) == {
            "serviceDescription", "federalServiceCode", "iss.rate", "amount", "guarantee", "borrower.name",
            "color",
        }  # fmt: skip

    @pytest.mark.parametrize("data", [[], "x", 1, None])
    def test_body_that_is_not_an_object_is_refused(self, data: Any) -> None:
        assert errors_in(data) == {"": "Deve ser um objeto JSON."}


class TestField:
    @pytest.mark.parametrize(
        ("name", "good"),
        [
            ("serviceDescription", "x" * 2000),
            ("serviceDescription", "Uma linha\noutra linha"),
            ("name", "abc"),
            ("name", "x" * 64),
            ("guarantee", 1),
            ("guarantee", 365),
            ("iss", {"rate": 0}),
            ("iss", {"rate": 100}),
            ("iss", {"rate": 2.5, "isWithheld": True}),
            ("cnaeCode", "6209-1/00"),
            ("nbs", "1.1502.10.00"),
            ("natureOfOperation", "2"),
            ("serviceLocation", "2"),
            ("municipalityOfIncidence", "0"),
            ("amount", 0.01),
            ("amount", 99_999_999_999.99),
            ("taxes", {"pis": {"rate": 0.65}}),
            ("ibsCbs", {}),
            ("borrower", {"name": "Ana"}),
            ("externalId", "x" * 100),
        ],
    )
    def test_field_is_accepted_within_its_limits(self, name: str, good: Any) -> None:
        assert NfseRequest.model_validate(body(**{name: good}))

    @pytest.mark.parametrize(
        ("name", "bad", "path"),
        [
            ("serviceDescription", "x" * 2001, "serviceDescription"),
            ("serviceDescription", "  ", "serviceDescription"),
            ("serviceDescription", "\x00", "serviceDescription"),
            ("name", "ab", "name"),
            ("name", "x" * 65, "name"),
            ("guarantee", 0, "guarantee"),
            ("guarantee", 366, "guarantee"),
            ("guarantee", 1.5, "guarantee"),
            ("guarantee", "30", "guarantee"),
            ("iss", {"rate": -0.01}, "iss.rate"),
            ("iss", {"rate": 100.01}, "iss.rate"),
            ("iss", {"rate": "2"}, "iss.rate"),
            ("iss", {"rate": 2, "isWithheld": "yes"}, "iss.isWithheld"),
            ("iss", {"rate": 2, "aliquota": 2}, "iss.aliquota"),
            ("cnaeCode", "620910", "cnaeCode"),
            ("nbs", "11502100", "nbs"),
            ("natureOfOperation", "0", "natureOfOperation"),
            ("natureOfOperation", "7", "natureOfOperation"),
            ("serviceLocation", "3", "serviceLocation"),
            ("municipalityOfIncidence", "3", "municipalityOfIncidence"),
            ("amount", 0, "amount"),
            ("amount", -1, "amount"),
            ("amount", 0.001, "amount"),
            ("amount", 100_000_000_000, "amount"),
            ("amount", "150", "amount"),
            ("taxes", {"pis": {"isWithheld": True}}, "taxes.pis.rate"),
            ("taxes", {"iof": {"rate": 1}}, "taxes.iof"),
            ("ibsCbs", {"cst": "0"}, "ibsCbs.cst"),
            ("ibsCbs", {"taxClassCode": "1"}, "ibsCbs.taxClassCode"),
            ("ibsCbs", {"operationIndicator": "x"}, "ibsCbs.operationIndicator"),
            ("borrower", {"taxId": "52998224725"}, "borrower.name"),
            ("borrower", PERSON | {"taxId": "52998224726"}, "borrower.taxId"),
            ("borrower", PERSON | {"email": "maria"}, "borrower.email"),
            ("borrower", PERSON | {"age": 30}, "borrower.age"),
            ("externalId", "x" * 101, "externalId"),
            ("valor", 1, "valor"),
        ],
    )
    def test_field_is_refused_beyond_its_limits(self, name: str, bad: Any, path: str) -> None:
        assert set(errors_in(body(**{name: bad}))) == {path}

    @pytest.mark.parametrize("name", ["serviceDescription", "amount", "borrower"])
    def test_required_field_must_be_present(self, name: str) -> None:
        assert errors_in(body(**{name: None})) == {name: "Campo obrigatório."}

    def test_unknown_field_is_refused(self) -> None:
        assert errors_in(body(color="blue")) == {"color": "Campo desconhecido."}


class TestDefault:
    def test_default_item_is_that_of_a_service_without_a_name(self) -> None:
        request = request_of()
        assert (request.sku, request.category, request.guarantee) == (
            "direct-api-nfse",
            "other_service",
            None,
        )

    def test_default_operation_is_the_usual_one(self) -> None:
        request = request_of()
        operation = (request.nature_of_operation, request.service_location, request.municipality_of_incidence)
        assert operation == ("1", "1", "0")
        assert request.iss
        assert not request.iss.is_withheld

    def test_default_of_ibs_and_cbs_is_full_taxation(self) -> None:
        ibs_cbs = request_of(ibsCbs={}).ibs_cbs
        assert ibs_cbs
        assert (ibs_cbs.cst, ibs_cbs.tax_class_code, ibs_cbs.operation_indicator) == ("000", "000001", None)

    def test_taxes_are_not_withheld_by_default(self) -> None:
        taxes = request_of(taxes={"ir": {"rate": 1.5}}).taxes
        assert taxes
        assert taxes.ir
        assert (taxes.ir.rate, taxes.ir.is_withheld) == (Decimal("1.5"), False)


class TestItemName:
    def test_item_name_is_the_name_of_the_body(self) -> None:
        assert request_of(name="Plano Pro").item_name == "Plano Pro"

    def test_item_without_a_name_is_named_by_the_first_64_letters_of_the_description(self) -> None:
        assert request_of(serviceDescription="x" * 70).item_name == "x" * 64

    def test_item_name_has_neither_line_breaks_nor_a_space_at_its_end(self) -> None:
        request = request_of(serviceDescription="Aula\nde " + "x" * 55 + " inglês")
        assert request.item_name == "Aula de " + "x" * 55


class TestIssueDate:
    @pytest.mark.parametrize(
        "text", ["2026-11-14", "2026-11-14T10:00:00-03:00", "2026-11-15T02:59:59Z", "2026-11-14T10:00:00"]
    )
    def test_issue_date_is_a_day_or_a_moment_by_the_clock_of_the_company(self, text: str) -> None:
        assert requested_day(request_of(issueDate=text), SIMPLES) == date(2026, 11, 14)

    @pytest.mark.parametrize("value", ["14/11/2026", "2026-02-30", "hoje", 20261114, 1.5, True, {}])
    def test_other_issue_dates_are_refused(self, value: Any) -> None:
        assert set(errors_in(body(issueDate=value))) == {"issueDate"}

    def test_issue_date_may_be_left_out(self) -> None:
        assert request_of().competence is None


class TestFederalServiceCode:
    @pytest.mark.parametrize("code", ["1.05", "01.05", "01.05.01", "1.05.01", "010501", " 01.05 "])
    def test_service_code_is_an_item_or_a_code_of_the_list(self, code: str) -> None:
        assert request_of(federalServiceCode=code).federal_service_code == code.strip()

    @pytest.mark.parametrize(
        "code", ["0105", "01.5", "01.05.1", "001.05", "01,05", "01.05.01.001", "x", 1.05]
    )
    def test_other_service_codes_are_refused(self, code: Any) -> None:
        assert set(errors_in(body(federalServiceCode=code))) == {"federalServiceCode"}


class TestReplaces:
    good = "0b7c3f3e-9d2a-4f0e-8a51-2f6f3f9f1c11"

    def test_replaced_document_has_the_reason_code_99_by_default(self) -> None:
        replaced = request_of(replaces={"documentId": self.good, "reason": "Valor a menor na nota"}).replaces
        assert replaced
        assert (str(replaced.document_id), replaced.reason_code) == (self.good, "99")

    @pytest.mark.parametrize(
        ("bad", "path"),
        [
            ({}, "replaces.documentId"),
            ({"documentId": "x"}, "replaces.documentId"),
            ({"documentId": good, "reasonCode": "06"}, "replaces.reasonCode"),
            ({"documentId": good, "reason": "curta demais"}, "replaces.reason"),
            ({"documentId": good, "reason": "x" * 256}, "replaces.reason"),
        ],
    )
    def test_malformed_replacement_is_refused(self, bad: dict[str, str], path: str) -> None:
        assert set(errors_in(body(replaces=bad))) == {path}
