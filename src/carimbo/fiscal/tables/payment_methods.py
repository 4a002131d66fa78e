"""Means of payment (`tPag`): codes, names, and the words that a caller may use for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

SOURCE = "Tabela de meios de pagamento da NF-e/NFC-e, com as NT 2024.002, 2025.001 e 2026.002"
DATE = date(2026, 11, 3)


@dataclass(frozen=True, slots=True)
class PaymentMethod:
    """A means of payment; `has_card` where the layout wants the group of the electronic transaction."""

    code: str
    name: str
    words: tuple[str, ...] = ()
    has_card: bool = False


_ALL = (
    PaymentMethod("01", "Dinheiro", ("cash", "money")),
    PaymentMethod("02", "Cheque", ("check",)),
    PaymentMethod("03", "Cartão de crédito", ("creditCard",), has_card=True),
    PaymentMethod("04", "Cartão de débito", ("debitCard",), has_card=True),
    PaymentMethod("05", "Cartão da loja ou crediário", ("storeCredit",)),
    PaymentMethod("10", "Vale-alimentação", ("foodVoucher",)),
    PaymentMethod("11", "Vale-refeição", ("mealVoucher",)),
    PaymentMethod("12", "Vale-presente", ("giftCard",)),
    PaymentMethod("13", "Vale-combustível", ("fuelVoucher",)),
    PaymentMethod("14", "Duplicata mercantil"),
    PaymentMethod("15", "Boleto bancário", ("boleto", "bankSlip")),
    PaymentMethod("16", "Depósito bancário", ("deposit",)),
    PaymentMethod("17", "PIX dinâmico", ("pix",), has_card=True),
    PaymentMethod("18", "Transferência bancária ou carteira digital", ("bankTransfer", "wallet")),
    PaymentMethod("19", "Programa de fidelidade ou cashback", ("cashback",)),
    PaymentMethod("20", "PIX estático", ("pixStatic",)),
    PaymentMethod("21", "Crédito em loja"),
    PaymentMethod("22", "Pagamento eletrônico não informado, por falha do equipamento"),
    PaymentMethod("23", "PIX automático"),
    PaymentMethod("24", "TEF por transferência entre contas"),
    PaymentMethod("90", "Sem pagamento", ("none",)),
    PaymentMethod("91", "Pagamento posterior", ("later",)),
    PaymentMethod("99", "Outros", ("other",)),
)

PAYMENT_METHODS: Mapping[str, PaymentMethod] = MappingProxyType({method.code: method for method in _ALL})


def _plain(word: str) -> str:
    return word.replace("_", "").replace("-", "").replace(" ", "").lower()


_BY_WORD = {_plain(word): method for method in _ALL for word in (method.code, *method.words)}


def find_payment_method(text: str) -> PaymentMethod | None:
    """Find a means of payment by its code or by a word, in any spelling: `creditCard`, `credit_card`."""
    return _BY_WORD.get(_plain(text))
