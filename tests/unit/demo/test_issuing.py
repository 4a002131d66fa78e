"""Issuing of the samples through a simulated API."""

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from carimbo.demo import issuing
from carimbo.demo.issuing import REFUSED, SampleProgress, issue_samples
from carimbo.demo.samples import SAMPLES, manifest_of
from carimbo.fiscal.registry import DOCUMENT_TYPES

Answer = Callable[[httpx2.Request], httpx2.Response]
ERROR = {"code": "COMPANY_NOT_READY", "message": "A empresa não está pronta."}
SALE = next(sample for sample in SAMPLES if sample.collection == "sales")
DOCUMENTS = len(SAMPLES) + 1
"""The sale has two documents."""
NFE_KEY = "35261111222333000181550010000000011202611227"


class FakeApi:
    """A simulated API that accepts every document and reports all as settled from the n-th poll on."""

    def __init__(self, looks: int, first_look: int = 200) -> None:
        self.keys: list[str] = []
        self.manifests: list[Any] = []
        self.closed: list[str] = []
        self._types: list[str] = []
        self._looks_left = looks
        self._look_status = first_look

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/close"):
            self.closed.append(request.url.path)
            return httpx2.Response(200, json={"data": {}})
        if request.method == "POST":
            self.keys.append(request.headers["Idempotency-Key"])
            collection = request.url.path.strip("/")
            if collection == "mdfe":
                self.manifests.append(json.loads(request.content))
            is_sale = collection == "sales"
            created = (
                {"invoices": [self._make("nfse"), self._make("nfe")]} if is_sale else self._make(collection)
            )
            return httpx2.Response(202, json={"data": created})
        return self._look()

    def _look(self) -> httpx2.Response:
        self._looks_left -= 1
        status = "processing" if self._looks_left > 0 else "authorized"
        records = [self._record(number, status) for number in range(len(self._types))]
        code, self._look_status = self._look_status, 200
        return httpx2.Response(code, json={"data": records})

    def _make(self, document_type: str) -> dict[str, Any]:
        self._types.append(document_type)
        return self._record(len(self._types) - 1, "processing")

    def _record(self, number: int, status: str) -> dict[str, Any]:
        document_type = self._types[number]
        return {
            "id": str(number),
            "status": status,
            "amount": 1,
            "type": document_type,
            "accessKey": NFE_KEY if document_type == "nfe" else None,
        }


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issuing, "_PAUSE_SECONDS", 0)


async def issue(answer: Answer) -> list[list[str]]:
    """Issues the samples; returns the statuses at every update, the last being the outcome."""
    shown: list[list[str]] = []
    client = httpx2.AsyncClient(base_url="http://api.example/", transport=httpx2.MockTransport(answer))
    async with client:
        outcome = await issue_samples(client, lambda progress: shown.append(statuses(progress)))
    return [*shown, statuses(outcome)]


def statuses(progress: Any) -> list[str]:
    return [each.record["status"] for each in progress]


class TestIssueSamples:
    async def test_samples_are_shown_one_by_one_until_all_are_settled(self) -> None:
        shown = await issue(FakeApi(looks=2))
        assert [len(each) for each in shown] == [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 11, 11, 12, 12]
        assert shown[-4] == ["processing"] * DOCUMENTS
        assert shown[-1] == ["authorized"] * (DOCUMENTS + 1)

    async def test_manifest_of_an_authorized_nfe_is_closed_once_it_is_authorized(self) -> None:
        api = FakeApi(looks=2)
        await issue(api)
        assert [manifest["documents"] for manifest in api.manifests] == [[{"nfeAccessKeys": [NFE_KEY]}]]
        assert api.closed == [f"/mdfe/{DOCUMENTS}/close"]

    async def test_a_sale_is_shown_by_its_documents(self) -> None:
        api = FakeApi(looks=99)
        client = httpx2.AsyncClient(base_url="http://api.example/", transport=httpx2.MockTransport(api))
        async with client:
            documents = await issuing._post(client, SALE)
        assert [each.title for each in documents] == ["NFS-e", "NF-e"]

    async def test_samples_have_new_keys_at_every_start(self) -> None:
        first, second = FakeApi(looks=1), FakeApi(looks=1)
        await issue(first)
        await issue(second)
        assert len({*first.keys, *second.keys}) == 2 * (len(SAMPLES) + 1)

    async def test_single_failed_poll_is_ignored(self) -> None:
        shown = await issue(FakeApi(looks=2, first_look=503))
        assert shown[-1] == ["authorized"] * (DOCUMENTS + 1)

    async def test_samples_that_the_api_refuses_are_settled(self) -> None:
        shown = await issue(lambda _: httpx2.Response(422, json={"error": ERROR}))
        assert shown[-1] == [REFUSED] * len(SAMPLES)

    async def test_waiting_for_samples_times_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(issuing, "_TIMEOUT_SECONDS", 0)
        shown = await issue(FakeApi(looks=99))
        assert shown[-1] == ["processing"] * DOCUMENTS


class TestProgress:
    def test_refused_sale_is_shown_as_a_sale(self) -> None:
        assert (
            SampleProgress(SALE, {"status": REFUSED, "rejection": ERROR}, posted_at=0, seconds=0).title
            == "Venda"
        )

    async def test_seconds_of_a_settled_sample_do_not_change(self) -> None:
        settled = SampleProgress(SAMPLES[0], {"id": "0", "status": "authorized"}, posted_at=0, seconds=1.5)
        client = httpx2.AsyncClient(
            base_url="http://api.example/",
            transport=httpx2.MockTransport(lambda _: httpx2.Response(200, json={"data": []})),
        )
        async with client:
            assert await issuing._refresh(client, [settled]) == [settled]


class TestSamples:
    def test_samples_are_json_and_of_every_issued_type(self) -> None:
        issued = {document_type.collection for document_type in DOCUMENT_TYPES}
        samples = [*SAMPLES, manifest_of(NFE_KEY)]
        assert {sample.collection for sample in samples} == issued | {"sales"}
        assert all(json.loads(json.dumps(sample.body)) == sample.body for sample in samples)
