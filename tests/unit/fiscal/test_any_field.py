"""Whatever stands in a body that has the right form: it makes a valid XML, or is refused in our own words.

What is wrong is told by the path of a field that bodies have, and not in the schema's words, whose tags
nobody who writes JSON knows.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.paths import groups_in
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signature import Signer
from unit.fiscal.good_bodies import Good, answer_to, good_bodies, quick
from unit.fiscal.goods.support import NFE_BODY, item
from unit.fiscal.published_fields import (
    NFCE,
    NFE,
    Json,
    Told,
    changed,
    forms_of,
    is_published,
    kinds_of,
    objects_in,
)

KINDS = kinds_of(NFCE) | kinds_of(NFE)
NAMES = {name for schema in KINDS.values() for name in schema["properties"]}


def tags_in(record: type) -> Iterator[str]:
    """Every official tag of a group of the layout."""
    for name, element in layout_of(record).elements.items():
        yield element.tag
        for inner in groups_in(record)[name]:
            yield layout_of(inner).tag
            yield from tags_in(inner)


TAGS = set(tags_in(Invoice)) - NAMES


def is_in_our_words(problem: Problem, root: Json) -> bool:
    if not problem.path.startswith("company.") and not is_published(problem.path, root):
        return False
    is_the_schemas = (problem.source or "").startswith("XSD ")
    said = re.sub("“.*?”", "", f"{problem.message} {problem.hint}")
    return not (is_the_schemas and TAGS & set(re.findall(r"\w+", said)))


class Place(NamedTuple):
    """An object in a good body."""

    good: Good
    told: Told

    @property
    def code(self) -> str | None:
        """The code that says what else belongs into the object."""
        codes = (self.told.value.get(name) for name in ("cst", "csosn", "taxClassCode"))
        return next((code for code in codes if code), None)

    def holding(self, value: Json) -> Good:
        """The body with another object in this place."""
        return replace(self.good, body=changed(self.good.body, self.told.way, value))


@cache
def places() -> dict[str, list[Place]]:
    """Where good bodies have objects of each kind."""
    found: dict[str, list[Place]] = {kind: [] for kind in KINDS}
    for good in good_bodies():
        for told in objects_in(good.body, good.root):
            found[told.kind].append(Place(good, told))
    return found


@cache
def values_in(kind: str) -> dict[str, list[Any]]:
    """The good values of each field of a kind of object."""
    found: dict[str, list[Any]] = {}
    for place in places()[kind]:
        for name, value in place.told.value.items():
            if value not in found.setdefault(name, []):
                found[name].append(value)
    return found


def different_places(kind: str) -> Iterator[Place]:
    """The barest and the fullest object of each code; where there are no codes, one of each set of fields."""
    by_shape: dict[Any, list[Place]] = {}
    for place in places()[kind]:
        by_shape.setdefault(place.code or frozenset(place.told.value), []).append(place)
    for alike in by_shape.values():
        sizes = [len(place.told.value) for place in alike]
        yield from (alike[at] for at in {sizes.index(min(sizes)), sizes.index(max(sizes))})


def refusals(good: Good, signer: Signer) -> list[str]:
    """What is said of a body in other words than ours."""
    answer = answer_to(good, signer)
    problems = answer if isinstance(answer, tuple) else ()
    return [f"{one.path}: {one.message}" for one in problems if not is_in_our_words(one, good.root)]


@pytest.fixture(scope="module")
def signer(signer: Signer) -> Signer:
    return quick(signer)


class TestFieldBesideOthersThanItsOwn:
    """No field may come without those that it belongs to, or beside those that it excludes, unnoticed."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_that_is_one_too_many_is_valid_or_refused_in_our_words(self, signer: Signer, kind: str) -> None:
        told = []
        for place in different_places(kind):
            value = place.told.value
            for name, values in values_in(kind).items():
                if name not in value:
                    said = refusals(place.holding(value | {name: values[-1]}), signer)
                    told += [f"{place.code or ''} {sorted(value)} + {name}: {one}" for one in said]
        assert not told, "\n".join(told)

    @pytest.mark.parametrize("kind", KINDS)
    def test_that_is_missing_is_not_needed_or_asked_for_in_our_words(self, signer: Signer, kind: str) -> None:
        told = []
        for place in different_places(kind):
            value = place.told.value
            for name in value:
                less = place.holding({one: value[one] for one in value if one != name})
                said = refusals(less, signer)
                told += [f"{place.code or ''} {sorted(value)} - {name}: {one}" for one in said]
        assert not told, "\n".join(told)

    @settings(max_examples=400)
    @given(data=st.data())
    def test_is_valid_or_refused_in_our_words_with_any_other(
        self, signer: Signer, data: st.DataObject
    ) -> None:
        kind = data.draw(st.sampled_from(sorted(KINDS)))
        place = data.draw(st.sampled_from(places()[kind]))
        fields = {name: st.sampled_from(values) for name, values in values_in(kind).items()}
        names = data.draw(st.sets(st.sampled_from(sorted(fields)), min_size=1, max_size=3))
        more = {name: data.draw(fields[name]) for name in sorted(names)}
        assert refusals(place.holding(place.told.value | more), signer) == []


