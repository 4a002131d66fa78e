"""SIGHUP: running processes load a newly published rate without a restart."""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

import httpx2

from acceptance.fault_company import Company, order
from acceptance.fault_programs import carimbo
from acceptance.fault_site import Site, local, until_answered
from documentation import ROOT
from support import TIMEOUT_SECONDS, free_port

CALENDAR = ROOT / "src" / "carimbo" / "fiscal" / "tables" / "calendar.csv"
NORMAL = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
IS_MISSING, IS_KNOWN = (f'carimbo_tax_rate_missing{{tax="cbs"}} {value}' for value in ("1.0", "0.0"))


def write_tables(folder: Path, rate_of_cbs: str) -> None:
    """Writes rates, of which only CBS may be missing, and a calendar that already reports missing rates."""
    rows = f"ibs_state,2026-01-01,,0.05\nibs_city,2026-01-01,,0.05\ncbs,2026-01-01,,{rate_of_cbs}\n"
    text = f"# source: teste\n# date: 2099-01-01\ntax,since,until,rate\n{rows}"
    (folder / "ibs_cbs_rates.csv").write_text(text, encoding="utf-8")
    name = "missing_rates_are_reported"
    early = CALENDAR.read_text("utf-8").replace(f"{name},2026-12-01", f"{name},2026-01-01")
    (folder / "calendar.csv").write_text(early, encoding="utf-8")


async def until_shown(metrics_port: int, text: str) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS), httpx2.AsyncClient(base_url=local(metrics_port)) as http:
        while text not in (await http.get("/metrics")).text:  # noqa: ASYNC110 - metrics can only be polled
            await asyncio.sleep(0.02)


async def until_logged(log: Path, text: str) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while text not in await asyncio.to_thread(log.read_text, "utf-8"):  # noqa: ASYNC110 - a file sends no event
            await asyncio.sleep(0.02)


async def test_api_and_worker_load_a_rate_at_sighup_and_keep_it_when_a_file_is_bad(
    site: Site, company: Company, new_folder: Callable[[], Path]
) -> None:
    folder = new_folder()
    write_tables(folder, rate_of_cbs="")
    port, of_api, of_worker = free_port(), free_port(), free_port()
    settings = {
        **site.settings,
        "tables_folder": str(folder),
        "port": str(port),
        "api_metrics_port": str(of_api),
        "worker_metrics_port": str(of_worker),
    }
    logs = folder / "api.log", folder / "worker.log"
    path = f"/v1/companies/{company.id}"
    assert (await company.http.put(path, json=NORMAL)).status_code == 200

    async def problems() -> list[str]:
        """Returns the fields for which the API would refuse an NF-e."""
        answer = await company.http.post(f"{local(port)}{path}/nfe?dryRun=true", json=order("nfe"))
        assert answer.status_code == 200, answer.text
        return [problem["field"] for problem in answer.json()["data"]["problems"]]

    with carimbo(["serve"], settings, logs[0]) as api, carimbo(["worker"], settings, logs[1]) as worker:
        await until_answered(local(port), "/readyz")
        await until_answered(local(of_worker), "/metrics")
        for metrics_port in (of_api, of_worker):
            await until_shown(metrics_port, IS_MISSING)
        await until_logged(logs[1], '"event": "tax_rate_missing"')
        assert "items[0].ibsCbs.cbs.rate" in await problems()

        write_tables(folder, rate_of_cbs="11.11")
        for program, metrics_port in ((api, of_api), (worker, of_worker)):
            program.send(signal.SIGHUP)
            await until_shown(metrics_port, IS_KNOWN)
        assert await problems() == []

        write_tables(folder, rate_of_cbs="muito")
        for program, log, metrics_port in ((api, logs[0], of_api), (worker, logs[1], of_worker)):
            program.send(signal.SIGHUP)
            await until_logged(log, "ibs_cbs_rates.csv não pode ser usada: linha 6")
            await until_shown(metrics_port, IS_KNOWN)
        assert await problems() == []
        assert [await api.terminate(), await worker.terminate()] == [0, 0]
