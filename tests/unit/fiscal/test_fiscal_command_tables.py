"""`python -m carimbo.fiscal`: what it warns of, and the official tables that an operator gives it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from carimbo.fiscal.signature import verify
from carimbo.fiscal.tables.table import use_tables_of
from support import REFORM
from unit.fiscal.desk import Captured, Desk, refusal, run
from unit.fiscal.goods.support import NFE_BODY, item

LONG_PAST = "2026-01-10T10:00:00-03:00"
OLD = (
    "Aviso: issueDate: A data de emissão tem mais de 30 dias, e a SEFAZ de alguns estados"
    " já não aceita a nota."
)
RATES = "icms_rates.csv"


TERMS = {"presence": "inPerson", "paymentMethod": "cash"}


def without_a_rate(desk: Desk) -> None:
    """Let the rate of the ICMS be told by nobody, and all that somebody has to tell be there."""
    desk.company(taxRegime="normal", pisCofinsRegime="cumulative")
    told = {"issueDate": LONG_PAST, "items": [item(approximateTaxes=20, **REFORM)]}
    desk.request("nfe", NFE_BODY | TERMS | told)


class TestWarnings:
    def test_stand_beside_the_document_on_standard_error(self, desk: Desk, capsys: Captured) -> None:
        told = {"issueDate": LONG_PAST, "items": [item(approximateTaxes=20)]}
        desk.request("nfe", NFE_BODY | TERMS | told)
        assert run(desk.arguments()) == 0
        said = capsys.readouterr()
        verify(etree.fromstring(said.out.encode()))
        assert said.err == f"{OLD}\n"

    def test_tell_what_was_assumed_of_a_tax(self, desk: Desk, capsys: Captured) -> None:
        without_a_rate(desk)
        assert run(desk.arguments()) == 0
        assumed = (
            "Aviso: Alíquota interna do ICMS não informada: usada a geral de SP, 18%. Confira a do produto."
        )
        assert sorted(capsys.readouterr().err.splitlines()) == sorted([assumed, OLD])

    def test_are_not_told_where_there_is_no_document(self, desk: Desk, capsys: Captured) -> None:
        long_ago = {"issueDate": LONG_PAST, "items": [item(cfop="1102")]}
        desk.request("nfe", NFE_BODY | long_ago)
        assert "Aviso" not in refusal(desk, capsys)


@pytest.fixture
def tables(desk: Desk) -> Iterator[Path]:
    """A folder for an operator's tables, out of force again after the test."""
    folder = desk.folder / "tables"
    folder.mkdir()
    yield folder
    use_tables_of(None)


def rates_of(day: str, rows: str) -> str:
    return f"# source: Diário Oficial\n# date: {day}\nstate,rate,fcp\n{rows}\n"


class TestTables:
    @pytest.mark.parametrize(
        ("day", "rate"), [("2099-01-01", "25.0000"), ("2020-01-01", "18.0000")], ids=["newer", "older"]
    )
    def test_of_the_operator_win_when_they_are_newer(
        self, desk: Desk, capsys: Captured, tables: Path, day: str, rate: str
    ) -> None:
        without_a_rate(desk)
        (tables / RATES).write_text(rates_of(day, "SP,25,0"), encoding="utf-8")
        assert run(desk.arguments("nfe", "--tables", str(tables))) == 0
        assert f"<pICMS>{rate}</pICMS>" in capsys.readouterr().out

    def test_are_ours_again_when_none_are_named(self, desk: Desk, capsys: Captured, tables: Path) -> None:
        without_a_rate(desk)
        (tables / RATES).write_text(rates_of("2099-01-01", "SP,25,0"), encoding="utf-8")
        for more in (["--tables", str(tables)], []):
            assert run(desk.arguments("nfe", *more)) == 0
        assert "<pICMS>18.0000</pICMS>" in capsys.readouterr().out.splitlines()[-1]

    def test_that_are_unusable_are_told_by_file_and_line(
        self, desk: Desk, capsys: Captured, tables: Path
    ) -> None:
        without_a_rate(desk)
        file = tables / RATES
        file.write_text(rates_of("2099-01-01", "SP,vinte,0"), encoding="utf-8")
        assert refusal(desk, capsys, "nfe", "--tables", str(tables)) == (
            f"{tables}: A tabela {file} não pode ser usada: linha 4: “vinte” não serve na coluna rate."
            " [INPUT]\n"
        )

    @pytest.mark.parametrize("name", ["states", "municipalities", "payment_methods", "cfop"])
    def test_that_are_unusable_are_told_whoever_reads_them(
        self, desk: Desk, capsys: Captured, tables: Path, name: str
    ) -> None:
        desk.request("nfe", NFE_BODY | {"payments": [{"method": "cash", "amount": 71.8}]})
        (tables / f"{name}.csv").write_text("isto não é uma tabela", encoding="utf-8")
        said = refusal(desk, capsys, "nfe", "--tables", str(tables))
        assert said.startswith(f"{tables}: A tabela {tables / name}.csv não pode ser usada: linha 1: ")

    def test_in_a_folder_that_is_not_there_are_told(self, desk: Desk, capsys: Captured) -> None:
        missing = desk.folder / "missing"
        assert refusal(desk, capsys, "nfe", "--tables", str(missing)) == (
            f"{missing}: A pasta de tabelas {missing} não existe. [INPUT]\n"
        )
