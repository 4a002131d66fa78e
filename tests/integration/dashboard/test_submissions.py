"""Forms act once: the same form that arrives twice, at once or later, leads to the first result."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import Response

from carimbo.dashboard.app import Dashboard
from carimbo.dashboard.options import DashboardOptions
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, subscription_page
from carimbo.dashboard.submissions import new_secret, redirect_with_secret
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.roles import Capability
from carimbo.service.services import Services
from carimbo.storage.database import Database
from integration.dashboard.panel import COOKIE, ORIGIN, Panel
from support import Caller


@dataclass
class Counter:
    """An action that counts how often it ran."""

    runs: int = 0
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    fault: Exception | None = None
    is_secret: bool = False

    async def act(self, visit: SubscriptionVisit) -> Response:
        self.runs += 1
        self.begun.set()
        await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        address = f"{visit.base}/contado"
        return await redirect_with_secret(visit, address, "s3gredo") if self.is_secret else redirect(address)

    async def show(self, visit: SubscriptionVisit) -> Response:
        return Response(await new_secret(visit) or "nada")


@dataclass(frozen=True)
class Door:
    """A dashboard with only the counting action."""

    counter: Counter
    panel: Panel
    http: httpx2.AsyncClient
    form_token: str

    async def send(self, form_id: object) -> httpx2.Response:
        return await self.http.post(
            f"{self.panel.base}/contar",
            data={"form_token": self.form_token, "form_id": str(form_id)},
            headers={"Origin": ORIGIN},
        )


@asynccontextmanager
async def _serving(
    dashboard: Dashboard, services: Services, panel: Panel
) -> AsyncIterator[httpx2.AsyncClient]:
    async def app(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        response = await dashboard.respond(Request(scope, receive), services)
        await response(scope, receive, send)

    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(
        transport=transport, base_url=ORIGIN, cookies={COOKIE: panel.token}
    ) as http:
        yield http


@pytest.fixture
async def door(panel: Panel, app: object) -> AsyncIterator[Door]:
    counter = Counter()
    counter.gate.set()
    routes = (
        acting(subscription_page("/contar", Capability.READ_COMPANIES, counter.act)),
        subscription_page("/contado", Capability.READ_COMPANIES, counter.show),
    )
    services: Services = app.state.services  # type: ignore[attr-defined]
    token = str((await panel.page("/painel/conta")).xpath("//input[@name='form_token']/@value")[0])
    dashboard = Dashboard(DashboardOptions(None), routes)
    async with _serving(dashboard, services, panel) as http:
        yield Door(counter, panel, http, token)


async def test_form_that_arrives_again_leads_to_the_first_result(door: Door) -> None:
    form_id = uuid4()
    answers = [await door.send(form_id) for _ in range(3)]
    assert {(answer.status_code, answer.headers["location"]) for answer in answers} == {
        (303, f"{door.panel.base}/contado")
    }
    assert door.counter.runs == 1
    await door.send(uuid4())
    assert door.counter.runs == 2


async def test_forms_that_arrive_at_once_act_once_and_wait_for_the_result(door: Door) -> None:
    door.counter.gate.clear()
    form_id = uuid4()
    sending = [asyncio.create_task(door.send(form_id)) for _ in range(5)]
    await door.counter.begun.wait()
    door.counter.gate.set()
    answers = await asyncio.gather(*sending)
    assert {answer.status_code for answer in answers} == {303}
    assert door.counter.runs == 1


async def test_refused_form_may_be_sent_again(door: Door) -> None:
    door.counter.fault = Refusal(ErrorCode.INVALID_STATE)
    form_id = uuid4()
    assert (await door.send(form_id)).status_code == 409
    door.counter.fault = None
    assert (await door.send(form_id)).status_code == 303
    assert door.counter.runs == 2


async def test_form_whose_result_is_unknown_does_not_act_again(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("carimbo.service.people.submissions._MAX_WAIT", timedelta(seconds=0.2))
    door.counter.fault = RuntimeError("the connection broke after the action")
    form_id = uuid4()
    assert (await door.send(form_id)).status_code == 500
    door.counter.fault = None
    answer = await door.send(form_id)
    assert (answer.status_code, "já foi enviado" in answer.text) == (409, True)
    assert door.counter.runs == 1


async def test_form_without_an_id_is_refused(door: Door) -> None:
    assert (await door.send("")).status_code == 400
    assert door.counter.runs == 0


async def test_secret_is_shown_after_every_arrival_but_not_to_others_and_not_for_long(
    door: Door, caller: Caller, database: Database, sign_in_as: object
) -> None:
    door.counter.is_secret = True
    form_id = uuid4()
    first, second = await door.send(form_id), await door.send(form_id)
    assert first.headers["location"] == second.headers["location"]
    address = first.headers["location"]
    assert (await door.http.get(address)).text == "s3gredo"

    other: Panel = await sign_in_as(caller.subscription_id)  # type: ignore[operator]
    door.http.cookies.set(COOKIE, other.token)
    assert (await door.http.get(address)).text == "nada"
    door.http.cookies.set(COOKIE, door.panel.token)
    async with database.connection() as connection:
        await connection.execute("update form_submissions set created_at = now() - interval '11 minutes'")
    assert (await door.http.get(address)).text == "nada"
