"""The live table of the samples."""

import io
from typing import Any

from rich.console import Console

from carimbo.demo.issuing import REFUSED, SampleProgress, live_table, samples_table
from carimbo.demo.samples import SampleRequest

KEY = "35261111222333000181550010000000011000000017"
SAMPLE = SampleRequest("NF-e", "nfe", "duas canecas", {})
REJECTION = {"code": "778", "message": "Rejeição: Informado NCM inexistente", "hint": "Troque o NCM."}
CURSOR_UP = "\x1b[1A"


def progress(status: str, **record: Any) -> SampleProgress:
    return SampleProgress(SAMPLE, {"status": status, "amount": 1059.8, **record}, 0, 1.26)


def drawn(*rows: SampleProgress, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as shown:
        console.print(samples_table(rows))
    return [line.rstrip() for line in shown.get().splitlines()]


class TestTable:
    def test_table_shows_an_authorized_document_with_its_key(self) -> None:
        row, below = drawn(progress("authorized", number=12, accessKey=KEY))[-2:]
        assert row.split() == ["NF-e", "12", "autorizada", "1.059,80", "1,3", "duas", "canecas"]
        assert below.strip() == KEY

    def test_table_shows_a_pending_document_without_a_number(self) -> None:
        (row,) = drawn(progress("processing", number=None, accessKey=None))[-1:]
        assert row.split() == ["NF-e", "–", "em", "processamento", "1.059,80", "1,3", "duas", "canecas"]

    def test_table_does_not_break_a_key_in_eighty_columns(self) -> None:
        receipt = SampleRequest("NFC-e", "nfce", "em dinheiro", {})
        rows = [
            SampleProgress(
                receipt, {"status": "authorized", "number": 12, "amount": 92.5, "accessKey": KEY}, 0, 9.9
            ),
            SampleProgress(receipt, {"status": "processing", "amount": 92.5}, 0, 9.9),
        ]
        assert [line for line in drawn(*rows) if line.endswith(KEY)]

    def test_table_shows_every_character_of_a_key_that_does_not_fit(self) -> None:
        lines = drawn(progress("authorized", number=12, accessKey=KEY), width=60)
        assert KEY in "".join(line.strip() for line in lines)

    def test_table_shows_a_rejection_with_code_message_and_hint(self) -> None:
        text = " ".join(" ".join(drawn(progress("rejected", number=3, rejection=REJECTION))).split())
        assert "rejeitada" in text
        assert "778 Rejeição: Informado NCM inexistente Troque o NCM." in text

    def test_table_shows_a_refused_document_with_its_error(self) -> None:
        error = {"code": "COMPANY_NOT_READY", "message": "A empresa não está pronta.", "details": {}}
        text = " ".join(drawn(SampleProgress(SAMPLE, {"status": REFUSED, "rejection": error}, 0, 0.2)))
        assert "recusada" in text and "COMPANY_NOT_READY A empresa não está pronta." in text


class TestLiveTable:
    def test_live_table_is_printed_once_without_a_terminal(self) -> None:
        file = io.StringIO()
        console = Console(file=file, width=80)
        with live_table(console) as show:
            show([progress("processing")])
            show([progress("authorized", number=1, accessKey=KEY)])
        console.print("depois")
        assert "processamento" not in file.getvalue()
        assert [line for line in file.getvalue().splitlines() if "autorizada" in line]
        assert file.getvalue().splitlines()[-1] == "depois"

    def test_live_table_is_redrawn_at_a_terminal_with_log_lines_above_it(self) -> None:
        file = io.StringIO()
        console = Console(file=file, width=80, force_terminal=True, force_interactive=True)
        with live_table(console) as show:
            show([progress("processing")])
            console.print("uma linha do log")
        before, _, after = file.getvalue().partition("uma linha do log")
        assert "processamento" in before and before.endswith("\x1b[2K")
        assert CURSOR_UP in before and "processamento" in after
