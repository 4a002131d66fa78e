"""The words in which the fields of bodies are described, and the values that stand in many of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

Strategy = st.SearchStrategy[Any]


@dataclass(frozen=True, slots=True)
class Values:
    """What a field may hold: a strategy to draw from, and samples that leave out no field and no choice."""

    strategy: Strategy
    samples: tuple[Any, ...]

    def __or__(self, other: "Values") -> "Values":
        return either(self, other)

    def map(self, change: Callable[[Any], Any]) -> "Values":
        """The same, each value changed."""
        return Values(self.strategy.map(change), tuple(map(change, self.samples)))


Fields = dict[str, Values]


def one(*values: Any) -> Values:
    """One of these values."""
    return Values(st.sampled_from(values), values)


def either(*choices: Values) -> Values:
    """What any of these may be."""
    samples = (sample for choice in choices for sample in choice.samples)
    return Values(st.one_of(*(choice.strategy for choice in choices)), tuple(samples))


def number(most: int, places: int = 2) -> Values:
    """Zero as often as anything else."""
    return one(Decimal(0)) | above_zero(most, places)


def above_zero(most: int, places: int = 2) -> Values:
    """From the smallest step on."""
    return between(Decimal(1).scaleb(-places), most, places)


def between(least: Decimal, most: int, places: int) -> Values:
    """Any number of so many decimals."""
    return Values(st.decimals(min_value=least, max_value=most, places=places), (Decimal(most),))


def having(must: Fields, may: Fields | None = None) -> Values:
    """An object with these fields, and any of those."""
    drawn = {name: values.strategy for name, values in must.items()}
    optional = {name: values.strategy for name, values in (may or {}).items()}
    return Values(st.fixed_dictionaries(drawn, optional=optional), tuple(_objects(must, may or {})))


def _objects(must: Fields, may: Fields) -> Iterator[dict[str, Any]]:
    """With nothing more than it must have, with every other value of every field alone, and with all."""
    bare = {name: values.samples[0] for name, values in must.items()}
    yield bare
    for name, values in (must | may).items():
        yield from (bare | {name: sample} for sample in values.samples if bare.get(name) is not sample)
    yield bare | {name: values.samples[0] for name, values in may.items()}


def some_of(fields: Fields) -> Strategy:
    """A few of many fields, each as likely as the others."""
    names = st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=6)
    return names.flatmap(lambda chosen: having({name: fields[name] for name in chosen}).strategy)


def few(values: Values, least: int = 0) -> Values:
    """A short list."""
    strategy = st.lists(values.strategy, min_size=least, max_size=2)
    return Values(strategy, tuple([sample] for sample in values.samples))


def each(value: Values, *names: str) -> Fields:
    """Fields that hold the same kind of value."""
    return dict.fromkeys(names, value)


def the(known: dict[str, Any]) -> Fields:
    """Fields with these very values."""
    return {name: one(value) for name, value in known.items()}


AMOUNT = number(9)
# The layout can't write these as zero, and an item of a list that is worth nothing says nothing else.
SOME_AMOUNT = above_zero(9)
SOME_SHARE = above_zero(100, 4)
RATE = number(30, 4)
SHARE = number(100, 4)
QUANTITY = number(9, 4)
UNIT_RATE = number(1, 4)
KEY = one("35261111222333000181550010000000011123456789")
DAY = one("2026-11-10")
MOMENT = one("2026-11-14T11:00:00-03:00")
FLAG = one(False, True)
TEXT = Values(
    st.text(alphabet="Aé1 &<>'\"", min_size=2, max_size=15).filter(lambda text: len(text.strip()) > 1),
    ("Aé1 &<>'\"",),
)
