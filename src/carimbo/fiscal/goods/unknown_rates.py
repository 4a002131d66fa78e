"""Rates of IBS and CBS that no act has fixed yet: what to say where one is needed."""

from datetime import date

from carimbo.fiscal.missing_rates import RATE_COLUMN, RATES_FILE, TAX_NAMES
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.tables.ibs_cbs import ReformTax

RATE_UNKNOWN = "RATE_UNKNOWN"
"""The code of a document whose rate nobody has given."""


def unknown_rate(tax: ReformTax, day: date, path: str) -> Problem:
    """Returns the problem of an item without a rate; it names the operator's file and field."""
    return Problem(
        RATE_UNKNOWN,
        path,
        f"A alíquota {TAX_NAMES[tax]} em {day:%d/%m/%Y} não é conhecida: falta na tabela {RATES_FILE}, linha {tax},"
        f" coluna {RATE_COLUMN}.",
        f"Peça a quem opera o carimbo que preencha a coluna {RATE_COLUMN} de {RATES_FILE} na pasta"
        f" CARIMBO_TABLES_FOLDER, ou informe {path}.",
        "LC 214/2025, art. 349",
        facts=(("file", RATES_FILE), ("row", str(tax)), ("column", RATE_COLUMN)),
    )


def informed_rate(tax: ReformTax, path: str) -> str:
    """Returns the warning of a rate that only the caller has given."""
    return (
        f"{path}: A alíquota {TAX_NAMES[tax]} é a informada, porque a tabela {RATES_FILE} ainda não a tem. Confira"
        " com o ato que a fixou."
    )
