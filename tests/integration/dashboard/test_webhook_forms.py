"""The forms that create and change a webhook."""

from typing import Any

import httpx2
from lxml import html

from integration.dashboard.issued.pages import problems_of, values_of
from integration.dashboard.panel import Panel, strings_of, text_of
from support import Caller, data_of

URL = "http://127.0.0.1:9/hook"
BODY = {
    "url": URL,
    "name": "Loja",
    "headers": [{"key": "Authorization", "value": "Bearer s3gr3d0"}, {"key": "X-Loja", "value": "matriz"}],
    "events": {"invoice": ["nfe.authorized", "nfe.rejected"]},
}


async def webhook_of(caller: Caller, address: str) -> dict[str, Any]:
    """Returns the webhook whose page has an address, as the API shows it."""
    webhook_id = address.partition("?")[0].rpartition("/")[2]
    return dict(data_of(await caller.http.get(f"/v1/webhooks/{webhook_id}")))


async def changes_page(panel: Panel, caller: Caller) -> str:
    """Creates a webhook, and returns the address of its form."""
    created = data_of(await caller.http.post("/v1/webhooks", json=BODY))
    return f"{panel.base}/webhooks/{created['id']}/alterar"


async def save(panel: Panel, address: str, **typed: Any) -> httpx2.Response:
    """Sends the form of a webhook as it is shown, with some inputs typed anew."""
    page = await panel.page(address)
    chosen = strings_of(page, "//input[@name='evento'][@checked]/@value")
    return await panel.submit(address, address, **(values_of(page, address) | {"evento": chosen} | typed))


class TestNewWebhook:
    async def test_webhook_has_what_was_chosen_and_its_secret_is_shown_once(
        self, panel: Panel, caller: Caller
    ) -> None:
        fields = {
            "url": URL,
            "name": "ERP",
            "headers[0].key": "Authorization",
            "headers[0].value": "Bearer s3gr3d0",
            "evento": ["nfe.authorized", "certificate.expiring"],
        }
        answer = await panel.submit(f"{panel.base}/webhooks/novo", f"{panel.base}/webhooks", **fields)
        assert answer.status_code == 303
        address = answer.headers["location"]
        webhook = await webhook_of(caller, address)
        assert (webhook["url"], webhook["name"], webhook["active"]) == (URL, "ERP", True)
        assert webhook["headers"] == [{"key": "Authorization", "value": "********r3d0"}]
        chosen = {group: names for group, names in webhook["events"].items() if names}
        assert chosen == {"invoice": ["nfe.authorized"], "system": ["certificate.expiring"]}
        codes = strings_of(await panel.page(address), "//code/text()")
        assert len([code for code in codes if code.startswith("whsec_")]) == 1
        assert "whsec_" not in text_of(await panel.page(address.partition("?")[0]))

    async def test_refused_form_keeps_what_was_typed_with_problems_beside_their_inputs(
        self, panel: Panel, caller: Caller
    ) -> None:
        fields = {"name": "ERP", "headers[0].key": "meu cabeçalho", "headers[0].value": "x"}
        answer = await panel.submit(f"{panel.base}/webhooks/novo", f"{panel.base}/webhooks", **fields)
        assert answer.status_code == 422
        page = html.fromstring(answer.text)
        assert problems_of(page).keys() == {"url", "headers[0].key"}
        values = values_of(page, f"{panel.base}/webhooks")
        assert {name: values[name] for name in fields} == fields

        without_events = await panel.submit(
            f"{panel.base}/webhooks/novo", f"{panel.base}/webhooks", url=URL, name="ERP"
        )
        alerts = strings_of(without_events.text, "//*[@role='alert']/p/text()")
        assert alerts == ["Escolha pelo menos um evento."]
        assert data_of(await caller.http.get("/v1/webhooks")) == []

    async def test_address_that_may_not_be_called_is_refused_at_its_input(self, panel: Panel) -> None:
        answer = await panel.submit(
            f"{panel.base}/webhooks/novo",
            f"{panel.base}/webhooks",
            url="https://10.0.0.1/hook",
            evento="nfe.authorized",
        )
        page = html.fromstring(answer.text)
        assert problems_of(page).keys() == {"url"}
        assert strings_of(page, "//input[@name='evento'][@checked]/@value") == ["nfe.authorized"]

    async def test_room_for_another_header_keeps_what_was_typed_and_creates_nothing(
        self, panel: Panel, caller: Caller
    ) -> None:
        page = await panel.page(f"{panel.base}/webhooks/novo")
        typed = {"url": URL, "headers[0].key": "X-Loja", "headers[0].value": "matriz"}
        answer = await panel.press(page, "Mais um cabeçalho", **typed)
        assert answer.status_code == 200
        values = values_of(html.fromstring(answer.text), f"{panel.base}/webhooks")
        assert {name: values[name] for name in typed} == typed
        assert values["headers[1].key"] == ""
        assert data_of(await caller.http.get("/v1/webhooks")) == []


class TestChanges:
    async def test_only_what_was_typed_anew_changes(self, panel: Panel, caller: Caller) -> None:
        address = await changes_page(panel, caller)
        before = await webhook_of(caller, address.removesuffix("/alterar"))
        answer = await save(panel, address, name="Loja da praia", evento=["nfse.authorized"])
        assert answer.status_code == 303
        after = await webhook_of(caller, address.removesuffix("/alterar"))
        assert after["name"] == "Loja da praia"
        assert after["events"]["invoice"] == ["nfse.authorized"]
        unchanged = ("url", "headers", "active")
        assert [after[name] for name in unchanged] == [before[name] for name in unchanged]

    async def test_blank_name_and_blank_header_are_cleared(self, panel: Panel, caller: Caller) -> None:
        address = await changes_page(panel, caller)
        typed = {"name": "", "headers[0].key": "", "headers[0].value": ""}
        assert (await save(panel, address, **typed)).status_code == 303
        webhook = await webhook_of(caller, address.removesuffix("/alterar"))
        assert webhook["name"] is None
        assert [header["key"] for header in webhook["headers"]] == ["X-Loja"]

        assert (
            await save(panel, address, **{"headers[0].key": "", "headers[0].value": ""})
        ).status_code == 303
        assert (await webhook_of(caller, address.removesuffix("/alterar")))["headers"] == []

    async def test_blank_address_is_refused(self, panel: Panel, caller: Caller) -> None:
        address = await changes_page(panel, caller)
        answer = await save(panel, address, url="")
        problems = problems_of(html.fromstring(answer.text))
        assert (answer.status_code, problems) == (422, {"url": "Campo obrigatório."})

    async def test_stored_values_do_not_go_to_another_server(self, panel: Panel, caller: Caller) -> None:
        address = await changes_page(panel, caller)
        answer = await save(panel, address, url="http://127.0.0.1:10/hook")
        assert answer.status_code == 422
        assert problems_of(html.fromstring(answer.text)).keys() == {"headers[0].value"}
        assert (await webhook_of(caller, address.removesuffix("/alterar")))["url"] == URL
