"""POST of a document of any type: the immediate answer, and the order of the checks."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
import structlog
from structlog.testing import LogCapture

from carimbo.api import middleware
from integration.issuing.shop import Shop, accepted, error_of
from integration.issuing.system import System
from support import fields_of
from toy.shop import BODY, KINDS, body_of

of_every_type = pytest.mark.parametrize("document_type", KINDS)


@of_every_type
class TestCreate:
    async def test_new_document_is_answered_202_and_is_in_process(
        self, shop: Shop, document_type: str
    ) -> None:
        before = datetime.now(UTC)
        answer = await shop.post(f"/{document_type}", body_of())
        record = accepted(answer)
        assert (record["status"], record["type"], record["amount"]) == ("processing", document_type, 59.8)
        assert str(UUID(record["id"])) == record["id"]
        assert before <= datetime.fromisoformat(record["createdAt"]) <= datetime.now(UTC)
        assert answer.headers["X-Request-Id"]
        assert "Idempotent-Replayed" not in answer.headers

    async def test_record_shows_the_external_id(self, shop: Shop, document_type: str) -> None:
        record = await shop.issue(document_type, externalId="pedido-1001")
        assert record["externalId"] == "pedido-1001"

    async def test_null_is_the_same_as_a_missing_optional_field(self, shop: Shop, document_type: str) -> None:
        body = {**body_of(), "externalId": None, "notes": None}
        assert accepted(await shop.post(f"/{document_type}", body))["externalId"] is None

    async def test_body_that_is_no_object_is_invalid(self, idle_shop: Shop, document_type: str) -> None:
        assert set(fields_of(await idle_shop.post(f"/{document_type}", [body_of()]))) == {"body"}

    async def test_unknown_query_parameter_is_invalid(self, idle_shop: Shop, document_type: str) -> None:
        assert set(fields_of(await idle_shop.post(f"/{document_type}", body_of(), dryrun="true"))) == {
            "dryrun"
        }


class TestOrderOfChecks:
    @of_every_type
    async def test_credentials_are_checked_before_everything(
        self, system: System, idle_shop: Shop, document_type: str
    ) -> None:
        stranger = system.client({"Content-Type": "application/json"})
        answer = await stranger.post(idle_shop.path(f"/{document_type}"), content=b"{")
        error_of(answer, 401, "INVALID_API_CREDENTIALS")

    @of_every_type
    async def test_company_is_checked_before_the_body(
        self, system: System, idle_shop: Shop, document_type: str
    ) -> None:
        other = await system.new_caller()
        headers = {"Content-Type": "application/json"}
        error_of(
            await other.http.post(idle_shop.path(f"/{document_type}"), content=b"{", headers=headers),
            404,
            "NOT_FOUND",
        )

    @of_every_type
    @pytest.mark.parametrize(
        ("content", "media_type", "status", "code"),
        [
            (b"{", "application/json", 400, "MALFORMED_JSON"),
            (b"", "application/json", 400, "MALFORMED_JSON"),
            (b"{}", "text/plain", 415, "UNSUPPORTED_MEDIA_TYPE"),
            (b" " * (4 * 1024 * 1024 + 1), "application/json", 413, "PAYLOAD_TOO_LARGE"),
        ],
        ids=["malformed", "empty", "other-type", "too-large"],
    )
    async def test_json_and_media_type_are_checked_before_the_content(
        self, idle_shop: Shop, document_type: str, content: bytes, media_type: str, status: int, code: str
    ) -> None:
        headers = {"Content-Type": media_type, "Idempotency-Key": "k"}
        answer = await idle_shop.caller.http.post(
            idle_shop.path(f"/{document_type}"), content=content, headers=headers
        )
        error_of(answer, status, code)


class TestRequestLog:
    async def test_log_of_the_request_names_the_created_document(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines = LogCapture()
        processors: list[Any] = [structlog.contextvars.merge_contextvars, lines]
        monkeypatch.setattr(
            middleware, "_log", structlog.wrap_logger(None, processors, structlog.BoundLogger)
        )
        document = accepted(await shop.caller.http.post(shop.path("/toy"), json=BODY))
        assert [line["document_id"] for line in lines.entries] == [document["id"]]


class TestVariants:
    async def test_path_with_the_prefix_of_the_proxy_is_the_same(self, shop: Shop) -> None:
        answer = await shop.caller.http.post(f"/api{shop.path('/toy')}", json=BODY)
        record = await shop.settled(accepted(answer))
        read = await shop.caller.http.get(f"/api{shop.path('/toy')}/{record['id']}")
        assert read.json()["data"] == record

    async def test_success_can_be_requested_in_the_ok_envelope(self, shop: Shop) -> None:
        headers = {"X-Envelope": "ok", "Idempotency-Key": "b"}
        first = await shop.caller.http.post(shop.path("/toy"), json=BODY, headers=headers)
        again = await shop.caller.http.post(shop.path("/toy"), json=BODY, headers=headers)
        assert (first.status_code, set(first.json()), first.json()["ok"]) == (202, {"ok", "data"}, True)
        assert (again.status_code, again.headers["Idempotent-Replayed"]) == (200, "true")
        assert again.json()["data"]["id"] == first.json()["data"]["id"]

    async def test_error_can_be_requested_in_the_ok_envelope(self, idle_shop: Shop) -> None:
        answer = await idle_shop.caller.http.post(
            idle_shop.path("/toy"), json={}, headers={"X-Envelope": "ok"}
        )
        body = answer.json()
        assert (body["ok"], body["code"], body["statusCode"]) == (False, "VALIDATION_ERROR", 422)
        assert body["message"] == "Há campos inválidos na requisição."

    async def test_list_can_be_requested_in_the_ok_envelope(self, shop: Shop) -> None:
        await shop.create(transmit="later")
        answer = await shop.caller.http.get(shop.path("/toy"), headers={"X-Envelope": "ok"})
        assert set(answer.json()) == {"ok", "data", "pageInfo"}
