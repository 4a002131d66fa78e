"""How the errors of a body are told: all of them, unless they are too many to be read or even listed."""

import json
import re

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

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


def told(refusal: Refusal) -> list[str]:
    assert refusal.details
    return [line["field"] for line in refusal.details["fields"]]


class TestExamples:
    @pytest.mark.parametrize("code", Code)
    def test_name_fields_by_the_paths_of_real_answers(self, code: Code) -> None:
        assert not re.search(r"[a-z]\.[0-9]+\.", json.dumps(code.value.details, default=str))


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
