"""Changes of a webhook: its fields, its masked headers, and whether it is active."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.delivery.webhook_headers import PREVIOUS, PreviousSecret, dump_previous_secrets
from carimbo.storage.webhooks import WebhookFacts
from integration.api.held_requests import held_up
from integration.api.webhook_api import HEADERS, MASKED, TOKEN, URL, WebhookApi
from support import data_of, fields_of


class TestReplace:
    async def test_put_replaces_all_fields_that_are_sent(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create(name="Loja", headers=HEADERS)
        url = "http://127.0.0.1:10/"
        fields: dict[str, Any] = {
            "url": url,
            "name": None,
            "headers": [],
            "events": {"nfce": ["nfce.authorized"]},
        }
        changed = data_of(await webhooks.put(created["id"], **fields))
        assert (changed["name"], changed["url"], changed["headers"]) == (None, url, [])
        assert changed["events"]["nfce"] == ["nfce.authorized"]
        assert changed["events"]["invoice"] == []
        assert changed["updatedAt"] > created["updatedAt"]
        assert "secret" not in changed
        assert await webhooks.read(created["id"]) == changed
        assert set(await webhooks.sealed(created["id"])) == {"signing"}
        await webhooks.add_events("nfe.authorized", "nfce.authorized")
        assert [delivery["event"] for delivery in await webhooks.deliveries(created["id"])] == [
            "nfce.authorized"
        ]

    async def test_masked_header_values_keep_their_stored_values(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create(headers=HEADERS)
        again = [{"key": "X-New", "value": "novo"}, {"key": "authorization", "value": "********cdef"}]
        changed = data_of(await webhooks.put(created["id"], headers=again))
        assert [header["value"] for header in changed["headers"]] == ["********", "********cdef"]
        stored = await webhooks.secret(created["id"], "headers")
        assert json.loads(stored or b"") == [["X-New", "novo"], ["authorization", TOKEN]]

    @pytest.mark.parametrize(
        "header",
        [{"key": "Authorization", "value": "********zzzz"}, {"key": "X-Other", "value": "********cdef"}],
    )
    async def test_mask_of_another_value_is_refused(
        self, webhooks: WebhookApi, header: dict[str, str]
    ) -> None:
        created = await webhooks.create(headers=HEADERS)
        answer = await webhooks.put(created["id"], headers=[HEADERS[1], header], name="Outro")
        assert list(fields_of(answer)) == ["headers[1].value"]
        assert (await webhooks.read(created["id"]))["name"] is None
        assert (await webhooks.read(created["id"]))["headers"] == MASKED

    @pytest.mark.parametrize(
        "url", ["http://127.0.0.1:10/webhooks", "https://127.0.0.1:9/webhooks"], ids=["place", "scheme"]
    )
    async def test_masked_value_is_refused_for_another_server(self, webhooks: WebhookApi, url: str) -> None:
        """A caller who never saw the value could otherwise have it sent to his own server."""
        created = await webhooks.create(headers=HEADERS)
        refused = await webhooks.put(
            created["id"], url=url, headers=[{"key": "X-Nova", "value": "1"}, MASKED[0]]
        )
        sentence = "O endereço do webhook mudou: envie o valor inteiro do cabeçalho."
        assert fields_of(refused) == {"headers[1].value": sentence}
        assert (await webhooks.read(created["id"]))["url"] == URL
        assert data_of(await webhooks.put(created["id"], url=url, headers=HEADERS))["headers"] == MASKED

    async def test_masked_values_are_kept_at_another_path_of_the_server(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create(headers=HEADERS)
        changed = data_of(await webhooks.put(created["id"], url=f"{URL}/novo?a=b", headers=MASKED))
        assert (changed["url"], changed["headers"]) == (f"{URL}/novo?a=b", MASKED)
        stored = await webhooks.secret(created["id"], "headers")
        assert json.loads(stored or b"") == [["Authorization", TOKEN], ["X-Loja", "7"]]

    async def test_new_address_is_checked(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create()
        answer = await webhooks.put(created["id"], url="https://192.168.0.1/")
        assert list(fields_of(answer)) == ["url"]
        assert (await webhooks.read(created["id"]))["url"] == URL

    async def test_put_without_active_keeps_it(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create(active=False)
        assert data_of(await webhooks.put(created["id"]))["active"] is False
        assert data_of(await webhooks.put(created["id"], active=True))["active"] is True
        assert data_of(await webhooks.put(created["id"]))["active"] is True

    async def test_only_a_new_address_clears_the_failures(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create()
        webhook_id = UUID(created["id"])
        await webhooks.fetch("update webhooks set failing_since = now() where id = $1", webhook_id)
        failing = "select failing_since is not null as failing from webhooks where id = $1"
        await webhooks.put(created["id"], name="Loja")
        assert (await webhooks.fetch(failing, webhook_id))[0]["failing"]
        await webhooks.put(created["id"], url=f"{URL}/novo")
        assert not (await webhooks.fetch(failing, webhook_id))[0]["failing"]

    async def test_put_keeps_fields_of_a_concurrent_change(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create(name="Loja")
        facts = WebhookFacts(name="Outra", url=URL, events=["nfe.authorized"], topics=["nfe.authorized"])
        async with webhooks.database.tenant(webhooks.caller.subscription_id) as tenant:
            await tenant.webhooks.write(UUID(created["id"]), facts)
            change = webhooks.put(created["id"], events={"nfce": ["nfce.authorized"]})
            waiting = await held_up(webhooks.database, change)
        changed = data_of(await waiting)
        assert (changed["name"], changed["events"]["nfce"]) == ("Outra", ["nfce.authorized"])


class TestReadOnlyFields:
    async def test_changed_read_only_fields_are_refused(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create()
        wrong = {"disabledReason": "Falhou", "previousSecretValidUntil": "2030-01-01T00:00:00Z"}
        assert fields_of(await webhooks.put(created["id"], **wrong)).keys() == wrong.keys()

    async def test_disabled_webhook_can_be_activated_by_sending_its_record_back(
        self, webhooks: WebhookApi
    ) -> None:
        created = await webhooks.create()
        disabled = "update webhooks set is_active = false, disabled_reason = 'Falhou' where id = $1"
        await webhooks.fetch(disabled, UUID(created["id"]))
        changed = data_of(
            await webhooks.put(created["id"], **await webhooks.read(created["id"]) | {"active": True})
        )
        assert (changed["active"], changed["disabledReason"]) == (True, None)

    async def test_record_can_be_sent_back_after_its_old_secret_has_expired(
        self, webhooks: WebhookApi
    ) -> None:
        webhook_id = UUID((await webhooks.create())["id"])
        until = datetime.now(UTC) - timedelta(seconds=1)
        async with webhooks.database.tenant(webhooks.caller.subscription_id) as tenant:
            old = dump_previous_secrets([PreviousSecret(b"secret", until)])
            await tenant.secrets.put(webhook_id, PREVIOUS, old)
        changed = data_of(await webhooks.put(str(webhook_id), previousSecretValidUntil=until.isoformat()))
        assert changed["previousSecretValidUntil"] is None


class TestActivity:
    async def test_inactive_webhook_gets_no_deliveries_of_new_events(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create()
        await webhooks.add_events("nfe.rejected")
        assert data_of(await webhooks.set_active(created["id"], False))["active"] is False
        await webhooks.add_events("nfe.authorized")
        assert data_of(await webhooks.set_active(created["id"], True))["active"] is True
        (delivery,) = await webhooks.deliveries(created["id"])
        assert (delivery["event"], delivery["status"]) == ("nfe.rejected", "pending")

    async def test_activation_clears_the_disabled_reason_and_the_failures(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create()
        disabled = "update webhooks set is_active = false, disabled_reason = 'Falhou', failing_since = now()"
        await webhooks.fetch(f"{disabled} where id = $1", UUID(created["id"]))
        assert (await webhooks.read(created["id"]))["disabledReason"] == "Falhou"
        assert data_of(await webhooks.set_active(created["id"], False))["disabledReason"] == "Falhou"
        active = data_of(await webhooks.set_active(created["id"], True))
        assert (active["active"], active["disabledReason"]) == (True, None)
        (row,) = await webhooks.fetch("select failing_since from webhooks where id = $1", UUID(created["id"]))
        assert row["failing_since"] is None

    @pytest.mark.parametrize("active", ["sim", "true", 1])
    async def test_active_must_be_true_or_false(self, webhooks: WebhookApi, active: object) -> None:
        created = await webhooks.create()
        assert fields_of(await webhooks.set_active(created["id"], active)) == {
            "active": "Deve ser true ou false."
        }
