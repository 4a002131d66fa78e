"""`python -m carimbo.fiscal`: its warnings, and the official tables of the operator."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import verify
from carimbo.fiscal.tables.table import use_tables_of
from support import REFORM
from unit.fiscal.command_files import Captured, InputFiles, refusal, run
from unit.fiscal.goods.support import NFE_BODY, item

LONG_PAST = "2026-01-10T10:00:00-03:00"
OLD = (
    "Aviso: issueDate: A data de emissão tem mais de 30 dias, e a SEFAZ de alguns estados"
    " já não aceita a nota."
)
RATES = "icms_rates.csv"


TERMS = {"presence": "inPerson", "paymentMethod": "cash"}


def without_a_rate(inputs: InputFiles) -> None:
    """Writes a request without a rate of ICMS, and with everything else that is required."""
    inputs.company(taxRegime="normal", pisCofinsRegime="cumulative")
    changes = {"issueDate": LONG_PAST, "items": [item(approximateTaxes=20, **REFORM)]}
    inputs.request("nfe", NFE_BODY | TERMS | changes)


class TestWarnings:
    def test_warnings_are_printed_on_standard_error_beside_the_document(
        self, inputs: InputFiles, capsys: Captured
    ) -> None:
        changes = {"issueDate": LONG_PAST, "items": [item(approximateTaxes=20)]}
        inputs.request("nfe", NFE_BODY | TERMS | changes)
        assert run(inputs.arguments()) == 0
        output = capsys.readouterr()
        verify(etree.fromstring(output.out.encode()))
        assert output.err == f"{OLD}\n"

    def test_assumed_tax_rate_is_warned_of(self, inputs: InputFiles, capsys: Captured) -> None:
        without_a_rate(inputs)
        assert run(inputs.arguments()) == 0
        add_warning = (
            "Aviso: Alíquota interna do ICMS não informada: usada a geral de SP, 18%. Confira a do produto."
        )
        assert sorted(capsys.readouterr().err.splitlines()) == sorted([add_warning, OLD])

    def test_refused_document_has_no_warnings(self, inputs: InputFiles, capsys: Captured) -> None:
        long_ago = {"issueDate": LONG_PAST, "items": [item(cfop="1102")]}
        inputs.request("nfe", NFE_BODY | long_ago)
        assert "Aviso" not in refusal(inputs, capsys)


@pytest.fixture
def tables(inputs: InputFiles) -> Iterator[Path]:
    """A folder for an operator's tables, which are no longer used after the test."""
    folder = inputs.folder / "tables"
    folder.mkdir()
    yield folder
    use_tables_of(None)


def rates_of(day: str, rows: str) -> str:
    return f"# source: Diário Oficial\n# date: {day}\nstate,rate,fcp\n{rows}\n"


class TestTables:
    @pytest.mark.parametrize(
        ("day", "rate"), [("2099-01-01", "25.0000"), ("2020-01-01", "18.0000")], ids=["newer", "older"]
    )
    def test_operators_tables_are_used_when_they_are_newer(
        self, inputs: InputFiles, capsys: Captured, tables: Path, day: str, rate: str
    ) -> None:
        without_a_rate(inputs)
        (tables / RATES).write_text(rates_of(day, "SP,25,0"), encoding="utf-8")
        assert run(inputs.arguments("nfe", "--tables", str(tables))) == 0
        assert f"<pICMS>{rate}</pICMS>" in capsys.readouterr().out

    def test_bundled_tables_are_used_again_when_none_are_named(
        self, inputs: InputFiles, capsys: Captured, tables: Path
    ) -> None:
        without_a_rate(inputs)
        (tables / RATES).write_text(rates_of("2099-01-01", "SP,25,0"), encoding="utf-8")
        for more in (["--tables", str(tables)], []):
            assert run(inputs.arguments("nfe", *more)) == 0
        assert "<pICMS>18.0000</pICMS>" in capsys.readouterr().out.splitlines()[-1]

    def test_unusable_table_is_reported_by_file_and_line(
        self, inputs: InputFiles, capsys: Captured, tables: Path
    ) -> None:
        without_a_rate(inputs)
        file = tables / RATES
        file.write_text(rates_of("2099-01-01", "SP,vinte,0"), encoding="utf-8")
        assert refusal(inputs, capsys, "nfe", "--tables", str(tables)) == (
            f"{tables}: A tabela {file} não pode ser usada: linha 4: “vinte” não serve na coluna rate."
            " [INPUT]\n"
        )

    @pytest.mark.parametrize("name", ["states", "municipalities", "payment_methods", "cfop"])
    def test_unusable_table_is_reported_whichever_code_reads_it(
        self, inputs: InputFiles, capsys: Captured, tables: Path, name: str
    ) -> None:
        inputs.request("nfe", NFE_BODY | {"payments": [{"method": "cash", "amount": 71.8}]})
        (tables / f"{name}.csv").write_text("isto não é uma tabela", encoding="utf-8")
        output = refusal(inputs, capsys, "nfe", "--tables", str(tables))
        assert output.startswith(f"{tables}: A tabela {tables / name}.csv não pode ser usada: linha 1: ")

    def test_missing_folder_of_tables_is_reported(self, inputs: InputFiles, capsys: Captured) -> None:
        missing = inputs.folder / "missing"
        assert refusal(inputs, capsys, "nfe", "--tables", str(missing)) == (
            f"{missing}: A pasta de tabelas {missing} não existe. [INPUT]\n"
        )
