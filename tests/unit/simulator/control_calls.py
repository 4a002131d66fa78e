"""Calls of the control API, and what is kept for it to show."""

import json
from datetime import datetime
from typing import Any

from carimbo.simulator.http import Reply
from carimbo.simulator.ledger import Ledger, StoredEvent, VoidedRange
from carimbo.simulator.place import HOMOLOGATION
from carimbo.simulator.site import Site
from support import CNPJ
from unit.simulator.front_desk import control

JSON_HERE = {"host": "127.0.0.1:8444", "content-type": "application/json; charset=utf-8"}
CONTRIBUTOR = {"state": "SP", "taxId": CNPJ, "registration": "110042490114", "name": "LOJA MODELO LTDA"}


async def seen(site: Site, path: str, query: str = "") -> Any:
    return _data(await control(site, "GET", path, query=query))


async def written(site: Site, method: str, path: str, body: object) -> Any:
    return _data(await control(site, method, path, body=json.dumps(body).encode(), headers=JSON_HERE))


async def refusal(site: Site, method: str, path: str, **changes: Any) -> tuple[int, str]:
    reply = await control(site, method, path, **changes)
    assert reply.media_type == "application/json"
    problem = json.loads(reply.body)
    assert set(problem) == {"error"}
    return reply.status, problem["error"]


def _data(reply: Reply) -> Any:
    assert (reply.status, reply.media_type) == (200, "application/json"), reply.body
    return json.loads(reply.body)


def keep_event(site: Site, key: str, at: datetime) -> None:
    event = StoredEvent(
        environment=HOMOLOGATION,
        access_key=key,
        type="110111",
        sequence=1,
        author=CNPJ,
        authorizer="SP",
        registered_at=at,
        code="135",
        protocol="135260000000002",
        xml=b"<evento/>",
        answer_xml=b"<retEvento/>",
    )
    Ledger(site.store).keep_event(event)


def keep_range(site: Site, first: int, at: datetime) -> None:
    voided = VoidedRange(
        environment=HOMOLOGATION,
        state_code="35",
        issuer=CNPJ,
        model="55",
        series=1,
        year="26",
        first_number=first,
        last_number=first + 1,
        authorizer="SP",
        received_at=at,
        protocol="135260000000003",
    )
    Ledger(site.store).keep_range(voided)
