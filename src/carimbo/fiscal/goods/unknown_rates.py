"""Rates of IBS and CBS that no act has fixed yet: what to say where one is needed."""

from datetime import date

from carimbo.fiscal.problems import Problem
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES, ReformTax

RATE_UNKNOWN = "RATE_UNKNOWN"
"""The code of a document whose rate nobody has given."""
_FILE, _COLUMN = f"{IBS_CBS_RATES.name}.csv", "rate"
_NAMES = {
    ReformTax.IBS_STATE: "do IBS do estado",
    ReformTax.IBS_CITY: "do IBS do município",
    ReformTax.CBS: "da CBS",
}


def unknown_rate(tax: ReformTax, day: date, path: str) -> Problem:
    """Returns the problem of an item without a rate; it names the operator's file and field."""
    return Problem(
        RATE_UNKNOWN,
        path,
        f"A alíquota {_NAMES[tax]} em {day:%d/%m/%Y} não é conhecida: falta na tabela {_FILE}, linha {tax},"
        f" coluna {_COLUMN}.",
        f"Peça a quem opera o carimbo que preencha a coluna {_COLUMN} de {_FILE} na pasta"
        f" CARIMBO_TABLES_FOLDER, ou informe {path}.",
        "LC 214/2025, art. 349",
        facts=(("file", _FILE), ("row", str(tax)), ("column", _COLUMN)),
    )


def informed_rate(tax: ReformTax, path: str) -> str:
    """Returns the warning of a rate that only the caller has given."""
    return (
        f"{path}: A alíquota {_NAMES[tax]} é a informada, porque a tabela {_FILE} ainda não a tem. Confira"
        " com o ato que a fixou."
    )
