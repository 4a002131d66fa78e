"""POST of a document of any type: what is answered at once, and in which order it is checked."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
import structlog
from structlog.testing import LogCapture

from carimbo.api import middleware
from integration.issuing.floor import Floor
from integration.issuing.shop import Shop, accepted, error_of
from support import fields_of
from toy.shop import BODY, KINDS, body_of

of_every_type = pytest.mark.parametrize("kind", KINDS)


@of_every_type
class TestCreate:
    async def test_is_acknowledged_with_202_and_a_document_that_is_processing(
        self, shop: Shop, kind: str
    ) -> None:
        before = datetime.now(UTC)
        answer = await shop.post(f"/{kind}", body_of())
        record = accepted(answer)
        assert (record["status"], record["type"], record["amount"]) == ("processing", kind, 59.8)
        assert str(UUID(record["id"])) == record["id"]
        assert before <= datetime.fromisoformat(record["createdAt"]) <= datetime.now(UTC)
        assert answer.headers["X-Request-Id"]
        assert "Idempotent-Replayed" not in answer.headers

    async def test_shows_the_external_id(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, externalId="pedido-1001")
        assert record["externalId"] == "pedido-1001"

    async def test_null_is_the_same_as_nothing_where_a_field_is_optional(self, shop: Shop, kind: str) -> None:
        body = {**body_of(), "externalId": None, "notes": None}
        assert accepted(await shop.post(f"/{kind}", body))["externalId"] is None

    async def test_a_body_that_is_no_object_is_invalid(self, idle_shop: Shop, kind: str) -> None:
        assert set(fields_of(await idle_shop.post(f"/{kind}", [body_of()]))) == {"body"}

    async def test_an_unknown_parameter_is_invalid(self, idle_shop: Shop, kind: str) -> None:
        assert set(fields_of(await idle_shop.post(f"/{kind}", body_of(), dryrun="true"))) == {"dryrun"}


class TestOrderOfChecks:
    @of_every_type
    async def test_credentials_come_before_everything(self, floor: Floor, idle_shop: Shop, kind: str) -> None:
        stranger = floor.client({"Content-Type": "application/json"})
        answer = await stranger.post(idle_shop.path(f"/{kind}"), content=b"{")
        error_of(answer, 401, "INVALID_API_CREDENTIALS")

    @of_every_type
    async def test_the_company_comes_before_the_body(self, floor: Floor, idle_shop: Shop, kind: str) -> None:
        other = await floor.new_caller()
        headers = {"Content-Type": "application/json"}
        error_of(
            await other.http.post(idle_shop.path(f"/{kind}"), content=b"{", headers=headers), 404, "NOT_FOUND"
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
    async def test_the_form_comes_before_the_content(
        self, idle_shop: Shop, kind: str, content: bytes, media_type: str, status: int, code: str
    ) -> None:
        headers = {"Content-Type": media_type, "Idempotency-Key": "k"}
        answer = await idle_shop.caller.http.post(
            idle_shop.path(f"/{kind}"), content=content, headers=headers
        )
        error_of(answer, status, code)


class TestLogOfARequest:
    async def test_names_the_document_that_it_made(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        lines = LogCapture()
        processors: list[Any] = [structlog.contextvars.merge_contextvars, lines]
        monkeypatch.setattr(
            middleware, "_log", structlog.wrap_logger(None, processors, structlog.BoundLogger)
        )
        made = accepted(await shop.caller.http.post(shop.path("/toy"), json=BODY))
        assert [line["document_id"] for line in lines.entries] == [made["id"]]


class TestVariants:
    async def test_a_path_with_the_prefix_of_the_proxy_is_the_same(self, shop: Shop) -> None:
        answer = await shop.caller.http.post(f"/api{shop.path('/toy')}", json=BODY)
        record = await shop.settled(accepted(answer))
        read = await shop.caller.http.get(f"/api{shop.path('/toy')}/{record['id']}")
        assert read.json()["data"] == record

    async def test_the_other_envelope_of_a_success(self, shop: Shop) -> None:
        headers = {"X-Envelope": "ok", "Idempotency-Key": "b"}
        made = await shop.caller.http.post(shop.path("/toy"), json=BODY, headers=headers)
        again = await shop.caller.http.post(shop.path("/toy"), json=BODY, headers=headers)
        assert (made.status_code, set(made.json()), made.json()["ok"]) == (202, {"ok", "data"}, True)
        assert (again.status_code, again.headers["Idempotent-Replayed"]) == (200, "true")
        assert again.json()["data"]["id"] == made.json()["data"]["id"]

    async def test_the_other_envelope_of_a_refusal(self, idle_shop: Shop) -> None:
        answer = await idle_shop.caller.http.post(
            idle_shop.path("/toy"), json={}, headers={"X-Envelope": "ok"}
        )
        body = answer.json()
        assert (body["ok"], body["code"], body["statusCode"]) == (False, "VALIDATION_ERROR", 422)
        assert body["message"] == "Há campos inválidos na requisição."

    async def test_the_other_envelope_of_a_list(self, shop: Shop) -> None:
        await shop.create(transmit="later")
        answer = await shop.caller.http.get(shop.path("/toy"), headers={"X-Envelope": "ok"})
        assert set(answer.json()) == {"ok", "data", "pageInfo"}
