"""The rules about the key that a consult, an event or a distribution is about (MOC 7.0, J02 and P12)."""

from carimbo.simulator.nfe.models import NFCE, NFE
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.key_parts import MODEL
from carimbo.simulator.sefaz.rules.asked_key import (
    AboutKey,
    impossible_issuer,
    impossible_month,
    impossible_year,
    other_model,
    unknown_state,
    without_number,
    wrong_digit,
)


def receipt_among_invoices(asked: AboutKey) -> bool:
    """The address is that of the services of NF-e."""
    return asked.dialect.model_at(asked.place) == NFE and asked.access_key[MODEL] == NFCE


def invoice_among_receipts(asked: AboutKey) -> bool:
    """The address is that of the services of NFC-e."""
    return asked.dialect.model_at(asked.place) == NFCE and asked.access_key[MODEL] == NFE


ASKED_KEY_RULES: tuple[Rule[AboutKey], ...] = (
    Rule("236", wrong_digit),
    Rule("614", unknown_state),
    Rule("615", impossible_year),
    Rule("616", impossible_month),
    Rule("617", impossible_issuer),
    Rule("618", other_model),
    Rule("619", without_number),
    Rule("450", receipt_among_invoices),
    Rule("775", invoice_among_receipts),
)
