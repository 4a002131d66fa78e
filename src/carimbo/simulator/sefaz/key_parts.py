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
LENGTH = 44
