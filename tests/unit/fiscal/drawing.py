"""Strategies and samples for fields of bodies, and values that many fields share."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

Strategy = st.SearchStrategy[Any]


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a field: a strategy to draw from, and samples that cover every field and every choice."""

    strategy: Strategy
    samples: tuple[Any, ...]

    def __or__(self, other: "Values") -> "Values":
        return either(self, other)

    def map(self, change: Callable[[Any], Any]) -> "Values":
        """Returns the same values, each of them changed."""
        return Values(self.strategy.map(change), tuple(map(change, self.samples)))


Fields = dict[str, Values]


def any_of(*values: Any) -> Values:
    """Returns values drawn from these."""
    return Values(st.sampled_from(values), values)


def either(*choices: Values) -> Values:
    """Returns the values of any of these."""
    samples = (sample for choice in choices for sample in choice.samples)
    return Values(st.one_of(*(choice.strategy for choice in choices)), tuple(samples))


def number(most: int, places: int = 2) -> Values:
    """Returns numbers up to a limit; zero is as likely as all others."""
    return any_of(Decimal(0)) | above_zero(most, places)


def above_zero(most: int, places: int = 2) -> Values:
    """Returns numbers from the smallest step on."""
    return between(Decimal(1).scaleb(-places), most, places)


def between(least: Decimal, most: int, places: int) -> Values:
    """Returns numbers with this many decimals."""
    return Values(st.decimals(min_value=least, max_value=most, places=places), (Decimal(most),))


def having(must: Fields, may: Fields | None = None) -> Values:
    """Returns objects with the first fields, and any of the second."""
    drawn = {name: values.strategy for name, values in must.items()}
    optional = {name: values.strategy for name, values in (may or {}).items()}
    return Values(st.fixed_dictionaries(drawn, optional=optional), tuple(_objects(must, may or {})))


def _objects(must: Fields, may: Fields) -> Iterator[dict[str, Any]]:
    """Yields the object with required fields only, with every value of each field, and with all fields."""
    bare = {name: values.samples[0] for name, values in must.items()}
    yield bare
    for name, values in (must | may).items():
        yield from (bare | {name: sample} for sample in values.samples if bare.get(name) is not sample)
    yield bare | {name: values.samples[0] for name, values in may.items()}


def some_of(fields: Fields) -> Strategy:
    """Draws a few of many fields, each as likely as the others."""
    names = st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=6)
    return names.flatmap(lambda chosen: having({name: fields[name] for name in chosen}).strategy)


def few(values: Values, least: int = 0) -> Values:
    """Returns short lists of these values."""
    strategy = st.lists(values.strategy, min_size=least, max_size=2)
    return Values(strategy, tuple([sample] for sample in values.samples))


def each(value: Values, *names: str) -> Fields:
    """Returns fields that hold the same values."""
    return dict.fromkeys(names, value)


def fixed(fields: dict[str, Any]) -> Fields:
    """Returns fields with exactly these values."""
    return {name: any_of(value) for name, value in fields.items()}


AMOUNT = number(9)
# The layout cannot write these as zero, and a list item without an amount has no meaning.
SOME_AMOUNT = above_zero(9)
SOME_SHARE = above_zero(100, 4)
RATE = number(30, 4)
SHARE = number(100, 4)
QUANTITY = number(9, 4)
UNIT_RATE = number(1, 4)
KEY = any_of("35261111222333000181550010000000011123456789")
DAY = any_of("2026-11-10")
MOMENT = any_of("2026-11-14T11:00:00-03:00")
FLAG = any_of(False, True)
TEXT = Values(
    st.text(alphabet="Aé1 &<>'\"", min_size=2, max_size=15).filter(lambda text: len(text.strip()) > 1),
    ("Aé1 &<>'\"",),
)
