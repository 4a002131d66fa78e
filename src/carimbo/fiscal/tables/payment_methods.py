"""Means of payment (`tPag`): codes, names, and the words that a caller may use for them."""

from dataclasses import dataclass
from typing import Annotated

from carimbo.fiscal.tables.table import Derived, Table


@dataclass(frozen=True, slots=True)
class PaymentMethod:
    """A means of payment."""

    code: Annotated[str, "[0-9]{2}"]
    name: str
    words: tuple[str, ...]
    """What callers may write instead of the code, in any spelling."""
    has_card: bool
    """Whether the layout wants the group of the electronic transaction."""
    is_for_nfce: bool


PAYMENT_METHODS: Table[str, PaymentMethod] = Table(
    "payment_methods", PaymentMethod, lambda method: method.code
)


def find_payment_method(text: str) -> PaymentMethod | None:
    """Find a means of payment by its code or by a word, in any spelling: `creditCard`, `credit_card`."""
    return _BY_WORD.value.get(_plain(text))


def _by_word() -> dict[str, PaymentMethod]:
    methods = PAYMENT_METHODS.rows.values()
    return {_plain(word): method for method in methods for word in (method.code, *method.words)}


_BY_WORD = Derived(_by_word)


def _plain(word: str) -> str:
    return word.replace("_", "").replace("-", "").replace(" ", "").lower()
