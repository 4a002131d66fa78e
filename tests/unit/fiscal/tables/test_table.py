"""How a table is read: the file in use, the variants of its form, and its errors."""

import csv
import io
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.tables.all_tables import ALL_TABLES
from carimbo.fiscal.tables.geography import STATES, find_municipality, state_of_ibge
from carimbo.fiscal.tables.goods_codes import NCMS, Ncm
from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS, find_payment_method
from carimbo.fiscal.tables.table import Derived, Table, use_tables_of
from carimbo.fiscal.tables.table_file import TableUnusable
from carimbo.fiscal.tables.taxes import ICMS_RATES, IcmsRate, internal_icms
from unit.fiscal.tables.conftest import Provide

BUILT_IN = date(2026, 10, 27)
NEWER, EQUAL, OLDER = "2099-01-01", "2026-10-27", "2020-01-01"
ROWS = "state,rate,fcp\nSP,25,1.5\n"


def rates(day: str = NEWER, rows: str = ROWS) -> str:
    return f"# source: Diário Oficial\n# date: {day}\n{rows}"


class TestMapping:
    def test_table_is_a_mapping(self) -> None:
        assert ICMS_RATES["SP"] is ICMS_RATES.rows["SP"] is ICMS_RATES.get("SP")
        assert ("SP" in ICMS_RATES, "XX" in ICMS_RATES, ICMS_RATES.get("XX")) == (True, False, None)
        assert list(ICMS_RATES) == list(ICMS_RATES.rows)
        with pytest.raises(KeyError):
            ICMS_RATES["XX"]

    def test_table_is_read_once(self) -> None:
        assert ICMS_RATES.rows is ICMS_RATES.rows


class TestOperatorsFile:
    @pytest.mark.parametrize("day", [NEWER, EQUAL])
    def test_operators_file_is_used_when_it_is_not_older(self, provide: Provide, day: str) -> None:
        file = provide("icms_rates", rates(day))
        about = ICMS_RATES.about
        assert (about.source, about.date, about.rows) == ("Diário Oficial", date.fromisoformat(day), 1)
        assert (about.file, about.older_file) == (file, None)
        assert internal_icms("SP") == IcmsRate("SP", Decimal(25), Decimal("1.5"))
        assert internal_icms("RJ") is None

    def test_operators_file_is_ignored_when_it_is_older(self, provide: Provide) -> None:
        file = provide("icms_rates", rates(OLDER))
        about = ICMS_RATES.about
        assert (about.date, about.rows, about.file, about.older_file) == (BUILT_IN, 27, None, file)
        assert internal_icms("SP") == IcmsRate("SP", Decimal(18), Decimal(0))

    def test_operators_file_does_not_change_other_tables(self, provide: Provide) -> None:
        provide("icms_rates", rates())
        assert (len(STATES), STATES.about.file, STATES.about.older_file) == (27, None, None)

    def test_operators_file_is_no_longer_used_without_its_folder(self, provide: Provide) -> None:
        provide("icms_rates", rates())
        assert len(ICMS_RATES) == 1
        use_tables_of(None)
        assert (len(ICMS_RATES), ICMS_RATES.about.file) == (27, None)

    def test_operators_file_changes_lookups_by_name_and_word(self, provide: Provide) -> None:
        assert state_of_ibge("35") and find_municipality("Embu", "SP") and find_payment_method("pix")
        note = f"# source: x\n# date: {NEWER}\n"
        provide("states", f"{note}code,ibge,name,zone,region\nSP,99,São Paulo,America/Sao_Paulo,SE\n")
        provide("municipalities", f"{note}ibge,name,state\n3550308,Nova São Paulo,SP\n")
        provide("payment_methods", f"{note}code,name,words,has_card,is_for_nfce\n25,Novo,novel way,yes,no\n")
        assert state_of_ibge("35") is None
        assert state_of_ibge("99") is STATES["SP"]
        assert find_municipality("Embu", "SP") is None
        assert find_municipality("nova sao paulo", "SP") is not None
        assert find_payment_method("WAY") is find_payment_method("novel") is PAYMENT_METHODS["25"]

    def test_operators_file_need_not_exist(self, tmp_path: Path, provide: Provide) -> None:
        use_tables_of(tmp_path)
        assert ICMS_RATES.about.file is None

    def test_operators_folder_must_exist(self, tmp_path: Path) -> None:
        with pytest.raises(TableUnusable, match="missing não existe"):
            use_tables_of(tmp_path / "missing")


