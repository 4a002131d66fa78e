"""Any value in a body of the right form makes a valid XML, or is refused in terms of the body.

A problem names the path of a field that bodies have. It does not use tags of the schema, which are unknown
to callers who write JSON. Here every field is tried once in each way; tests/fuzz tries them in every place.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.problems import Problem
from unit.fiscal.good_bodies import Good, answer_to, good_bodies, quick
from unit.fiscal.goods.support import NFE_BODY, item, without
from unit.fiscal.published_fields import (
    NFCE,
    NFE,
    Json,
    JsonPath,
    Published,
    changed,
    forms_of,
    is_published,
    objects_in,
)


@cache
def kinds() -> dict[str, Json]:
    """Returns the schemas of the bodies of goods and of the objects in them, by name."""
    return NFCE.kinds | NFE.kinds


def tags_in(record: type) -> Iterator[str]:
    """Yields every official tag of a group of the layout."""
    for name, element in layout_of(record).elements.items():
        yield element.tag
        for inner in groups_in(record)[name]:
            yield layout_of(inner).tag
            yield from tags_in(inner)


@cache
def tags_of_the_schema() -> set[str]:
    """Returns the tags of the layout that are not names of fields."""
    return set(tags_in(Invoice)) - {name for schema in kinds().values() for name in schema["properties"]}


def names_a_public_field(problem: Problem, root: Published) -> bool:
    """Returns whether a problem names a field of the body, and no tag of the schema."""
    if not problem.path.startswith("company.") and not is_published(problem.path, root):
        return False
    is_of_the_schema = (problem.source or "").startswith("XSD ")
    text = re.sub("“.*?”", "", f"{problem.message} {problem.hint}")
    return not (is_of_the_schema and tags_of_the_schema() & set(re.findall(r"\w+", text)))


class Place(NamedTuple):
    """An object in a valid body."""

    good: Good
    path: JsonPath
    value: Json

    @property
    def code(self) -> str:
        """The code that decides which other fields belong to the object; empty if it has none."""
        codes = (self.value.get(name) for name in ("cst", "csosn", "taxClassCode"))
        return next((code for code in codes if code), "")

    def holding(self, value: Json) -> Good:
        """Returns the body with another object in this place."""
        return replace(self.good, body=changed(self.good.body, self.path, value))


@cache
def places() -> dict[str, list[Place]]:
    """Returns the places of objects of each kind in valid bodies."""
    by_kind: dict[str, list[Place]] = {kind: [] for kind in kinds()}
    for good in good_bodies():
        for inner in objects_in(good.body, good.root):
            by_kind[inner.kind].append(Place(good, inner.path, inner.value))
    return by_kind


@cache
def values_in(kind: str) -> dict[str, list[Any]]:
    """Returns the valid values of each field of a kind of object."""
    by_name: dict[str, list[Any]] = {}
    for place in places()[kind]:
        for name, value in place.value.items():
            if value not in by_name.setdefault(name, []):
                by_name[name].append(value)
    return by_name


def different_places(kind: str) -> Iterator[Place]:
    """Yields the smallest and the largest object of each code, or of each set of fields without a code."""
    by_shape: dict[Any, list[Place]] = {}
    for place in places()[kind]:
        by_shape.setdefault(place.code or frozenset(place.value), []).append(place)
    for alike in by_shape.values():
        sizes = [len(place.value) for place in alike]
        yield from (alike[at] for at in {sizes.index(min(sizes)), sizes.index(max(sizes))})


# Values at the limits of the published forms, and beyond limits that are not published.
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
    """Returns some texts that match a pattern."""
    texts: dict[str, None] = {}

    @settings(max_examples=10, phases=[Phase.generate])
    @given(st.from_regex(pattern.replace("$", r"\Z")))
    def collect(text: str) -> None:
        texts[text] = None

    collect()
    return tuple(texts)


def values_of(field: Json, root: Published) -> Iterator[Any]:
    """Yields values of the published form of a field."""
    for form in forms_of(field):
        if "$ref" in form:
            yield from root.definitions[form["$ref"].rpartition("/")[2]].get("enum", [{}])
        elif "items" in form:
            yield from ([], *([value] for value in values_of(form["items"], root)))
        elif "pattern" in form:
            yield from of_pattern(form["pattern"])
        else:
            yield from EDGES.get(form.get("format") or form["type"], ())


Case = tuple[str, Good]
"""The change, and the changed body."""


def one_field_too_many(kind: str, *, everywhere: bool) -> Iterator[Case]:
    """Yields bodies with one more field, in the first place that lacks it or in every one."""
    tried: set[str] = set()
    for place in different_places(kind):
        for name, values in values_in(kind).items():
            if name not in place.value and (everywhere or name not in tried):
                tried.add(name)
                label = f"{kind} {place.code} {sorted(place.value)} + {name}"
                yield label, place.holding(place.value | {name: values[-1]})


def one_field_missing(kind: str, *, everywhere: bool) -> Iterator[Case]:
    """Yields bodies without one of their fields, in the first place that has it or in every one."""
    tried: set[str] = set()
    for place in different_places(kind):
        for name in place.value:
            if everywhere or name not in tried:
                tried.add(name)
                label = f"{kind} {place.code} {sorted(place.value)} - {name}"
                yield label, place.holding(without(name, place.value))


def odd_values(kind: str, *, everywhere: bool) -> Iterator[Case]:
    """Yields bodies with values of the published form: each field's first and last, or all in two places."""
    for name, field in kinds()[kind]["properties"].items():
        having = [place for place in places()[kind] if name in place.value] or places()[kind]
        values = list(values_of(field, having[0].good.root))
        for value in values if everywhere else values[:1] + values[1:][-1:]:
            for place in (having[0], having[-1]) if everywhere else having[:1]:
                yield f"{kind}.{name} = {value!r}", place.holding(place.value | {name: value})


