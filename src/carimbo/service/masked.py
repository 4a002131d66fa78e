"""Secrets as callers see them: masked. The same mask sent back means that nothing changes."""

from carimbo.service.errors import invalid_field

MASK = "********"
"""What stands in the place of a secret, and before its end where that is shown."""
_SHOWN = 4


def masked(secret: bytes) -> str:
    """What may be shown of a secret: its end, unless it is short."""
    text = secret.decode()
    return MASK + (text[-_SHOWN:] if len(text) > 2 * _SHOWN else "")


def is_masked(value: str) -> bool:
    """Tell whether a caller sends a mask in the place of a secret."""
    return value.startswith(MASK)


def meant(value: str, stored: bytes | None, path: str) -> bytes:
    """The secret that a value stands for: the stored one if it is its mask; any other mask is a mistake."""
    if not is_masked(value):
        return value.encode()
    if stored is None or value != masked(stored):
        raise invalid_field(path, "Valor mascarado: envie o valor inteiro, ou exatamente como foi lido.")
    return stored
