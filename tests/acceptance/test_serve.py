"""Several API processes on one database act as one service."""

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
import pytest

from acceptance.loaded_command import loaded_carimbo
from carimbo.service.access import Authenticator
from carimbo.service.subscriptions import create_subscription, define_plan
from carimbo.settings import Settings
from carimbo.storage.database import Database
from carimbo.storage.subscriptions import SubscriptionPlan
from metric_samples import names_of, names_shown_at
from support import CNPJ, free_port, local_http

DEADLINE_SECONDS = 120


@dataclass(frozen=True)
class Process:
    """One `carimbo serve`."""

    popen: subprocess.Popen[bytes]
    url: str
    metrics_url: str


def start(settings: Settings) -> Process:
    port, metrics_port = free_port(), free_port()
    environment = {
        **os.environ,
        "CARIMBO_DATABASE_URL": settings.database_url.get_secret_value(),
        "CARIMBO_SECRET_KEYS": settings.secret_keys.get_secret_value(),
        "CARIMBO_PORT": str(port),
        "CARIMBO_API_METRICS_PORT": str(metrics_port),
        "CARIMBO_LOG_LEVEL": "warning",
    }
    popen = subprocess.Popen([loaded_carimbo(), "serve"], env=environment)
    return Process(popen, f"http://127.0.0.1:{port}", f"http://127.0.0.1:{metrics_port}/metrics")


def wait_until_ready(process: Process) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        try:
            if local_http().get(f"{process.url}/readyz").status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.05)
    pytest.fail("the API did not get ready")


@pytest.fixture(scope="module")
def processes(settings: Settings) -> Iterator[list[Process]]:
    started = [start(settings), start(settings)]
    try:
        for process in started:
            wait_until_ready(process)
        yield started
    finally:
        for process in started:
            process.popen.send_signal(signal.SIGTERM)
        assert [process.popen.wait(DEADLINE_SECONDS) for process in started] == [0, 0]


class TestTwoProcesses:
    async def test_two_processes_share_one_rate_limit(
        self, processes: list[Process], authenticator: Authenticator, database: Database
    ) -> None:
        await define_plan(database, SubscriptionPlan("twenty", None, None, requests_per_minute=20))
        credentials = await create_subscription(authenticator, "Taxa", "twenty")
        headers = {"X-Api-Key": str(credentials.subscription_id), "X-Api-Secret": credentials.secret}
        async with httpx2.AsyncClient(headers=headers, timeout=DEADLINE_SECONDS) as http:
            urls = [f"{processes[turn % 2].url}/v1/companies" for turn in range(60)]
            started = time.monotonic()
            answers = await asyncio.gather(*(http.get(url) for url in urls))
        let_through = sum(answer.status_code == 200 for answer in answers)
        # One more every three seconds is due, should this machine be that slow.
        assert 20 <= let_through <= 20 + (time.monotonic() - started) // 3
        assert {answer.status_code for answer in answers} == {200, 429}

    async def test_rotation_of_credentials_applies_to_all_processes_at_once(
        self, processes: list[Process], authenticator: Authenticator
    ) -> None:
        credentials = await create_subscription(authenticator, "Troca", "unlimited")
        headers = {"X-Api-Key": str(credentials.subscription_id), "X-Api-Secret": credentials.secret}
        async with httpx2.AsyncClient(headers=headers, timeout=DEADLINE_SECONDS) as http:
            first, second = (process.url for process in processes)
            assert (await http.get(f"{second}/v1/companies")).status_code == 200
            assert (await http.post(f"{first}/v1/user/api-credentials")).status_code == 200
            assert (await http.get(f"{second}/v1/companies")).status_code == 401

    async def test_simultaneous_requests_create_one_company(
        self, processes: list[Process], authenticator: Authenticator
    ) -> None:
        credentials = await create_subscription(authenticator, "Corrida", "unlimited")
        headers = {"X-Api-Key": str(credentials.subscription_id), "X-Api-Secret": credentials.secret}
        body = {"taxId": CNPJ, "legalName": "Loja Modelo Ltda"}
        async with httpx2.AsyncClient(headers=headers, timeout=DEADLINE_SECONDS) as http:
            urls = [f"{processes[turn % 2].url}/v1/companies" for turn in range(20)]
            answers = await asyncio.gather(*(http.post(url, json=body) for url in urls))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 19


class TestMetrics:
    def test_metrics_have_their_own_port(self, processes: list[Process]) -> None:
        local_http().get(f"{processes[0].url}/v1/companies")
        assert local_http().get(f"{processes[0].url}/metrics").status_code == 404
        text = local_http().get(processes[0].metrics_url).text
        assert 'carimbo_http_requests_total{operation="unmatched",status="401"}' in text
        assert "carimbo_http_request_seconds_bucket" in text

    def test_metrics_of_the_api_are_those_of_the_reference(self, processes: list[Process]) -> None:
        assert names_shown_at(processes[0].metrics_url) == names_of("API") | names_of("both")