# At the edges of what is published of a field, and beyond what is not.
EDGES: dict[str, tuple[Any, ...]] = {
    "number": (0, Decimal("0.0001"), Decimal("100.01"), 1000, Decimal("9999999999999.99"), 10**14),
    "integer": (0, -1, 1000, 10**15),
    "string": ("X", "1", "ab", "ab cd e1", "e\N{COMBINING ACUTE ACCENT}", "…", "€", "x" * 61),
    "date": ("1999-12-31", "2026-11-10", "2100-01-01"),
    "date-time": ("1999-12-31T10:00:00-03:00", "2026-11-14T10:00:00+05:30", "2026-11-14T10:00:00.5-03:00"),
    "boolean": (False, True),
}


@cache
def of_pattern(pattern: str) -> tuple[str, ...]:
    """Some texts of a form."""
    found: dict[str, None] = {}

    @settings(max_examples=25, phases=[Phase.generate])
    @given(st.from_regex(pattern.replace("$", r"\Z")))
    def collect(text: str) -> None:
        found[text] = None

    collect()
    return tuple(found)


def values_of(field: Json, root: Json) -> Iterator[Any]:
    """Values of the form that is published of a field."""
    for form in forms_of(field):
        if "$ref" in form:
            yield from root["$defs"][form["$ref"].rpartition("/")[2]].get("enum", [{}])
        elif "items" in form:
            yield from ([], *([value] for value in values_of(form["items"], root)))
        elif "pattern" in form:
            yield from of_pattern(form["pattern"])
        else:
            yield from EDGES.get(form.get("format") or form["type"], ())


class TestAnyValue:
    @pytest.mark.parametrize("kind", KINDS)
    def test_is_valid_or_refused_in_our_words(self, signer: Signer, kind: str) -> None:
        told = []
        for name, field in KINDS[kind]["properties"].items():
            holding = [place for place in places()[kind] if name in place.told.value] or places()[kind]
            for value in values_of(field, holding[0].good.root):
                for place in (holding[0], holding[-1]):
                    said = refusals(place.holding(place.told.value | {name: value}), signer)
                    told += [f"{name} = {value!r}: {one}" for one in said]
        assert not told, "\n".join(dict.fromkeys(told))


class TestComputedAmount:
    @pytest.mark.parametrize(
        ("body", "path"),
        [
            ({"items": [item(quantity=99_999_999_999, unitValue=99_999_999_999)]}, "items[0]"),
            ({"items": [item(quantity=999, unitValue=9_999_999_999)] * 2}, "items"),
            ({"items": [item(discount=100)]}, "items[0].discount"),
            ({"discount": 100}, "discount"),
            ({"items": [item(countsInTotal=False, discount=20)]}, "items[0]"),
        ],
        ids=["product", "sum", "discounted item", "discounted sale", "discount of what is not counted"],
    )
    def test_that_the_layout_has_no_place_for_is_told_by_what_it_is_computed_of(
        self, signer: Signer, body: Json, path: str
    ) -> None:
        answer = answer_to(Good(NFE_BODY | body), signer)
        assert isinstance(answer, tuple)
        assert [problem.path for problem in answer] == [path]
