"""The pages of webhooks: their states, their deliveries, and what each attempt sent and received."""

import json
from typing import Any
from uuid import UUID

from integration.dashboard.issued.conftest import OpenWindow
from integration.dashboard.issued.pages import facts_of, links_of, rows_of
from integration.dashboard.panel import text_of
from integration.issuing.shop import REFUSED, Shop
from integration.webhooks.conftest import NewListener
from integration.webhooks.listener import Listener
from receiver import Receiver, Reply
from support import data_of


async def page_of(shop: Shop, look_at: OpenWindow, rest: str = "") -> Any:
    panel = (await look_at(shop)).panel
    return await panel.page(f"{panel.base}/webhooks{rest}")


async def delivery_page(listener: Listener, look_at: OpenWindow, query: str = "") -> Any:
    (delivery,) = await listener.deliveries()
    return await page_of(listener.shop, look_at, f"/{listener.id}/entregas/{delivery['id']}{query}")


def bodies_of(page: Any) -> list[str]:
    return [body.text_content() for body in page.xpath("//pre")]


async def test_list_says_of_each_webhook_whether_it_answers(
    shop: Shop, look_at: OpenWindow, new_listener: NewListener, receiver: Receiver
) -> None:
    names = ("nova", "boa", "falha", "desativada", "parada")
    listeners = {name: await new_listener(receiver, name=name) for name in names}
    data_of(await listeners["boa"].post("/test"))
    system = shop.system
    await system.fetch(
        "update webhooks set failing_since = '2026-11-01T12:00Z' where id = $1", UUID(listeners["falha"].id)
    )
    await system.fetch(
        "update webhooks set is_active = false, disabled_reason = 'Falhou muito.' where id = $1",
        UUID(listeners["desativada"].id),
    )
    await listeners["parada"].set_active(False)
    rows = rows_of(await page_of(shop, look_at), "Webhooks")
    assert {row[0].split()[0]: row[1] for row in rows} == {
        "nova": "Ainda sem entregas",
        "boa": "Respondendo",
        "falha": "Falhando desde 01/11/2026 09:00",
        "desativada": "Desativado Falhou muito.",
        "parada": "Inativo",
    }


async def test_no_page_shows_a_secret(
    shop: Shop, look_at: OpenWindow, new_listener: NewListener, receiver: Receiver
) -> None:
    header = {"key": "Authorization", "value": "Bearer segredo-do-erp"}
    listener = await new_listener(receiver, headers=[header])
    data_of(await listener.post("/test"))
    detail, delivery = (
        await page_of(shop, look_at, f"/{listener.id}"),
        await delivery_page(listener, look_at),
    )
    facts = facts_of(detail)
    assert facts["Segredo que assina as entregas"] == f"********{listener.secret[-4:]}"
    assert facts["Cabeçalhos"] == "Authorization: ********-erp"
    assert facts_of(delivery)["Authorization"] == "********-erp"
    for page in (detail, delivery):
        assert listener.secret not in text_of(page)
        assert "segredo-do" not in text_of(page)