class TestForm:
    @pytest.mark.parametrize(
        "text",
        [
            rates().encode("utf-8-sig"),
            rates().replace("\n", "\r\n").encode(),
            rates().removesuffix("\n").encode(),
            rates(rows='fcp,state,rate\n"1.5",SP,"25"\n').encode(),
            rates(rows="state,rate,fcp\n\nSP,25,1.5\n\n").encode(),
            f"# nota do operador\n#date:{NEWER}\n#  source: Diário Oficial  \n{ROWS}".encode(),
        ],
        ids=["mark", "crlf", "no end", "order and quotes", "blank lines", "other comments"],
    )
    def test_form_of_a_file_may_vary(self, provide: Provide, text: bytes) -> None:
        provide("icms_rates", text)
        assert dict(ICMS_RATES.rows) == {"SP": IcmsRate("SP", Decimal(25), Decimal("1.5"))}
        assert ICMS_RATES.about.source == "Diário Oficial"

    @pytest.mark.parametrize(
        ("columns", "cells", "validity"),
        [
            ("code,unit,description", "UN,Cavalos", (None, None)),
            ("code,since,unit,description", "2026-01-01,UN,Cavalos", (date(2026, 1, 1), None)),
            ("code,until,unit,since,description", "2026-12-31,UN,,Cavalos", (None, date(2026, 12, 31))),
        ],
    )
    def test_file_may_lack_columns_that_not_every_source_has(
        self, provide: Provide, columns: str, cells: str, validity: tuple[date | None, date | None]
    ) -> None:
        provide("ncm", f"# source: x\n# date: {NEWER}\n{columns}\n01012100,{cells}\n")
        assert dict(NCMS.rows) == {"01012100": Ncm("01012100", "UN", "Cavalos", *validity)}


class TestText:
    @pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.name)
    def test_written_table_is_read_back(self, tmp_path: Path, table: Table[Any, Any]) -> None:
        file = tmp_path / "any.csv"
        text = table.text_of("Diário Oficial", date(2099, 1, 1), table.rows.values())
        file.write_text(text, encoding="utf-8", newline="")
        assert table.rows_in(file) == dict(table.rows)
        assert text.startswith("# source: Diário Oficial\n# date: 2099-01-01\n")


