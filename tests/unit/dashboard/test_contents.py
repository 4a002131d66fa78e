"""Items and totals of documents in words."""

from decimal import Decimal
from typing import Any

import pytest

from carimbo.dashboard.contents import item_rows, total_rows

ITEM: dict[str, Any] = {
    "number": 7,
    "description": "Cerveja",
    "ncm": "22030000",
    "cfop": "5401",
    "unit": "CX",
    "quantity": Decimal("100.0000"),
    "unitValue": Decimal("0.0333"),
    "amount": Decimal("3.33"),
}


@pytest.mark.parametrize(
    ("taxes", "words"),
    [
        ({"icms": {"csosn": "102"}}, ["ICMS: CSOSN 102"]),
        ({"pis": {"cst": "49", "rate": Decimal(0), "amount": Decimal(0)}}, ["PIS: CST 49"]),
        (
            {"icms": {"cst": "10", "rate": Decimal("20.00"), "amount": Decimal(8), "stAmount": Decimal(3)}},
            ["ICMS 20%: R$ 8,00", "ICMS-ST: R$ 3,00"],
        ),
        ({"stateShare": {"destinationAmount": Decimal("1.5")}}, ["DIFAL: R$ 1,50"]),
        (
            {
                "ibsCbs": {
                    "ibsAmount": Decimal("0.74"),
                    "cbs": {"rate": Decimal("11.11"), "amount": Decimal(9)},
                }
            },
            ["IBS: R$ 0,74", "CBS 11,11%: R$ 9,00"],
        ),
        ({"ibsCbs": {"cst": "410"}}, []),
    ],
)
def test_taxes_of_an_item_are_named_with_rate_and_amount(taxes: dict[str, Any], words: list[str]) -> None:
    (row,) = item_rows([ITEM | taxes])
    assert row.taxes == words


def test_item_has_its_codes_quantity_and_price() -> None:
    (row,) = item_rows([ITEM])
    assert (row.number, row.codes) == ("7", "NCM 22030000 · CFOP 5401")
    assert (row.quantity, row.unit_value, row.amount) == ("100 CX", "R$ 0,0333", "R$ 3,33")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"type": "component", "name": "Pedágio", "amount": 8.5}, "Componente do frete: Pedágio"),
        ({"type": "paper", "series": "1", "number": "12", "amount": 3}, "Nota em papel: 12"),
        ({"type": "nfe", "accessKey": None}, "NF-e transportada: –"),
    ],
)
def test_parts_of_a_freight_are_described(line: dict[str, Any], words: str) -> None:
    (row,) = item_rows([line], first=26)
    assert (row.number, row.description) == ("26", words)


def test_totals_leave_out_what_is_zero_but_not_the_amount_of_the_document() -> None:
    totals = {"goodsAmount": Decimal(0), "nfes": 2, "amount": Decimal(0), "ibsCbs": {"ibs": {"amount": 1.5}}}
    rows = [(row.name, row.text, row.is_total) for row in total_rows(totals)]
    assert rows == [
        ("NF-e transportadas", "2", False),
        ("IBS", "R$ 1,50", False),
        ("Total", "R$ 0,00", True),
    ]
