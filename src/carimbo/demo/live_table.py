"""The table of the samples, drawn over and over while they go from processing to their outcome."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from carimbo.demo.issuing import REFUSED, Progress, Show

_WORDS = {
    "pending": Text("pendente", "yellow"),
    "processing": Text("em processamento", "yellow"),
    "authorized": Text("autorizada", "green"),
    "rejected": Text("rejeitada", "red"),
    "canceled": Text("cancelada", "red"),
    REFUSED: Text("recusada", "red"),
}


@contextmanager
def live_table(console: Console) -> Iterator[Show]:
    """Give a way to show the samples; where nothing can be drawn over, the table is printed at the end."""
    try:
        with Live(console=console, auto_refresh=False) as live:
            yield lambda progress: live.update(table_of(progress), refresh=True)
    finally:
        # The last line of a live display is left open in a file.
        if not console.is_terminal:
            console.line()


def table_of(progress: Sequence[Progress]) -> Table:
    """Draw the samples as they are."""
    # Tight, so that the 44 characters of a key stay on one line of a terminal with 80 columns.
    table = Table(
        box=None, padding=(0, 1, 0, 0), pad_edge=False, title="\nDocumentos de exemplo", title_justify="left"
    )
    table.add_column("Tipo")
    table.add_column("Nº", justify="right")
    table.add_column("Status")
    table.add_column("Valor", justify="right")
    table.add_column("s", justify="right")
    table.add_column("Chave ou rejeição", overflow="fold")
    for each in progress:
        record = each.record
        table.add_row(
            each.title,
            str(record.get("number") or "–"),
            _WORDS[record["status"]],
            _decimal(record.get("amount"), 2),
            _decimal(each.seconds, 1),
            _story(each),
        )
    return table


def _story(each: Progress) -> Text:
    """What the sample is about, and what became of it."""
    record = each.record
    lines = [Text(each.sample.about, "dim")]
    if rejection := record.get("rejection"):
        lines.append(Text(f"{rejection['code']} {rejection['message']}"))
        lines += [Text(hint) for hint in (rejection.get("hint"),) if hint]
    elif key := record.get("accessKey"):
        lines.append(Text(key))
    return Text("\n").join(lines)


def _decimal(value: float | None, places: int) -> str:
    return "–" if value is None else f"{value:_.{places}f}".replace(".", ",").replace("_", ".")