CHANGES = (one_field_too_many, one_field_missing, odd_values)
Change = Callable[..., Iterator[Case]]


def problems_with_tags(good: Good, signer: Signer) -> list[str]:
    """Returns the problems of a body that use tags instead of field names."""
    answer = answer_to(good, signer)
    problems = answer if isinstance(answer, tuple) else ()
    return [
        f"{problem.path}: {problem.message}"
        for problem in problems
        if not names_a_public_field(problem, good.root)
    ]


def all_problems_with_tags(change: Change, signer: Signer, *, everywhere: bool) -> dict[str, list[str]]:
    """Returns the problems that use tags instead of field names, by change."""
    cases = (case for kind in kinds() for case in change(kind, everywhere=everywhere))
    problems = {label: problems_with_tags(good, signer) for label, good in cases}
    return {label: messages for label, messages in problems.items() if messages}


@st.composite
def bodies_with_other_fields(draw: Callable[..., Any]) -> Good:
    """Draws a valid body, with up to three fields of one of its objects replaced."""
    kind = draw(st.sampled_from(sorted(kinds())))
    place: Place = draw(st.sampled_from(places()[kind]))
    fields = values_in(kind)
    names = draw(st.sets(st.sampled_from(sorted(fields)), min_size=1, max_size=3))
    return place.holding(place.value | {name: draw(st.sampled_from(fields[name])) for name in sorted(names)})


@pytest.fixture(scope="module")
def signer(signer: Signer) -> Signer:
    return quick(signer)


class TestAnyField:
    @pytest.mark.parametrize("change", CHANGES)
    def test_any_changed_field_is_valid_or_refused_in_terms_of_the_body(
        self, signer: Signer, change: Change
    ) -> None:
        assert all_problems_with_tags(change, signer, everywhere=False) == {}

    @settings(max_examples=50)
    @given(good=bodies_with_other_fields())
    def test_any_combination_of_fields_is_valid_or_refused_in_terms_of_the_body(
        self, signer: Signer, good: Good
    ) -> None:
        assert problems_with_tags(good, signer) == []


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
    def test_too_large_amount_is_reported_at_the_fields_it_is_computed_from(
        self, signer: Signer, body: Json, path: str
    ) -> None:
        answer = answer_to(Good(NFE_BODY | body), signer)
        assert isinstance(answer, tuple)
        assert [problem.path for problem in answer] == [path]
