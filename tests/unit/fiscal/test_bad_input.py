"""A hostile text anywhere in a request is refused at its field, or makes a valid document."""

import string
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from carimbo.fiscal.emission import Emission
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import NORMAL, PRODUCTION, company, emission, issued_nfe, item
from unit.fiscal.hostile_bodies import (
    BODY,
    COMPUTED,
    Step,
    assert_good,
    is_about,
    leaves,
    path_of,
    result_of,
    with_value,
)

TEXTS = leaves(BODY, (str,))
NICE = string.ascii_letters + string.digits + " çãÉ-./&<>\"'"
HOSTILE = st.one_of(
    st.text(alphabet=st.sampled_from(NICE), max_size=70),
    st.text(max_size=30),
    st.text(alphabet=st.characters(codec=None), max_size=10),
    st.sampled_from(
        [
            "]]>",
            "<!--",
            "&amp;",
            "&#0;",
            "<a/>",
            "\u202eabc",
            "a\xa0b",
            "\xad",
            "e\u0301",
            "\ud800",
            "x" * 5001,
            "x" * 1_000_000,
            " " * 1_000_000,
            "\r\n",
            "🎉",
            "“…”",
        ]
    ),
)


def is_beside(path: str, place: tuple[Step, ...]) -> bool:
    """Returns whether a path leads to a neighbour of a place: a code decides which fields it needs."""
    return path.startswith(f"{path_of(place[:-1])}.")


class TestGoodRequest:
    @pytest.mark.parametrize(("body", "by"), [(BODY, company()), (COMPUTED, NORMAL)])
    def test_valid_request_makes_a_valid_document(
        self, signer: Signer, body: dict[str, Any], by: Company
    ) -> None:
        result = result_of(signer, body, by=by)
        assert isinstance(result, SignedDocument), result
        assert_good(result)


def assert_hostile_text_is_reported_or_written(signer: Signer, place: tuple[Step, ...], value: str) -> None:
    """Checks that a text is refused at its field or beside it, or makes a valid document."""
    result = result_of(signer, with_value(place, value))
    if isinstance(result, SignedDocument):
        assert_good(result)
    elif value.strip():
        assert any(is_about(path, place) or is_beside(path, place) for path in result), result
        assert all(len(message) < 400 for message in result.values()), result


def unreported(signer: Signer, value: str, under: Emission = PRODUCTION) -> dict[str, Any]:
    """Returns the results of a text by the path of each field that does not refuse it briefly."""
    results = {place: result_of(signer, with_value(place, value), under) for place in TEXTS}
    return {
        path_of(place): result
        for place, result in results.items()
        if not isinstance(result, dict)
        or not any(is_about(path, place) for path in result)
        or any(len(message) >= 400 for message in result.values())
    }


class TestHostileText:
    @settings(max_examples=60)
    @given(st.sampled_from(TEXTS), HOSTILE)
    @example(("nature",), "<\u0338")
    @example(("deliveryAddress", "state"), "RJ")
    @example(("items", 1, "icms", "csosn"), "102")
    @example(("items", 1, "pis", "cst"), "03")
    @example(("payments", 0, "method"), "later")
    def test_hostile_text_is_reported_at_its_field_or_written_unchanged(
        self, signer: Signer, place: tuple[Step, ...], value: str
    ) -> None:
        assert_hostile_text_is_reported_or_written(signer, place, value)

    @pytest.mark.parametrize("under", [PRODUCTION, emission()], ids=["production", "homologation"])
    def test_character_that_no_document_allows_is_reported_at_each_field(
        self, signer: Signer, under: Emission
    ) -> None:
        assert unreported(signer, "festa 🎉", under) == {}

    def test_text_of_any_length_is_reported_at_each_field_briefly(self, signer: Signer) -> None:
        assert unreported(signer, "x" * 100_000) == {}


class TestManyItems:
    def test_document_may_have_990_items(self, signer: Signer) -> None:
        document = issued_nfe(signer, items=[item()] * 990)
        assert isinstance(document, SignedDocument), document
        assert_good(document)

    def test_document_with_991_items_is_refused(self, signer: Signer) -> None:
        assert result_of(signer, BODY | {"items": [item()] * 991}) == {
            "items": "Deve ter no máximo 990 itens."
        }
