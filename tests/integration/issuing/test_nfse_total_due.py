"""`totalDue`: the total that the customer of an NFS-e pays, as the authority computed it."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
import structlog
from structlog.testing import LogCapture

from carimbo.fiscal.calendar import CALENDAR, DatedRule
from carimbo.fiscal.documents.nfse import totals
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.tables.ibs_cbs import IbsCbsRates
from carimbo.fiscal.tables.table import use_tables_of
from carimbo.service.issuing import conclude
from integration.issuing.shop import ADDRESS, BORROWER, CAMPINAS, Shop, body_of, note_of, provider_in
from integration.issuing.system import System
from support import data_of

COMPLETE = {"issueDate": "2026-11-02", "nbs": "115021000", "borrower": BORROWER | {"address": ADDRESS}}
NORMAL = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}


@pytest.fixture
def total_adds_taxes_today(tmp_path: Path) -> Iterator[None]:
    """Loads a calendar in which the rule of 2027 is already in force."""
    rows = ["# source: teste", "# date: 2026-12-01", "name,since,until,documents,about,source"]
    for entry in CALENDAR.values():
        is_moved = entry.name == DatedRule.TOTAL_ADDS_IBS_CBS
        since = "2026-01-01" if is_moved else entry.since or ""
        rows.append(f"{entry.name},{since},{entry.until or ''},{' '.join(entry.documents)},x,y")
    (tmp_path / "calendar.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    use_tables_of(tmp_path)
    yield
    use_tables_of(None)


@pytest.mark.usefixtures("total_adds_taxes_today")
async def test_total_due_is_the_authoritys_total_in_every_answer(
    system: System, certificate: A1Certificate
) -> None:
    provider = await provider_in(system, certificate, CAMPINAS, **NORMAL)
    document = await provider.create("nfse", **COMPLETE)
    assert document["totalDue"] is None
    record = await provider.settled(document)
    total = float((await note_of(provider, record)).text("totCIBS/vTotNF") or "nan")
    assert record["totalDue"] == total
    assert (await provider.read(record))["totalDue"] == total
    (listed,) = data_of(await provider.get("/nfse"))
    assert listed["totalDue"] == total


@pytest.mark.usefixtures("total_adds_taxes_today")
async def test_total_due_is_null_in_a_note_without_ibs_and_cbs(shop: Shop) -> None:
    assert (await shop.issue("nfse"))["totalDue"] is None


async def test_total_due_is_null_before_2027(system: System, certificate: A1Certificate) -> None:
    provider = await provider_in(system, certificate, CAMPINAS, **NORMAL)
    record = await provider.issue("nfse", **COMPLETE)
    assert (await note_of(provider, record)).text("totCIBS/vTotNF") is not None
    assert record["totalDue"] is None


@pytest.mark.usefixtures("total_adds_taxes_today")
async def test_dry_run_estimates_the_total_due(system: System, certificate: A1Certificate) -> None:
    provider = await provider_in(system, certificate, CAMPINAS, **NORMAL)
    trial = data_of(await provider.post("/nfse", body_of("nfse", **COMPLETE), dryRun="true"))
    assert trial["totals"]["totalDue"] > trial["totals"]["netAmount"]
    assert any("IBS e CBS são somados" in warning for warning in trial["warnings"])


@pytest.mark.parametrize(
    ("table", "logged"), [(Decimal("0.9"), []), (None, ["unknown"]), (Decimal(8), ["8"])]
)
async def test_rate_of_the_authority_is_compared_with_the_table(
    system: System,
    certificate: A1Certificate,
    monkeypatch: pytest.MonkeyPatch,
    table: Decimal | None,
    logged: list[str],
) -> None:
    log = LogCapture()
    monkeypatch.setattr(conclude, "_log", structlog.wrap_logger(None, [log], structlog.BoundLogger))
    monkeypatch.setattr(totals, "ibs_cbs_rates_on", lambda day: IbsCbsRates(Decimal(0), Decimal(0), table))
    provider = await provider_in(system, certificate, CAMPINAS, **NORMAL)
    record = await provider.issue("nfse", **COMPLETE)
    lines = [line for line in log.entries if line["document"] == record["id"]]
    assert [line["table"] for line in lines] == logged
    assert all(line["authority"] == "0.90" for line in lines)
