"""Changing a webhook: what the body tells, what stays as it was, and whether it is called."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.delivery.signature import PREVIOUS, PreviousSecret, sealable_previous
from carimbo.storage.webhooks import WebhookFacts
from integration.api.held_requests import held_up
from integration.api.webhook_site import HEADERS, MASKED, TOKEN, URL, Site
from support import data_of, fields_of


class TestReplace:
    async def test_lets_it_be_what_the_body_tells(self, site: Site) -> None:
        created = await site.create(name="Loja", headers=HEADERS)
        url = "http://127.0.0.1:10/"
        told: dict[str, Any] = {
            "url": url,
            "name": None,
            "headers": [],
            "events": {"nfce": ["nfce.authorized"]},
        }
        changed = data_of(await site.put(created["id"], **told))
        assert (changed["name"], changed["url"], changed["headers"]) == (None, url, [])
        assert changed["events"]["nfce"] == ["nfce.authorized"]
        assert changed["events"]["invoice"] == []
        assert changed["updatedAt"] > created["updatedAt"]
        assert "secret" not in changed
        assert await site.read(created["id"]) == changed
        assert set(await site.sealed(created["id"])) == {"signing"}
        await site.tell("nfe.authorized", "nfce.authorized")
        assert [one["event"] for one in await site.deliveries(created["id"])] == ["nfce.authorized"]

    async def test_keeps_header_values_that_come_back_masked(self, site: Site) -> None:
        created = await site.create(headers=HEADERS)
        again = [{"key": "X-New", "value": "novo"}, {"key": "authorization", "value": "********cdef"}]
        changed = data_of(await site.put(created["id"], headers=again))
        assert [one["value"] for one in changed["headers"]] == ["********", "********cdef"]
        stored = await site.secret(created["id"], "headers")
        assert json.loads(stored or b"") == [["X-New", "novo"], ["authorization", TOKEN]]

    @pytest.mark.parametrize(
        "header",
        [{"key": "Authorization", "value": "********zzzz"}, {"key": "X-Other", "value": "********cdef"}],
    )
    async def test_refuses_the_mask_of_something_else(self, site: Site, header: dict[str, str]) -> None:
        created = await site.create(headers=HEADERS)
        answer = await site.put(created["id"], headers=[HEADERS[1], header], name="Outro")
        assert list(fields_of(answer)) == ["headers[1].value"]
        assert (await site.read(created["id"]))["name"] is None
        assert (await site.read(created["id"]))["headers"] == MASKED

    @pytest.mark.parametrize(
        "url", ["http://127.0.0.1:10/webhooks", "https://127.0.0.1:9/webhooks"], ids=["place", "scheme"]
    )
    async def test_lets_no_masked_value_get_to_another_server(self, site: Site, url: str) -> None:
        """Whoever may change an address, but never saw the value, would be sent it."""
        created = await site.create(headers=HEADERS)
        refused = await site.put(created["id"], url=url, headers=[{"key": "X-Nova", "value": "1"}, MASKED[0]])
        sentence = "O endereço do webhook mudou: envie o valor inteiro do cabeçalho."
        assert fields_of(refused) == {"headers[1].value": sentence}
        assert (await site.read(created["id"]))["url"] == URL
        assert data_of(await site.put(created["id"], url=url, headers=HEADERS))["headers"] == MASKED

    async def test_keeps_masked_values_at_another_path_of_the_server(self, site: Site) -> None:
        created = await site.create(headers=HEADERS)
        changed = data_of(await site.put(created["id"], url=f"{URL}/novo?a=b", headers=MASKED))
        assert (changed["url"], changed["headers"]) == (f"{URL}/novo?a=b", MASKED)
        stored = await site.secret(created["id"], "headers")
        assert json.loads(stored or b"") == [["Authorization", TOKEN], ["X-Loja", "7"]]

    async def test_checks_another_address(self, site: Site) -> None:
        created = await site.create()
        answer = await site.put(created["id"], url="https://192.168.0.1/")
        assert list(fields_of(answer)) == ["url"]
        assert (await site.read(created["id"]))["url"] == URL

    async def test_leaves_it_active_or_not_unless_it_is_told(self, site: Site) -> None:
        created = await site.create(active=False)
        assert data_of(await site.put(created["id"]))["active"] is False
        assert data_of(await site.put(created["id"], active=True))["active"] is True
        assert data_of(await site.put(created["id"]))["active"] is True

    async def test_forgets_failures_of_another_address_alone(self, site: Site) -> None:
        created = await site.create()
        webhook_id = UUID(created["id"])
        await site.fetch("update webhooks set failing_since = now() where id = $1", webhook_id)
        failing = "select failing_since is not null as failing from webhooks where id = $1"
        await site.put(created["id"], name="Loja")
        assert (await site.fetch(failing, webhook_id))[0]["failing"]
        await site.put(created["id"], url=f"{URL}/novo")
        assert not (await site.fetch(failing, webhook_id))[0]["failing"]

    async def test_keeps_what_another_change_wrote_meanwhile(self, site: Site) -> None:
        created = await site.create(name="Loja")
        facts = WebhookFacts(name="Outra", url=URL, events=["nfe.authorized"], topics=["nfe.authorized"])
        async with site.database.tenant(site.caller.subscription_id) as tenant:
            await tenant.webhooks.write(UUID(created["id"]), facts)
            change = site.put(created["id"], events={"nfce": ["nfce.authorized"]})
            waiting = await held_up(site.database, change)
        changed = data_of(await waiting)
        assert (changed["name"], changed["events"]["nfce"]) == ("Outra", ["nfce.authorized"])


class TestReadOnlyFields:
    async def test_changed_ones_are_refused(self, site: Site) -> None:
        created = await site.create()
        wrong = {"disabledReason": "Falhou", "previousSecretValidUntil": "2030-01-01T00:00:00Z"}
        assert fields_of(await site.put(created["id"], **wrong)).keys() == wrong.keys()

    async def test_disabled_webhook_is_activated_as_it_was_read(self, site: Site) -> None:
        created = await site.create()
        disabled = "update webhooks set is_active = false, disabled_reason = 'Falhou' where id = $1"
        await site.fetch(disabled, UUID(created["id"]))
        changed = data_of(await site.put(created["id"], **await site.read(created["id"]) | {"active": True}))
        assert (changed["active"], changed["disabledReason"]) == (True, None)

    async def test_end_of_an_old_secret_may_pass_before_the_record_is_sent_back(self, site: Site) -> None:
        webhook_id = UUID((await site.create())["id"])
        until = datetime.now(UTC) - timedelta(seconds=1)
        async with site.database.tenant(site.caller.subscription_id) as tenant:
            old = sealable_previous([PreviousSecret(b"secret", until)])
            await tenant.secrets.put(webhook_id, PREVIOUS, old)
        changed = data_of(await site.put(str(webhook_id), previousSecretValidUntil=until.isoformat()))
        assert changed["previousSecretValidUntil"] is None


class TestActivity:
    async def test_is_not_owed_what_happens_while_it_is_inactive(self, site: Site) -> None:
        created = await site.create()
        await site.tell("nfe.rejected")
        assert data_of(await site.set_active(created["id"], False))["active"] is False
        await site.tell("nfe.authorized")
        assert data_of(await site.set_active(created["id"], True))["active"] is True
        (owed,) = await site.deliveries(created["id"])
        assert (owed["event"], owed["status"]) == ("nfe.rejected", "pending")

    async def test_makes_a_disabled_one_start_anew(self, site: Site) -> None:
        created = await site.create()
        disabled = "update webhooks set is_active = false, disabled_reason = 'Falhou', failing_since = now()"
        await site.fetch(f"{disabled} where id = $1", UUID(created["id"]))
        assert (await site.read(created["id"]))["disabledReason"] == "Falhou"
        assert data_of(await site.set_active(created["id"], False))["disabledReason"] == "Falhou"
        active = data_of(await site.set_active(created["id"], True))
        assert (active["active"], active["disabledReason"]) == (True, None)
        (row,) = await site.fetch("select failing_since from webhooks where id = $1", UUID(created["id"]))
        assert row["failing_since"] is None

    @pytest.mark.parametrize("active", ["sim", "true", 1])
    async def test_is_true_or_false(self, site: Site, active: object) -> None:
        created = await site.create()
        assert fields_of(await site.set_active(created["id"], active)) == {
            "active": "Deve ser true ou false."
        }