async def test_each_filter_shows_only_the_deliveries_that_match_it(
    shop: Shop, look_at: OpenWindow, listener: Listener
) -> None:
    await shop.issue("nfe")
    await shop.issue("nfe", notes=REFUSED)
    await listener.until(2)
    await shop.system.until(
        f"(select count(*) = 2 from deliveries where webhook_id = '{listener.id}' and status = 'delivered')"
    )
    await shop.system.fetch(
        "update deliveries set status = 'failed', created_at = '2026-10-31T23:30:00-03:00'"
        " where webhook_id = $1 and event_id in (select id from events where topic = 'nfe.rejected')",
        UUID(listener.id),
    )

    async def listed(query: str) -> tuple[set[str], str]:
        page = await page_of(shop, look_at, f"/{listener.id}?{query}")
        counts = [text for text in map(text_of, page.xpath("//p")) if "Baixar CSV" in text]
        names = {row[0].split()[0] for row in rows_of(page, "Entregas")}
        return names, counts[0].split()[0] if counts else "0"

    authorized, rejected = {"nfe.authorized"}, {"nfe.rejected"}
    assert {query: await listed(query) for query in (
        "", "status=failed", "evento=nfe.authorized", "evento=nfe.rejected&status=delivered", "evento=x",
        "fim=2026-10-31", "inicio=2026-11-01", "inicio=2026-10-31&fim=2026-10-31", "inicio=ontem",
    )} == {
        "": (authorized | rejected, "2"),
        "status=failed": (rejected, "1"),
        "evento=nfe.authorized": (authorized, "1"),
        "evento=nfe.rejected&status=delivered": (set(), "0"),
        "evento=x": (authorized | rejected, "2"),
        "fim=2026-10-31": (rejected, "1"),
        "inicio=2026-11-01": (authorized, "1"),
        "inicio=2026-10-31&fim=2026-10-31": (rejected, "1"),
        "inicio=ontem": (authorized | rejected, "2"),
    }  # fmt: skip


async def test_file_has_the_deliveries_of_the_filtered_list(
    shop: Shop, look_at: OpenWindow, listener: Listener
) -> None:
    for _ in range(2):
        data_of(await listener.post("/test"))
    (newest, _) = await listener.deliveries()
    await shop.system.fetch(
        "update deliveries set created_at = '2026-10-31T12:00Z' where id = $1", UUID(newest["id"])
    )
    page = await page_of(shop, look_at, f"/{listener.id}?fim=2026-10-31")
    (address,) = links_of(page, "formato=csv")
    file = await (await look_at(shop)).panel.http.get(address)
    lines = file.content.decode("utf-8-sig").splitlines()
    assert [line.rpartition(";")[2] for line in lines] == ["Id", newest["id"]]


async def test_delivery_shows_every_attempt_with_both_bodies(
    shop: Shop, look_at: OpenWindow, listener: Listener, receiver: Receiver
) -> None:
    receiver.replies.append(Reply(500, body=b'{"erro": {"motivo": "caiu"}}'))
    receiver.default = Reply(200, body=b"<b>recebido</b>")
    document = await shop.issue("nfe")
    await listener.until_status("delivered")

    last = await delivery_page(listener, look_at)
    assert [row[0] for row in rows_of(last, "Tentativas")] == ["Tentativa 1", "Tentativa 2"]
    assert [row[2] for row in rows_of(last, "Tentativas")] == ["HTTP 500", "HTTP 200"]
    sent, answered = bodies_of(last)
    assert json.loads(sent)["data"]["id"] == document["id"]
    assert answered == "<b>recebido</b>"
    assert links_of(last, "/documentos/") == [
        f"/painel/{shop.caller.subscription_id}/empresas/{shop.id}/documentos/{document['id']}"
    ]
    first = await delivery_page(listener, look_at, "?tentativa=1")
    assert bodies_of(first)[1] == '{\n  "erro": {\n    "motivo": "caiu"\n  }\n}'
    assert "A tentativa seguinte ficou marcada para" in text_of(first)


async def test_malicious_answer_of_a_receiver_makes_no_large_page(
    shop: Shop, look_at: OpenWindow, listener: Listener, receiver: Receiver
) -> None:
    for body in (b"[" * 900 + b"]" * 900, b"[" * 9000 + b"]" * 9000, b"[1," * 6000):
        receiver.replies.append(Reply(200, body=body))
        data_of(await listener.post("/test"))
    panel = (await look_at(shop)).panel
    deliveries = await listener.deliveries()
    assert len(deliveries) == 3
    for delivery in deliveries:
        answer = await panel.http.get(f"{panel.base}/webhooks/{listener.id}/entregas/{delivery['id']}")
        assert answer.status_code == 200
        assert len(answer.content) < 60_000
