"""Payment methods (`tPag`): codes, names, and the words that callers may use for them."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Annotated

from carimbo.fiscal.tables.table import Derived, Table


@dataclass(frozen=True, slots=True)
class PaymentMethod:
    """A payment method."""

    code: Annotated[str, "[0-9]{2}"]
    name: str
    words: tuple[str, ...]
    """Words that callers may use instead of the code, in any spelling."""
    has_card: bool
    """Whether the layout requires the group of the electronic transaction."""
    is_for_nfce: bool


_SPACES_MARKS_AND_ACCENTS = re.compile("[\\s_\u0300-\u036f-]")
PAYMENT_METHODS: Table[str, PaymentMethod] = Table(
    "payment_methods", PaymentMethod, lambda method: method.code
)


def find_payment_method(text: str) -> PaymentMethod | None:
    """Returns the payment method with a code (`03`, `3`) or a word (`creditCard`, `Cartão de crédito`).

    Case, accents, spaces, hyphens and underscores of a word are ignored.
    """
    return _BY_WORD.value.get(_plain(text))


def payment_methods_text() -> str:
    """Returns all codes with their first word, for a message: `01 cash, 02 check`."""
    return ", ".join(" ".join((method.code, *method.words[:1])) for method in PAYMENT_METHODS.rows.values())


def _by_word() -> dict[str, PaymentMethod]:
    methods = PAYMENT_METHODS.rows.values()
    return {_plain(word): method for method in methods for word in (method.code, *method.words)}


_BY_WORD = Derived(_by_word)


def _plain(word: str) -> str:
    if word.strip().isdecimal():
        return word.strip().zfill(2)
    return _SPACES_MARKS_AND_ACCENTS.sub("", unicodedata.normalize("NFKD", word.casefold()))
