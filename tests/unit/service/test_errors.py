"""Errors of a body: all are reported, unless they are too many to be read or even listed."""

import json
import re
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.problems import MISSING_FIELD, Problem
from carimbo.service.errors import ErrorCode, Refusal, invalid_body, require_no_problems

SHOWN, DESCRIBED = 100, 10_000


class Empty(BaseModel):
    """A body in which every field is wrong."""

    model_config = ConfigDict(extra="forbid")


def refusal_of(wrong: int) -> Refusal:
    with pytest.raises(ValidationError) as raised:
        Empty.model_validate({f"campo{place}": place for place in range(wrong)})
    try:
        return invalid_body(raised.value)
    except Refusal as refusal:
        return refusal


class Line(Body):
    """A part of a body."""

    name_of_item: str = ""
    nfce: str = ""


class Transfer(Body):
    """A payment to a bank account."""

    kind: Literal["transfer"]
    account: str


class Cash(Body):
    """A payment at the counter."""

    kind: Literal["cash"]


class Order(Body):
    """A body with lists, parts, and one part in two forms."""

    items: tuple[Line, ...] = ()
    lines: Annotated[tuple[Line, ...], Field(min_length=1)] | None = None
    buyer: Line | None = None
    payment: Annotated[Transfer | Cash, Field(discriminator="kind")] | None = None


def errors_of(body: dict[str, object]) -> dict[str, str]:
    with pytest.raises(ValidationError) as raised:
        Order.model_validate(body)
    details = invalid_body(raised.value, Order).details or {}
    return {line["field"]: line["error"] for line in details["fields"]}


def reported_fields(refusal: Refusal) -> list[str]:
    assert refusal.details
    return [line["field"] for line in refusal.details["fields"]]


class TestExamples:
    def test_examples_name_fields_by_the_paths_of_real_answers(self) -> None:
        texts = {code.name: json.dumps(code.value.details, default=str) for code in ErrorCode}
        assert [name for name, text in texts.items() if re.search(r"[a-z]\.[0-9]+\.", text)] == []


class TestMessages:
    def test_message_has_the_limit_of_a_body(self) -> None:
        refusal = Refusal(ErrorCode.PAYLOAD_TOO_LARGE, limitBytes=1000)
        assert refusal.message == "O corpo da requisição excede o limite de 1000 bytes."

    def test_message_names_the_field_and_the_id_of_a_duplicate(self) -> None:
        refusal = Refusal(ErrorCode.DUPLICATE_RESOURCE, field="sku", existingId="01ABC")
        assert refusal.message == "Já existe um registro com este sku: o de id 01ABC."

    def test_message_is_general_for_unusual_details(self) -> None:
        assert (
            Refusal(ErrorCode.DUPLICATE_RESOURCE, saleId="1").message == ErrorCode.DUPLICATE_RESOURCE.message
        )

    def test_message_names_missing_company_data_with_the_route_that_sets_it(self) -> None:
        refusal = Refusal(ErrorCode.COMPANY_NOT_READY, missing=["address", "nfce.csc", "certificate"])
        assert refusal.message == (
            "Faltam dados da empresa para emitir: o endereço (address, PUT /v1/companies/{companyId}); o CSC"
            " (nfce.csc, PUT /v1/companies/{companyId}/settings); um certificado A1 em vigor (certificate,"
            " POST /v1/companies/{companyId}/certificate)."
        )


class TestUnknownFields:
    def test_error_of_a_misspelt_field_suggests_the_similar_name(self) -> None:
        assert errors_of({"itens": [], "Buyer": {}}) == {
            "itens": "Campo desconhecido: seria items?",
            "Buyer": "Campo desconhecido: seria buyer?",
        }

    def test_suggested_name_is_from_the_same_object(self) -> None:
        assert errors_of({"items": [{"nameOfIten": "a"}], "buyer": {"name_of_item": "b"}}) == {
            "items[0].nameOfIten": "Campo desconhecido: seria nameOfItem?",
            "buyer.name_of_item": "Campo desconhecido: seria nameOfItem?",
        }

    def test_field_without_a_similar_name_gets_no_suggestion(self) -> None:
        assert errors_of({"colour": 1}) == {"colour": "Campo desconhecido."}

    def test_field_of_another_form_of_the_object_is_not_called_unknown(self) -> None:
        message = "Este campo não se usa com os outros campos informados aqui."
        assert list(errors_of({"payment": {"kind": "cash", "account": "1"}}).values()) == [message]

    def test_short_field_name_gets_no_suggestion(self) -> None:
        assert errors_of({"buyer": {"nfe": "a"}}) == {"buyer.nfe": "Campo desconhecido."}


class TestShortLists:
    def test_list_that_is_too_short_because_of_its_wrong_items_is_not_reported(self) -> None:
        assert list(errors_of({"lines": [{"nameOfItem": 1}]})) == ["lines[0].nameOfItem"]

    def test_empty_list_is_reported(self) -> None:
        assert errors_of({"lines": []}) == {"lines": "Deve ter pelo menos 1 item."}


class TestProblems:
    def test_broken_rules_are_listed_beside_missing_fields(self) -> None:
        missing = Problem(MISSING_FIELD, "flow", "Campo obrigatório.")
        with pytest.raises(Refusal) as refused:
            require_no_problems([missing, Problem("469", "shipper", "Falta o remetente.", "Informe-o.")])
        assert refused.value.code is ErrorCode.VALIDATION_ERROR
        assert refused.value.details == {
            "fields": [{"field": "flow", "error": "Campo obrigatório."}],
            "rules": [
                {"code": "469", "field": "shipper", "message": "Falta o remetente.", "hint": "Informe-o."}
            ],
        }


class TestWrongFields:
    def test_all_wrong_fields_are_reported(self) -> None:
        refusal = refusal_of(SHOWN)
        assert reported_fields(refusal) == [f"campo{place}" for place in range(SHOWN)]
        assert (refusal.message, set(refusal.details or ())) == (
            ErrorCode.VALIDATION_ERROR.message,
            {"fields"},
        )

    @pytest.mark.parametrize("wrong", [SHOWN + 1, DESCRIBED])
    def test_many_wrong_fields_are_reported_in_part(self, wrong: int) -> None:
        refusal = refusal_of(wrong)
        assert reported_fields(refusal) == [f"campo{place}" for place in range(SHOWN)]
        assert (refusal.details or {})["omitted"] == wrong - SHOWN
        assert f"{wrong} campos inválidos" in refusal.message

    def test_too_many_wrong_fields_are_reported_as_one_error(self) -> None:
        refusal = refusal_of(DESCRIBED + 1)
        assert (refusal.code, reported_fields(refusal)) == (ErrorCode.VALIDATION_ERROR, ["body"])
        assert str(DESCRIBED + 1) in str(refusal.details)