class TestUnusable:
    @pytest.mark.parametrize(
        ("text", "line", "reason"),
        [
            ("", 1, "# source"),
            (ROWS, 1, "# source"),
            (f"# source: x\n{ROWS}", 2, "# date"),
            (f"# date: {NEWER}\n{ROWS}", 2, "# source"),
            (f"# source:\n# date: {NEWER}\n{ROWS}", 3, "# source"),
            (rates("31/12/2026"), 2, "31/12/2026"),
            (rates("2026-02-30"), 2, "2026-02-30"),
            (rates(rows=""), 3, "state, rate, fcp"),
            (rates(rows="state,rate\nSP,25\n"), 3, "state, rate, fcp"),
            (rates(rows="state,rate,fcp,extra\nSP,25,1,1\n"), 3, "state, rate, fcp"),
            (rates(rows="state;rate;fcp\nSP;25;1\n"), 3, "state, rate, fcp"),
            (rates(rows="state,rate,rate\nSP,25,1\n"), 3, "state, rate, fcp"),
            (rates(rows="state,rate,fcp\n"), 3, "não tem linhas"),
            (rates(rows=f"{ROWS}RJ,20,2\nSP,18,0\n"), 6, "SP está repetido"),
            (rates(rows=f"{ROWS}RJ,20\n"), 5, "2 valores para 3 colunas"),
            (rates(rows=f"{ROWS}RJ,20,2,\n"), 5, "4 valores para 3 colunas"),
            (rates(rows=f"{ROWS}RJ,vinte,2\n"), 5, "“vinte” não serve na coluna rate"),
            (rates(rows=f"{ROWS}RJ,20%,2\n"), 5, "“20%” não serve na coluna rate"),
            (rates(rows=f"{ROWS}RJ,NaN,2\n"), 5, "“NaN” não serve na coluna rate"),
            (rates(rows=f"{ROWS}RJ,-1,2\n"), 5, "“-1” não serve na coluna rate"),
            (rates(rows=f"{ROWS}RJ,,2\n"), 5, "“” não serve na coluna rate"),
            (rates(rows=f"{ROWS}rj,20,2\n"), 5, "“rj” não serve na coluna state"),
            (rates(rows=f'{ROWS}RJ,"20,2\n'), 5, ""),
            (rates().encode() + "RJ,20,ção\n".encode("cp1252"), 5, "UTF-8"),
            (rates().encode() + b"RJ,\0,2\n", 5, ""),
        ],
    )
    def test_unusable_file_is_reported_by_file_and_line(
        self, provide: Provide, text: str | bytes, line: int, reason: str
    ) -> None:
        file = provide("icms_rates", text)
        with pytest.raises(TableUnusable) as refused:
            ICMS_RATES.load()
        message = str(refused.value)
        assert message.startswith(f"A tabela {file} não pode ser usada: linha {line}: ")
        assert reason in message

    @pytest.mark.parametrize(
        ("name", "row", "column"),
        [
            ("ncm", "1012100,UN,,Cavalos", "code"),
            ("ncm", "01012100,UN,,", "description"),
            ("ncm", "01012100,UN,1,Cavalos", "shared"),
            ("ncm", "01012100,UN,-1,Cavalos", "shared"),
            ("cest", "0100100,38,Coisas,31/12/2026", "until"),
            ("nfe_statuses", "100,success,Autorizado", "action"),
            ("ibs_cbs_rates", "cbs,2026-13-01,,0", "since"),
            ("ibs_cbs_rates", "cbs,2027-01-01,,870", "rate"),
            ("ibs_cbs_rates", "cbs,2027-01-01,2026-12-31,8", "until"),
            ("ibs_cbs_rates", "cbs,2027-01-01,,8.12345", "rate"),
            ("payment_methods", "01,Dinheiro,,sim,yes", "has_card"),
        ],
    )
    def test_value_of_the_wrong_type_is_refused(
        self, provide: Provide, name: str, row: str, column: str
    ) -> None:
        tables = {
            "ncm": "code,unit,shared,description",
            "cest": "code,ncm_prefixes,description,until",
            "nfe_statuses": "code,action,text",
            "ibs_cbs_rates": "tax,since,until,rate",
            "payment_methods": "code,name,words,has_card,is_for_nfce",
        }
        provide(name, f"# source: x\n# date: {NEWER}\n{tables[name]}\n{row}\n")
        (table,) = (table for table in ALL_TABLES if table.name == name)
        with pytest.raises(TableUnusable, match=f"linha 4: .* não serve na coluna {column}"):
            table.load()

    def test_file_that_cannot_be_opened_is_refused(self, tmp_path: Path, provide: Provide) -> None:
        (tmp_path / "icms_rates.csv").mkdir()
        use_tables_of(tmp_path)
        with pytest.raises(TableUnusable, match=r"icms_rates\.csv não pode ser lida"):
            ICMS_RATES.load()

    def test_corrected_file_is_used(self, provide: Provide) -> None:
        provide("icms_rates", "")
        with pytest.raises(TableUnusable):
            ICMS_RATES.load()
        provide("icms_rates", rates())
        assert len(ICMS_RATES) == 1


def ncm_file(rows: list[tuple[str, str, str, str]]) -> str:
    text = io.StringIO(newline="")
    text.write(f"# source: x\n# date: {NEWER}\n")
    csv.writer(text).writerows([("code", "unit", "shared", "description"), *rows])
    return text.getvalue()


class TestFrontCoding:
    def test_front_coding_is_only_a_shorter_notation(self, provide: Provide) -> None:
        ours = dict(NCMS.rows)
        provide("ncm", ncm_file([(row.code, row.unit or "", "", row.description) for row in ours.values()]))
        assert NCMS.about.file is not None
        assert dict(NCMS.rows) == ours

    @given(texts=st.lists(st.text("abç ,\"'\n", min_size=1, max_size=12), min_size=1, max_size=8))
    def test_front_coding_gives_back_any_text(
        self, tmp_path_factory: pytest.TempPathFactory, texts: list[str]
    ) -> None:
        rows, above = [], ""
        for number, text in enumerate(texts):
            shared = next((n for n in range(len(text) - 1, 0, -1) if above[:n] == text[:n]), 0)
            rows.append((f"{number:08}", "UN", str(shared or ""), text[shared:]))
            above = text
        folder = tmp_path_factory.mktemp("tables")
        (folder / "ncm.csv").write_text(ncm_file(rows), encoding="utf-8", newline="")
        use_tables_of(folder)
        try:
            assert [row.description for row in NCMS.values()] == texts
        finally:
            use_tables_of(None)

    def test_derived_value_changes_with_the_table(self, provide: Provide) -> None:
        chapters = Derived(lambda: {code[:2] for code in NCMS})
        assert {"00", "01", "69", "97"} < chapters.value
        provide("ncm", ncm_file([("77010000", "", "", "Uma coisa nova")]))
        assert chapters.value == {"77"}
        assert NCMS["77010000"].unit is None
