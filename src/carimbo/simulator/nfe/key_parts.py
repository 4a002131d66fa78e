"""Where things are in an access key (MOC 7.0, 2.2.6)."""

STATE = slice(0, 2)
YEAR = slice(2, 4)
MONTH = slice(4, 6)
ISSUER = slice(6, 20)
"""CNPJ, or CPF after three zeros."""
MODEL = slice(20, 22)
SERIES = slice(22, 25)
NUMBER = slice(25, 34)
EMISSION = slice(34, 35)
"""`tpEmis`."""
NUMERIC_CODE = slice(35, 43)

_NFCE = "65"


def number_id(access_key: str) -> str:
    """Returns what makes the number of a document: state, issuer, model, series and number.

    Of NFC-e the way of emission is part of it: what became of one that was sent may be unknown while it is
    issued again offline (MOC 7.0, 2B08-10).
    """
    emission = access_key[EMISSION] if access_key[MODEL] == _NFCE else ""
    return f"{access_key[STATE]}{access_key[ISSUER.start : NUMBER.stop]}{emission}"
