"""Actions on webhooks from their pages: tests, sending again, activity, deletion and a new secret."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from lxml import html
from standardwebhooks.webhooks import WebhookVerificationError

from carimbo.fiscal.local_time import brasilia_day
from integration.dashboard.issued.conftest import OpenWindow
from integration.dashboard.issued.pages import problems_of
from integration.dashboard.panel import Panel, strings_of, text_of
from integration.issuing.shop import Shop
from integration.webhooks.listener import Listener
from receiver import Receiver, Reply
from support import data_of


@pytest.fixture
async def panel(shop: Shop, look_at: OpenWindow) -> Panel:
    return (await look_at(shop)).panel


def address_of(panel: Panel, listener: Listener) -> str:
    return f"{panel.base}/webhooks/{listener.id}"


async def press(panel: Panel, page: str, button: str, **typed: str) -> str:
    """Presses a button of a page, and returns the address to which it leads."""
    answer = await panel.press(await panel.page(page), button, **typed)
    assert answer.status_code == 303, text_of(html.fromstring(answer.text))
    return answer.headers["location"]


async def test_page_of_a_test_shows_the_answer_when_it_comes(
    panel: Panel, listener: Listener, receiver: Receiver
) -> None:
    gate = asyncio.Event()
    receiver.default = Reply(202, gate=gate)
    address = await press(panel, address_of(panel, listener), "Enviar um teste")
    waiting = await panel.page(address)
    assert strings_of(waiting, "//*[@hx-trigger]/@hx-get") == [address]
    assert "Na fila" in text_of(waiting.xpath("//h1")[0])
    gate.set()
    await listener.until_status("delivered")
    done = await panel.page(address)
    assert "Entregue" in text_of(done.xpath("//h1")[0])
    assert "HTTP 202" in text_of(done.xpath("//table")[0])
    assert strings_of(done, "//*[@hx-trigger]") == []


async def test_failed_delivery_is_sent_again_with_the_same_id(
    panel: Panel, listener: Listener, receiver: Receiver
) -> None:
    receiver.replies.append(Reply(500))
    delivery = data_of(await listener.post("/test"))
    await listener.until_status("failed")
    address = f"{address_of(panel, listener)}/entregas/{delivery['id']}"
    assert await press(panel, address, "Reenviar") == address
    await listener.until_status("delivered")
    first, second = receiver.calls
    assert first.headers["webhook-id"] == second.headers["webhook-id"]


async def test_delivery_that_waits_long_is_tried_now(
    panel: Panel, shop: Shop, listener: Listener, receiver: Receiver
) -> None:
    receiver.default = Reply(500)
    await shop.issue("nfe")
    await listener.until(1)
    async with shop.system.worker_stopped():
        await shop.system.fetch(
            "update deliveries set status = 'pending', next_action_at = now() + interval '1 day'"
            " where webhook_id = $1",
            UUID(listener.id),
        )
        receiver.default = Reply()
        (delivery,) = await listener.deliveries()
        await press(panel, f"{address_of(panel, listener)}/entregas/{delivery['id']}", "Tentar agora")
    await listener.until_status("delivered")


async def test_deliveries_that_failed_since_a_day_are_sent_again(
    panel: Panel, shop: Shop, listener: Listener, receiver: Receiver
) -> None:
    receiver.default = Reply(500)
    await shop.issue("nfe")
    await listener.until_status("failed")
    receiver.default = Reply()
    page = f"{address_of(panel, listener)}/reenviar"
    now = datetime.now(UTC)
    yesterday, later = (str(brasilia_day(now + timedelta(days=days))) for days in (-1, 2))

    too_late = await panel.press(await panel.page(page), "Reenviar", since=later)
    assert too_late.status_code == 422
    assert problems_of(html.fromstring(too_late.text)) == {"since": "Nenhuma entrega falhou desde esse dia."}
    blank = await panel.press(await panel.page(page), "Reenviar", since="")
    assert problems_of(html.fromstring(blank.text)).keys() == {"since"}

    result = await panel.page(await press(panel, page, "Reenviar", since=yesterday))
    assert "1 entrega voltou à fila" in text_of(result.xpath("//*[@role='status']")[0])
    await listener.until_status("delivered")


async def test_webhook_is_deactivated_activated_and_deleted(panel: Panel, listener: Listener) -> None:
    address = address_of(panel, listener)
    await press(panel, f"{address}/desativar", "Desativar")
    assert (await listener.record())["active"] is False
    assert strings_of(await panel.page(address), f"//a[@href='{address}/reenviar']") == []
    await press(panel, address, "Ativar")
    assert (await listener.record())["active"] is True
    assert await press(panel, f"{address}/excluir", "Excluir") == f"{panel.base}/webhooks?aviso=removido"
    assert (await panel.http.get(address)).status_code == 404


async def test_previous_secret_signs_for_the_chosen_hours_beside_the_new_one(
    panel: Panel, listener: Listener, receiver: Receiver
) -> None:
    page = f"{address_of(panel, listener)}/segredo"

    async def rotate(hours: str) -> str:
        shown = await panel.page(await press(panel, page, "Trocar o segredo", sobreposicao=hours))
        (secret,) = [code for code in strings_of(shown, "//code/text()") if code.startswith("whsec_")]
        return secret

    second = await rotate("1")
    data_of(await listener.post("/test"))
    for secret in (listener.secret, second):
        listener.verified(receiver.calls[-1], secret)

    third = await rotate("0")
    data_of(await listener.post("/test"))
    listener.verified(receiver.calls[-1], third)
    for secret in (listener.secret, second):
        with pytest.raises(WebhookVerificationError):
            listener.verified(receiver.calls[-1], secret)
