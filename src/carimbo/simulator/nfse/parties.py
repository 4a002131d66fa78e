"""Who has to do with a note: they alone may see it."""

from carimbo.simulator.group import Group
from carimbo.simulator.tax_ids import base


def tax_id(party: Group | None) -> str:
    """CNPJ or CPF of a party; empty for nobody, and for those from abroad."""
    return (party.text("CNPJ") or party.text("CPF")) if party else ""


def is_party(owner: str, note: Group) -> bool:
    """Tell whether a certificate's owner is provider, taker or intermediary of an `infDPS`."""
    parties = (tax_id(note.group(tag)) for tag in ("prest", "toma", "interm"))
    return bool(owner) and base(owner) in {base(one) for one in parties if one}
