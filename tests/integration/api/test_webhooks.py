"""Webhooks as resources: their fields, their errors, and their encrypted secrets."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.delivery.webhooks import MAX_WEBHOOKS
from integration.api.webhook_api import ATTEMPT, BODY, HEADERS, MASKED, TOKEN, URL, WebhookApi, key_of
from support import ABSENT, Caller, NewCaller, code_of, data_of, fields_of

MASK_REFUSED = "Valor mascarado: envie o valor inteiro, ou exatamente como foi lido."


class TestCreate:
    async def test_creation_shows_the_webhook_and_its_secret_once(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create(name="Loja", headers=HEADERS)
        secret = created.pop("secret")
        assert created == {
            "id": created["id"],
            "name": "Loja",
            "url": URL,
            "headers": MASKED,
            "events": {
                "invoice": ["nfe.authorized", "nfe.rejected"],
                "nfce": [],
                "cte": [],
                "mdfe": [],
                "received": [],
                "system": [],
            },
            "active": True,
            "previousSecretValidUntil": None,
            "createdAt": created["createdAt"],
            "updatedAt": created["createdAt"],
            "lastDelivery": None,
            "disabledReason": None,
        }
        assert len(key_of(secret)) == 32
        assert await webhooks.read(created["id"]) == created
        assert key_of(secret) == await webhooks.secret(created["id"], "signing")

    async def test_secret_and_headers_are_stored_encrypted(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create(headers=HEADERS)
        sealed = await webhooks.sealed(created["id"])
        assert set(sealed) == {"headers", "signing"}
        assert not any(TOKEN.encode() in secret for secret in sealed.values())
        stored = await webhooks.secret(created["id"], "headers")
        assert json.loads(stored or b"") == [["Authorization", TOKEN], ["X-Loja", "7"]]

    async def test_each_webhook_has_its_own_secret(self, webhooks: WebhookApi) -> None:
        secrets = [(await webhooks.create())["secret"] for _ in range(2)]
        assert len(set(secrets)) == 2

    @pytest.mark.parametrize("active", [True, False])
    async def test_webhook_can_be_created_active_or_inactive(
        self, webhooks: WebhookApi, active: bool
    ) -> None:
        assert (await webhooks.create(active=active))["active"] is active

    async def test_null_fields_count_as_absent(self, webhooks: WebhookApi) -> None:
        events = {"invoice": None, "cte": None, "system": ["certificate.expiring"]}
        created = await webhooks.create(name=None, headers=None, active=None, events=events)
        assert (created["name"], created["headers"], created["active"]) == (None, [], True)
        assert created["events"]["system"] == ["certificate.expiring"]

    async def test_event_name_covers_all_document_types_that_share_it(self, webhooks: WebhookApi) -> None:
        """CT-e and CT-e OS share their event names."""
        created = await webhooks.create(events={"cte": ["cte.cancelled", "cte.cancelled"]})
        assert created["events"]["cte"] == ["cte.cancelled"]
        await webhooks.add_events("cte.canceled", "cteOs.canceled", "cte.authorized", "nfe.canceled")
        deliveries = await webhooks.deliveries(created["id"])
        assert [delivery["event"] for delivery in deliveries] == ["cte.cancelled"] * 2

    @pytest.mark.parametrize(
        ("fields", "field", "part"),
        [
            ({"events": {"invoice": ["nfe.canceled"]}}, "events.invoice[0]", "'nfe.cancelled'"),
            ({"events": {"invoice": ["nfe.rejected", "x"]}}, "events.invoice[1]", "'nfse.authorized'"),
            (
                {"events": {"nfce": ["nfe.authorized"]}},
                "events.nfce[0]",
                "nfe.authorized fica no grupo invoice",
            ),
            ({"events": {"cte": ["cteOs.authorized"]}}, "events.cte[0]", "'cte.authorized'"),
            ({"events": {"system": ["webhook.test"]}}, "events.system[0]", "'certificate.expiring'"),
            ({"events": {"nfe": ["nfe.authorized"]}}, "events", "nfe.authorized fica no grupo invoice"),
            ({"events": {"nfe": ["nfe.issued"]}}, "events.nfe", "Campo desconhecido."),
            ({"events": {"invoice": "nfe.authorized"}}, "events.invoice", "Deve ser uma lista."),
            ({"events": {"invoice": []}}, "events", "Escolha pelo menos um evento."),
            ({"events": {}}, "events", "Escolha pelo menos um evento."),
            ({"events": None}, "events", "Campo obrigatório."),
            ({"url": None}, "url", "Campo obrigatório."),
            ({"url": " "}, "url", "Campo obrigatório."),
            ({"url": f"https://example.com/{'x' * 2048}"}, "url", "Deve ter no máximo 2048 caracteres."),
            ({"url": "loja"}, "url", "A URL deve começar com https://."),
            ({"url": "http://203.0.113.1/"}, "url", "A URL deve começar com https://."),
            ({"url": "https://10.0.0.1/"}, "url", "não é público"),
            ({"url": "https://[::1]/"}, "url", "não é público"),
            ({"url": "https://u:p@127.0.0.1/"}, "url", "usuário"),
            ({"name": 65 * "x"}, "name", "Deve ter no máximo 64 caracteres."),
            ({"headers": [{"key": "X-Loja"}]}, "headers[0].value", "Campo obrigatório."),
            ({"headers": [{"key": "Host", "value": "x"}]}, "headers[0].key", "O cabeçalho Host é do serviço"),
            ({"headers": [{"key": "X-Loja", "value": "a\r\nb"}]}, "headers[0].value", "em uma só linha"),
            ({"headers": [*HEADERS, {"key": "x-loja", "value": "8"}]}, "headers", "O cabeçalho x-loja se"),
            ({"headers": MASKED}, "headers[0].value", MASK_REFUSED),
            (
                {"headers": [{"key": f"X-{number}", "value": "x"} for number in range(21)]},
                "headers",
                "Deve ter no máximo 20 itens.",
            ),
            ({"active": "yes"}, "active", "Deve ser true ou false."),
            ({"secret": "whsec_x"}, "secret", "Campo desconhecido."),
            ({"companyId": ABSENT}, "companyId", "Campo desconhecido."),
        ],
    )
    async def test_wrong_field_is_refused_by_its_path(
        self, webhooks: WebhookApi, fields: dict[str, Any], field: str, part: str
    ) -> None:
        wrong = fields_of(await webhooks.http.post("/v1/webhooks", json=BODY | fields))
        assert list(wrong) == [field]
        assert part in wrong[field]
        assert data_of(await webhooks.http.get("/v1/webhooks")) == []

    @pytest.mark.parametrize("missing", ["url", "events"])
    async def test_url_and_events_are_required(self, webhooks: WebhookApi, missing: str) -> None:
        body = {name: value for name, value in BODY.items() if name != missing}
        answer = await webhooks.http.post("/v1/webhooks", json=body)
        assert fields_of(answer) == {missing: "Campo obrigatório."}

    async def test_all_wrong_fields_are_refused_at_once(self, webhooks: WebhookApi) -> None:
        answer = await webhooks.http.post("/v1/webhooks", json={"url": "x", "events": {}})
        assert fields_of(answer) == {
            "url": "A URL deve começar com https://.",
            "events": "Escolha pelo menos um evento.",
        }

    async def test_number_of_webhooks_is_limited(self, webhooks: WebhookApi) -> None:
        created = [await webhooks.create() for _ in range(MAX_WEBHOOKS - 1)]
        answers = await asyncio.gather(*(webhooks.http.post("/v1/webhooks", json=BODY) for _ in range(5)))
        assert sorted(answer.status_code for answer in answers) == [200, 422, 422, 422, 422]
        refused = await webhooks.http.post("/v1/webhooks", json=BODY)
        sentence = "A assinatura já tem 50 webhooks: exclua um antes de criar outro."
        assert fields_of(refused) == {"body": sentence}
        await webhooks.http.delete(f"/v1/webhooks/{created[0]['id']}")
        await webhooks.create()


class TestList:
    async def test_list_is_paged_newest_first(self, webhooks: WebhookApi) -> None:
        created = [await webhooks.create(name=name, headers=HEADERS[:1]) for name in ("a", "b", "c")]
        await webhooks.create()
        answer = await webhooks.http.get("/v1/webhooks", params={"page": 2, "pageSize": 2})
        assert [record["name"] for record in data_of(answer)] == ["b", "a"]
        assert answer.json()["pageInfo"] == {"page": 2, "pageSize": 2, "total": 4}
        del created[0]["secret"]
        assert data_of(answer)[1] == created[0]

    async def test_list_shows_no_webhook_of_another_subscription(
        self, webhooks: WebhookApi, new_caller: NewCaller
    ) -> None:
        await webhooks.create()
        stranger: Caller = await new_caller()
        assert data_of(await stranger.http.get("/v1/webhooks")) == []

    async def test_list_shows_the_delivery_that_was_attempted_last(self, webhooks: WebhookApi) -> None:
        """It is not the newest one when an older one was sent again."""
        webhook, other = await webhooks.create(), await webhooks.create()
        await webhooks.add_events("nfe.rejected", "nfe.authorized", "nfe.authorized")
        _, newer, older = await webhooks.deliveries(webhook["id"])
        await webhooks.attempt(newer["id"])
        later = replace(ATTEMPT, started_at=ATTEMPT.started_at + timedelta(minutes=5))
        await webhooks.attempt(older["id"], later)
        records = {record["id"]: record for record in data_of(await webhooks.http.get("/v1/webhooks"))}
        assert records[webhook["id"]]["lastDelivery"] == {
            "id": older["id"],
            "event": "nfe.rejected",
            "status": "delivered",
            "responseStatus": 200,
            "attemptedAt": "2026-11-10T12:05:00Z",
        }
        assert records[other["id"]]["lastDelivery"] is None


class TestDelete:
    async def test_deletion_removes_the_webhook_and_its_secrets(self, webhooks: WebhookApi) -> None:
        created, other = await webhooks.create(headers=HEADERS), await webhooks.create()
        await webhooks.add_events("nfe.authorized")
        (delivery,) = await webhooks.deliveries(created["id"])
        await webhooks.attempt(delivery["id"])
        path = f"/v1/webhooks/{created['id']}"
        assert data_of(await webhooks.http.delete(path)) == {"id": created["id"], "deleted": True}
        assert await webhooks.sealed(created["id"]) == {}
        assert [record["id"] for record in data_of(await webhooks.http.get("/v1/webhooks"))] == [other["id"]]
        assert len(await webhooks.deliveries(other["id"])) == 1

    async def test_deleted_webhook_is_not_found_on_any_route(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create()
        await webhooks.add_events("nfe.authorized")
        (delivery,) = await webhooks.deliveries(created["id"])
        path = f"/v1/webhooks/{created['id']}"
        await webhooks.http.delete(path)
        answers = [
            await webhooks.http.get(path),
            await webhooks.put(created["id"]),
            await webhooks.set_active(created["id"], True),
            await webhooks.http.post(f"{path}/test"),
            await webhooks.http.post(f"{path}/rotate-secret"),
            await webhooks.http.get(f"{path}/deliveries"),
            await webhooks.http.get(f"{path}/deliveries/{delivery['id']}"),
            await webhooks.http.post(f"{path}/deliveries/{delivery['id']}/redeliver"),
            await webhooks.http.delete(path),
        ]
        assert [code_of(answer) for answer in answers] == ["NOT_FOUND"] * len(answers)
        assert await webhooks.sealed(created["id"]) == {}

    async def test_deleted_webhook_gets_no_further_deliveries(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create()
        await webhooks.http.delete(f"/v1/webhooks/{created['id']}")
        await webhooks.add_events("nfe.authorized")
        assert await webhooks.fetch("select from deliveries where webhook_id = $1", UUID(created["id"])) == []

    async def test_deletion_of_an_unknown_webhook_is_not_found(self, webhooks: WebhookApi) -> None:
        answer = await webhooks.http.delete(f"/v1/webhooks/{ABSENT}")
        assert (code_of(answer), answer.json()["error"]["message"]) == (
            "NOT_FOUND",
            "Webhook não encontrado.",
        )


class TestNoCompany:
    @pytest.mark.parametrize("method", ["GET", "POST"])
    async def test_companies_have_no_webhook_routes(self, caller: Caller, method: str) -> None:
        path = f"/v1/companies/{await caller.create_company()}/webhooks"
        assert (await caller.http.request(method, path)).status_code == 404
