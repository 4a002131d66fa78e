"""Issues the samples over the HTTP API, as any client does, and shows their progress in a table."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import httpx2
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from carimbo.demo.samples import ARRIVAL, SAMPLES, SampleRequest, manifest_of
from carimbo.fiscal.registry import DOCUMENT_TYPES

_TIMEOUT_SECONDS = 20
_PAUSE_SECONDS = 0.4
_ANSWER_SECONDS = 20
_PROCESSING, _AUTHORIZED = "processing", "authorized"
_TITLES = {document_type.name: document_type.title for document_type in DOCUMENT_TYPES}
REFUSED = "refused"
"""The status that we give a sample that the API did not accept."""


@dataclass(frozen=True, slots=True)
class SampleProgress:
    """The progress of a sample, or of one document of a sample that is a sale."""

    sample: SampleRequest
    record: Mapping[str, Any]
    """The document as the API returned it; the error of a refused one, in the form of a rejection."""
    posted_at: float
    seconds: float

    @property
    def title(self) -> str:
        """The name of the document's type; of a sample without a document, its own title."""
        return _TITLES.get(self.record.get("type", ""), self.sample.title)

    @property
    def is_settled(self) -> bool:
        return bool(self.record["status"] != _PROCESSING)

    @property
    def is_authorized(self) -> bool:
        return bool(self.record["status"] == _AUTHORIZED)


ShowProgress = Callable[[Sequence[SampleProgress]], None]


def api_client(facts: Mapping[str, Any]) -> httpx2.AsyncClient:
    """Returns an HTTP client whose paths are below the demo's company."""
    return httpx2.AsyncClient(
        base_url=f"{facts['baseUrl']}/v1/companies/{facts['companyId']}/",
        headers={"X-Api-Key": facts["apiKey"], "X-Api-Secret": facts["apiSecret"]},
        timeout=_ANSWER_SECONDS,
        # A proxy of the environment does not lead to this machine.
        trust_env=False,
    )


async def issue_samples(client: httpx2.AsyncClient, show: ShowProgress) -> list[SampleProgress]:
    """Posts every sample, and then the MDF-e of an authorized NF-e; shows them until all are settled.

    Returns the samples as they are when all are settled or the time is over.
    """
    progress: list[SampleProgress] = []
    for sample in SAMPLES:
        progress += await _post(client, sample)
        show(progress)
    progress = await _settle(client, progress, show)
    sold = next((each for each in progress if each.is_authorized and each.record["type"] == "nfe"), None)
    if sold is None:
        return progress
    progress += await _post(client, manifest_of(sold.record["accessKey"]))
    progress = await _settle(client, progress, show)
    if progress[-1].is_authorized:
        await client.post(f"mdfe/{progress[-1].record['id']}/close", json=ARRIVAL)
    return progress


async def _settle(
    client: httpx2.AsyncClient, progress: list[SampleProgress], show: ShowProgress
) -> list[SampleProgress]:
    """Shows the samples until all are settled or the time is over; returns them as they are then."""
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while not all(each.is_settled for each in progress) and time.monotonic() < deadline:
        await asyncio.sleep(_PAUSE_SECONDS)
        with suppress(httpx2.HTTPError):
            progress = await _refresh(client, progress)
        show(progress)
    return progress


async def _post(client: httpx2.AsyncClient, sample: SampleRequest) -> list[SampleProgress]:
    posted_at = time.monotonic()
    key = {"Idempotency-Key": f"demo-{uuid4()}"}
    answer = await client.post(sample.collection, json=sample.body, headers=key)
    seconds = time.monotonic() - posted_at

    content = answer.json()
    if answer.is_success:
        # One document, or all of a sale.
        records = content["data"].get("invoices", [content["data"]])
    else:
        records = [{"status": REFUSED, "rejection": content["error"]}]
    return [SampleProgress(sample, record, posted_at, seconds) for record in records]


async def _refresh(client: httpx2.AsyncClient, progress: Sequence[SampleProgress]) -> list[SampleProgress]:
    """Returns the progress with the current documents of the API."""
    answer = await client.get("invoices", params={"pageSize": 100})
    records = {record["id"]: record for record in answer.raise_for_status().json()["data"]}
    return [
        each
        if each.is_settled
        else replace(
            each,
            record=records.get(each.record["id"], each.record),
            seconds=time.monotonic() - each.posted_at,
        )
        for each in progress
    ]


_STATUSES = {
    "pending": Text("pendente", "yellow"),
    "processing": Text("em processamento", "yellow"),
    "authorized": Text("autorizada", "green"),
    "rejected": Text("rejeitada", "red"),
    "canceled": Text("cancelada", "red"),
    REFUSED: Text("recusada", "red"),
}


@contextmanager
def live_table(console: Console) -> Iterator[ShowProgress]:
    """Yields a function that draws the table; without a terminal, the table is printed once at the end."""
    try:
        with Live(console=console, auto_refresh=False) as live:
            yield lambda progress: live.update(samples_table(progress), refresh=True)
    finally:
        # The last line of a live display is left open in a file.
        if not console.is_terminal:
            console.line()


def samples_table(progress: Sequence[SampleProgress]) -> Table:
    """Returns the table of the samples."""
    # Narrow columns, so that the 44 characters of a key fit on one line of a terminal with 80 columns.
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
            _STATUSES[record["status"]],
            _decimal(record.get("amount"), 2),
            _decimal(each.seconds, 1),
            _summary(each),
        )
    return table


def _summary(each: SampleProgress) -> Text:
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
