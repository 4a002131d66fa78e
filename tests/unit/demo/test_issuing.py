"""The samples through an API that is played here."""

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from carimbo.demo import issuing
from carimbo.demo.issuing import REFUSED, Progress, issue_samples
from carimbo.demo.samples import SAMPLES
from carimbo.fiscal.registry import DOCUMENT_TYPES

Answer = Callable[[httpx2.Request], httpx2.Response]
ERROR = {"code": "COMPANY_NOT_READY", "message": "A empresa não está pronta."}
SALE = next(sample for sample in SAMPLES if sample.collection == "sales")
DOCUMENTS = len(SAMPLES) + 1
"""Of the sale there are two."""


class PlayedApi:
    """Takes every document, and two of a sale; tells them settled from the n-th look on."""

    def __init__(self, looks: int, first_look: int = 200) -> None:
        self.keys: list[str] = []
        self._made = 0
        self._looks_left = looks
        self._look_status = first_look

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "POST":
            self.keys.append(request.headers["Idempotency-Key"])
            is_sale = request.url.path == "/sales"
            made = {"invoices": [self._make("nfse"), self._make("nfe")]} if is_sale else self._make("nfce")
            return httpx2.Response(202, json={"data": made})
        return self._look()

    def _look(self) -> httpx2.Response:
        self._looks_left -= 1
        status = "processing" if self._looks_left else "authorized"
        records = [self._record(number, status, "nfce") for number in range(self._made)]
        code, self._look_status = self._look_status, 200
        return httpx2.Response(code, json={"data": records})

    def _make(self, kind: str) -> dict[str, Any]:
        self._made += 1
        return self._record(self._made - 1, "processing", kind)

    def _record(self, number: int, status: str, kind: str) -> dict[str, Any]:
        return {"id": str(number), "status": status, "amount": 1, "type": kind}


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issuing, "_PAUSE_SECONDS", 0)


async def issue(answer: Answer) -> list[list[str]]:
    """Issue the samples; tells the statuses at every showing, the last being the outcome."""
    shown: list[list[str]] = []
    client = httpx2.AsyncClient(base_url="http://api.example/", transport=httpx2.MockTransport(answer))
    async with client:
        outcome = await issue_samples(client, lambda progress: shown.append(statuses(progress)))
    return [*shown, statuses(outcome)]


def statuses(progress: Any) -> list[str]:
    return [each.record["status"] for each in progress]


class TestIssueSamples:
    async def test_are_shown_one_by_one_and_then_until_all_are_settled(self) -> None:
        shown = await issue(PlayedApi(looks=2))
        assert [len(each) for each in shown] == [1, 2, 3, 4, 6, 7, 8, 9, 9, 9, 9]
        assert shown[-3] == ["processing"] * DOCUMENTS
        assert shown[-1] == ["authorized"] * DOCUMENTS

    async def test_a_sale_is_shown_by_its_documents(self) -> None:
        api = PlayedApi(looks=99)
        client = httpx2.AsyncClient(base_url="http://api.example/", transport=httpx2.MockTransport(api))
        async with client:
            made = await issuing._post(client, SALE)
        assert [each.title for each in made] == ["NFS-e", "NF-e"]

    async def test_have_keys_of_their_own_at_every_start(self) -> None:
        first, second = PlayedApi(looks=1), PlayedApi(looks=1)
        await issue(first)
        await issue(second)
        assert len({*first.keys, *second.keys}) == 2 * len(SAMPLES)

    async def test_one_failed_look_is_forgiven(self) -> None:
        shown = await issue(PlayedApi(looks=2, first_look=503))
        assert shown[-1] == ["authorized"] * DOCUMENTS

    async def test_those_that_the_api_does_not_take_are_settled(self) -> None:
        shown = await issue(lambda _: httpx2.Response(422, json={"error": ERROR}))
        assert shown[-1] == [REFUSED] * len(SAMPLES)

    async def test_patience_ends(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(issuing, "_PATIENCE_SECONDS", 0)
        shown = await issue(PlayedApi(looks=99))
        assert shown[-1] == ["processing"] * DOCUMENTS


class TestProgress:
    def test_a_sale_that_the_api_did_not_take_is_called_a_sale(self) -> None:
        assert (
            Progress(SALE, {"status": REFUSED, "rejection": ERROR}, posted_at=0, seconds=0).title == "Venda"
        )

    async def test_the_seconds_of_a_settled_sample_stand_still(self) -> None:
        settled = Progress(SAMPLES[0], {"id": "0", "status": "authorized"}, posted_at=0, seconds=1.5)
        client = httpx2.AsyncClient(
            base_url="http://api.example/",
            transport=httpx2.MockTransport(lambda _: httpx2.Response(200, json={"data": []})),
        )
        async with client:
            assert await issuing._look(client, [settled]) == [settled]


class TestSamples:
    def test_are_json_and_of_every_type_that_is_issued(self) -> None:
        issued = {kind.collection for kind in DOCUMENT_TYPES}
        assert {sample.collection for sample in SAMPLES} == issued | {"sales"}
        assert all(json.loads(json.dumps(sample.body)) == sample.body for sample in SAMPLES)
