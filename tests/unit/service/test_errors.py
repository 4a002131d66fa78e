"""How the errors of a body are told: all of them, unless they are too many to be read or even listed."""

import json
import re

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from carimbo.fiscal.fields import Body
from carimbo.service.errors import Code, Refusal, invalid_body

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


class Order(Body):
    """A body with lists and parts."""

    items: tuple[Line, ...] = ()
    buyer: Line | None = None


def errors_of(body: dict[str, object]) -> dict[str, str]:
    with pytest.raises(ValidationError) as raised:
        Order.model_validate(body)
    details = invalid_body(raised.value, Order).details or {}
    return {line["field"]: line["error"] for line in details["fields"]}


def told(refusal: Refusal) -> list[str]:
    assert refusal.details
    return [line["field"] for line in refusal.details["fields"]]


class TestExamples:
    def test_name_fields_by_the_paths_of_real_answers(self) -> None:
        texts = {code.name: json.dumps(code.value.details, default=str) for code in Code}
        assert [name for name, text in texts.items() if re.search(r"[a-z]\.[0-9]+\.", text)] == []


class TestMessages:
    def test_say_the_limit_of_a_body(self) -> None:
        refusal = Refusal(Code.PAYLOAD_TOO_LARGE, limitBytes=1000)
        assert refusal.message == "O corpo da requisição excede o limite de 1000 bytes."

    def test_name_the_field_and_the_id_of_a_duplicate(self) -> None:
        refusal = Refusal(Code.DUPLICATE_RESOURCE, field="sku", existingId="01ABC")
        assert refusal.message == "Já existe um registro com este sku: o de id 01ABC."

    def test_of_other_details_than_the_usual_ones_are_general(self) -> None:
        assert Refusal(Code.DUPLICATE_RESOURCE, saleId="1").message == Code.DUPLICATE_RESOURCE.message

    def test_name_what_a_company_lacks_with_the_route_that_sets_it(self) -> None:
        refusal = Refusal(Code.COMPANY_NOT_READY, missing=["address", "nfce.csc", "certificate"])
        assert refusal.message == (
            "Faltam dados da empresa para emitir: o endereço (address, PUT /v1/companies/{companyId}); o CSC"
            " (nfce.csc, PUT /v1/companies/{companyId}/settings); um certificado A1 em vigor (certificate,"
            " POST /v1/companies/{companyId}/certificate)."
        )


class TestUnknownFields:
    def test_that_are_near_a_known_one_are_told_its_name(self) -> None:
        assert errors_of({"itens": [], "Buyer": {}}) == {
            "itens": "Campo desconhecido: seria items?",
            "Buyer": "Campo desconhecido: seria buyer?",
        }

    def test_are_told_the_names_of_their_own_place(self) -> None:
        assert errors_of({"items": [{"nameOfIten": "a"}], "buyer": {"name_of_item": "b"}}) == {
            "items[0].nameOfIten": "Campo desconhecido: seria nameOfItem?",
            "buyer.name_of_item": "Campo desconhecido: seria nameOfItem?",
        }

    def test_that_are_near_none_are_just_unknown(self) -> None:
        assert errors_of({"colour": 1}) == {"colour": "Campo desconhecido."}

    def test_that_are_short_are_told_no_other_short_name(self) -> None:
        assert errors_of({"buyer": {"nfe": "a"}}) == {"buyer.nfe": "Campo desconhecido."}


class TestWrongFields:
    def test_are_all_told(self) -> None:
        refusal = refusal_of(SHOWN)
        assert told(refusal) == [f"campo{place}" for place in range(SHOWN)]
        assert (refusal.message, set(refusal.details or ())) == (Code.VALIDATION_ERROR.message, {"fields"})

    @pytest.mark.parametrize("wrong", [SHOWN + 1, DESCRIBED])
    def test_that_are_many_are_told_in_part(self, wrong: int) -> None:
        refusal = refusal_of(wrong)
        assert told(refusal) == [f"campo{place}" for place in range(SHOWN)]
        assert (refusal.details or {})["omitted"] == wrong - SHOWN
        assert f"{wrong} campos inválidos" in refusal.message

    def test_that_are_too_many_to_be_listed_are_told_as_one(self) -> None:
        refusal = refusal_of(DESCRIBED + 1)
        assert (refusal.code, told(refusal)) == (Code.VALIDATION_ERROR, ["body"])
        assert str(DESCRIBED + 1) in str(refusal.details)
