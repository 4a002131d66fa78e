"""Issues the samples over HTTP, as anybody's program would, and follows them to their outcome."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import httpx2

from carimbo.demo.samples import SAMPLES, Sample
from carimbo.fiscal.registry import DOCUMENT_TYPES

_PATIENCE_SECONDS = 20
_PAUSE_SECONDS = 0.4
_ANSWER_SECONDS = 20
_PROCESSING = "processing"
_TITLES = {kind.name: kind.title for kind in DOCUMENT_TYPES}
REFUSED = "refused"
"""What we call a sample that the API did not take: it has no status."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sample, or one of the documents of a sale, has come."""

    sample: Sample
    record: Mapping[str, Any]
    """The document as the API tells it; of a refused one its error, as if it were a rejection."""
    posted_at: float
    seconds: float

    @property
    def title(self) -> str:
        """What the document is called; where there is none, what it was to be."""
        return _TITLES.get(self.record.get("type", ""), self.sample.title)

    @property
    def is_settled(self) -> bool:
        return bool(self.record["status"] != _PROCESSING)


Show = Callable[[Sequence[Progress]], None]


def api_client(facts: Mapping[str, Any]) -> httpx2.AsyncClient:
    """A client of the demo's company."""
    return httpx2.AsyncClient(
        base_url=f"{facts['baseUrl']}/v1/companies/{facts['companyId']}/",
        headers={"X-Api-Key": facts["apiKey"], "X-Api-Secret": facts["apiSecret"]},
        timeout=_ANSWER_SECONDS,
        # A proxy of the environment does not lead to this machine.
        trust_env=False,
    )


async def issue_samples(client: httpx2.AsyncClient, show: Show) -> list[Progress]:
    """Post every sample and show them until all are settled or patience ends."""
    progress: list[Progress] = []
    for sample in SAMPLES:
        progress += await _post(client, sample)
        show(progress)
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not all(each.is_settled for each in progress) and time.monotonic() < deadline:
        await asyncio.sleep(_PAUSE_SECONDS)
        with suppress(httpx2.HTTPError):
            progress = await _look(client, progress)
        show(progress)
    return progress


async def _post(client: httpx2.AsyncClient, sample: Sample) -> list[Progress]:
    posted_at = time.monotonic()
    key = {"Idempotency-Key": f"demo-{uuid4()}"}
    answer = await client.post(sample.collection, json=sample.body, headers=key)
    seconds = time.monotonic() - posted_at
    return [Progress(sample, record, posted_at, seconds) for record in _documents(answer)]


def _documents(answer: httpx2.Response) -> list[Mapping[str, Any]]:
    """What the API made of a sample: one document, or all of a sale."""
    content = answer.json()
    if not answer.is_success:
        return [{"status": REFUSED, "rejection": content["error"]}]
    made = content["data"]
    documents: list[Mapping[str, Any]] = made.get("invoices", [made])
    return documents


async def _look(client: httpx2.AsyncClient, progress: Sequence[Progress]) -> list[Progress]:
    answer = await client.get("invoices", params={"pageSize": 100})
    records = {record["id"]: record for record in answer.raise_for_status().json()["data"]}
    return [each if each.is_settled else _renewed(each, records) for each in progress]


def _renewed(each: Progress, records: Mapping[str, Mapping[str, Any]]) -> Progress:
    record = records.get(each.record["id"], each.record)
    return replace(each, record=record, seconds=time.monotonic() - each.posted_at)
