"""Webhooks as resources: what is told of them, what is shown, and what is kept sealed."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.delivery.webhooks import MOST_WEBHOOKS
from integration.api.webhook_site import ATTEMPT, BODY, HEADERS, MASKED, TOKEN, URL, Site, key_of
from support import ABSENT, Caller, NewCaller, code_of, data_of, fields_of

MASK_REFUSED = "Valor mascarado: envie o valor inteiro, ou exatamente como foi lido."


class TestCreate:
    async def test_shows_the_webhook_and_once_its_secret(self, site: Site) -> None:
        created = await site.create(name="Loja", headers=HEADERS)
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
        assert await site.read(created["id"]) == created
        assert key_of(secret) == await site.secret(created["id"], "signing")

    async def test_seals_secret_and_headers(self, site: Site) -> None:
        created = await site.create(headers=HEADERS)
        sealed = await site.sealed(created["id"])
        assert set(sealed) == {"headers", "signing"}
        assert not any(TOKEN.encode() in secret for secret in sealed.values())
        stored = await site.secret(created["id"], "headers")
        assert json.loads(stored or b"") == [["Authorization", TOKEN], ["X-Loja", "7"]]

    async def test_makes_a_secret_of_its_own_for_each(self, site: Site) -> None:
        secrets = [(await site.create())["secret"] for _ in range(2)]
        assert len(set(secrets)) == 2

    @pytest.mark.parametrize("active", [True, False])
    async def test_may_say_whether_it_is_active(self, site: Site, active: bool) -> None:
        assert (await site.create(active=active))["active"] is active

    async def test_takes_nulls_for_what_is_not_told(self, site: Site) -> None:
        events = {"invoice": None, "cte": None, "system": ["certificate.expiring"]}
        created = await site.create(name=None, headers=None, active=None, events=events)
        assert (created["name"], created["headers"], created["active"]) == (None, [], True)
        assert created["events"]["system"] == ["certificate.expiring"]

    async def test_listens_to_everything_that_a_name_stands_for(self, site: Site) -> None:
        """CT-e and CT-e OS tell by the same names."""
        created = await site.create(events={"cte": ["cte.cancelled", "cte.cancelled"]})
        assert created["events"]["cte"] == ["cte.cancelled"]
        await site.tell("cte.canceled", "cteOs.canceled", "cte.authorized", "nfe.canceled")
        told = await site.deliveries(created["id"])
        assert [one["event"] for one in told] == ["cte.cancelled"] * 2

    @pytest.mark.parametrize(
        ("told", "field", "part"),
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
    async def test_refuses_by_its_path_what_is_wrong(
        self, site: Site, told: dict[str, Any], field: str, part: str
    ) -> None:
        wrong = fields_of(await site.http.post("/v1/webhooks", json=BODY | told))
        assert list(wrong) == [field]
        assert part in wrong[field]
        assert data_of(await site.http.get("/v1/webhooks")) == []

    @pytest.mark.parametrize("missing", ["url", "events"])
    async def test_needs_an_address_and_events(self, site: Site, missing: str) -> None:
        told = {name: value for name, value in BODY.items() if name != missing}
        answer = await site.http.post("/v1/webhooks", json=told)
        assert fields_of(answer) == {missing: "Campo obrigatório."}

    async def test_refuses_all_wrong_fields_at_once(self, site: Site) -> None:
        answer = await site.http.post("/v1/webhooks", json={"url": "x", "events": {}})
        assert fields_of(answer) == {
            "url": "A URL deve começar com https://.",
            "events": "Escolha pelo menos um evento.",
        }

    async def test_stops_at_the_most_that_there_may_be(self, site: Site) -> None:
        made = [await site.create() for _ in range(MOST_WEBHOOKS - 1)]
        answers = await asyncio.gather(*(site.http.post("/v1/webhooks", json=BODY) for _ in range(5)))
        assert sorted(answer.status_code for answer in answers) == [200, 422, 422, 422, 422]
        refused = await site.http.post("/v1/webhooks", json=BODY)
        sentence = "A assinatura já tem 50 webhooks: exclua um antes de criar outro."
        assert fields_of(refused) == {"body": sentence}
        await site.http.delete(f"/v1/webhooks/{made[0]['id']}")
        await site.create()


class TestList:
    async def test_comes_in_pages_newest_first(self, site: Site) -> None:
        made = [await site.create(name=name, headers=HEADERS[:1]) for name in ("a", "b", "c")]
        await site.create()
        answer = await site.http.get("/v1/webhooks", params={"page": 2, "pageSize": 2})
        assert [record["name"] for record in data_of(answer)] == ["b", "a"]
        assert answer.json()["pageInfo"] == {"page": 2, "pageSize": 2, "total": 4}
        del made[0]["secret"]
        assert data_of(answer)[1] == made[0]

    async def test_shows_nobody_else_s(self, site: Site, new_caller: NewCaller) -> None:
        await site.create()
        stranger: Caller = await new_caller()
        assert data_of(await stranger.http.get("/v1/webhooks")) == []

    async def test_tells_the_delivery_that_was_attempted_last(self, site: Site) -> None:
        """Which is not the newest one, when an older one was sent again."""
        webhook, other = await site.create(), await site.create()
        await site.tell("nfe.rejected", "nfe.authorized", "nfe.authorized")
        _, newer, older = await site.deliveries(webhook["id"])
        await site.attempt(newer["id"])
        later = replace(ATTEMPT, started_at=ATTEMPT.started_at + timedelta(minutes=5))
        await site.attempt(older["id"], later)
        records = {one["id"]: one for one in data_of(await site.http.get("/v1/webhooks"))}
        assert records[webhook["id"]]["lastDelivery"] == {
            "id": older["id"],
            "event": "nfe.rejected",
            "status": "delivered",
            "responseStatus": 200,
            "attemptedAt": "2026-11-10T12:05:00Z",
        }
        assert records[other["id"]]["lastDelivery"] is None


class TestDelete:
    async def test_takes_its_secrets_along_and_shows_it_no_more(self, site: Site) -> None:
        created, other = await site.create(headers=HEADERS), await site.create()
        await site.tell("nfe.authorized")
        (owed,) = await site.deliveries(created["id"])
        await site.attempt(owed["id"])
        path = f"/v1/webhooks/{created['id']}"
        assert data_of(await site.http.delete(path)) == {"id": created["id"], "deleted": True}
        assert await site.sealed(created["id"]) == {}
        assert [one["id"] for one in data_of(await site.http.get("/v1/webhooks"))] == [other["id"]]
        assert len(await site.deliveries(other["id"])) == 1

    async def test_leaves_nothing_that_could_be_done_with_it(self, site: Site) -> None:
        created = await site.create()
        await site.tell("nfe.authorized")
        (owed,) = await site.deliveries(created["id"])
        path = f"/v1/webhooks/{created['id']}"
        await site.http.delete(path)
        answers = [
            await site.http.get(path),
            await site.put(created["id"]),
            await site.set_active(created["id"], True),
            await site.http.post(f"{path}/test"),
            await site.http.post(f"{path}/rotate-secret"),
            await site.http.get(f"{path}/deliveries"),
            await site.http.get(f"{path}/deliveries/{owed['id']}"),
            await site.http.post(f"{path}/deliveries/{owed['id']}/redeliver"),
            await site.http.delete(path),
        ]
        assert [code_of(answer) for answer in answers] == ["NOT_FOUND"] * len(answers)
        assert await site.sealed(created["id"]) == {}

    async def test_owes_it_nothing_from_then_on(self, site: Site) -> None:
        created = await site.create()
        await site.http.delete(f"/v1/webhooks/{created['id']}")
        await site.tell("nfe.authorized")
        assert await site.fetch("select from deliveries where webhook_id = $1", UUID(created["id"])) == []

    async def test_of_none_is_told(self, site: Site) -> None:
        answer = await site.http.delete(f"/v1/webhooks/{ABSENT}")
        assert (code_of(answer), answer.json()["error"]["message"]) == (
            "NOT_FOUND",
            "Webhook não encontrado.",
        )


class TestNoCompany:
    @pytest.mark.parametrize("method", ["GET", "POST"])
    async def test_has_webhooks_of_its_own(self, caller: Caller, method: str) -> None:
        path = f"/v1/companies/{await caller.create_company()}/webhooks"
        assert (await caller.http.request(method, path)).status_code == 404
