"""Warnings of `GET C/status`: missing rates, and IBS and CBS that Simples does not inform."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES, ReformTax
from integration.issuing.conftest import SetClock
from integration.issuing.shop import KINDS, Shop
from support import data_of

NOVEMBER, DECEMBER = datetime(2026, 11, 30, 12, tzinfo=UTC), datetime(2026, 12, 1, 12, tzinfo=UTC)
LAST_MINUTE, JANUARY = datetime(2027, 1, 1, 2, 59, tzinfo=UTC), datetime(2027, 1, 1, 3, tzinfo=UTC)
"""Around midnight of São Paulo."""
NORMAL = {"taxRegime": "normal", "pisCofinsRegime": "cumulative", "simplesRate": None}
REGULAR = {"ibsCbsRegime": [{"halfYear": "2027-1", "regime": "regular"}]}
PLACE = "ibs_cbs_rates.csv:cbs.rate"


@pytest.fixture(autouse=True)
def no_cbs_of_2027(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the rate of the CBS from 2027 on."""
    rows = dict(IBS_CBS_RATES.rows)
    first = ReformTax.CBS, date(2027, 1, 1)
    rows[first] = replace(rows[first], rate=None)
    monkeypatch.setattr(IBS_CBS_RATES, "rows", rows)


@pytest.fixture
async def shop(shop: Shop, certificate_of_2026: A1Certificate) -> Shop:
    await shop.set_certificate(certificate_of_2026, NOVEMBER)
    return shop


async def change(shop: Shop, changes: dict[str, Any]) -> None:
    data_of(await shop.caller.http.put(shop.path(), json=changes))


async def codes_of(shop: Shop) -> list[str]:
    return [warning["code"] for warning in data_of(await shop.get("/status"))["warnings"]]


async def missing_of(shop: Shop) -> dict[str, list[str]]:
    """Returns the missing fields of the company, by type."""
    return {entry["type"]: entry["missing"] for entry in data_of(await shop.get("/status"))["types"]}


class TestMissingRate:
    async def test_missing_rate_is_a_warning_from_december_and_the_company_stays_ready(
        self, shop: Shop, set_clock: SetClock
    ) -> None:
        await change(shop, NORMAL)
        set_clock(NOVEMBER)
        assert await codes_of(shop) == []
        set_clock(DECEMBER)
        status = data_of(await shop.get("/status"))
        (warning,) = status["warnings"]
        message = warning.pop("message")
        assert warning == {
            "code": "RATE_MISSING", "since": "2027-01-01", "tax": "cbs",
            "file": "ibs_cbs_rates.csv", "column": "rate",
        }  # fmt: skip
        assert message.startswith("Falta a alíquota da CBS a partir de 01/01/2027.")
        assert all(part in message for part in ("NF-e, NFC-e", "CARIMBO_TABLES_FOLDER", "SIGHUP"))
        assert status["ready"] is True

    async def test_missing_rate_makes_types_that_need_it_not_ready_on_its_first_day(
        self, shop: Shop, set_clock: SetClock
    ) -> None:
        await change(shop, NORMAL)
        set_clock(LAST_MINUTE)
        assert await missing_of(shop) == {document_type: [] for document_type in (*KINDS, "cteOs", "mdfe")}
        set_clock(JANUARY)
        of_goods = {"nfe": [PLACE], "nfce": [PLACE], "nfse": []}
        assert await missing_of(shop) == of_goods | {"cte": [PLACE], "cteOs": [PLACE], "mdfe": []}
        assert await codes_of(shop) == ["RATE_MISSING"]

    async def test_missing_rate_concerns_a_simples_company_only_in_the_regular_regime(
        self, shop: Shop, set_clock: SetClock
    ) -> None:
        set_clock(DECEMBER)
        assert await codes_of(shop) == []
        await change(shop, REGULAR)
        assert await codes_of(shop) == ["RATE_MISSING"]
        assert (await missing_of(shop))["nfe"] == []
        set_clock(JANUARY)
        assert (await missing_of(shop))["nfe"] == [PLACE]


class TestSimplesWithoutIbsCbs:
    async def test_simples_company_that_informs_no_ibs_cbs_has_one_warning_from_2027(
        self, shop: Shop, set_clock: SetClock
    ) -> None:
        set_clock(LAST_MINUTE)
        assert await codes_of(shop) == []
        set_clock(JANUARY)
        status = data_of(await shop.get("/status"))
        (warning,) = status["warnings"]
        assert (warning["code"], warning["since"]) == ("SIMPLES_IBS_CBS_NOT_INFORMED", "2027-01-01")
        assert (warning["tax"], warning["file"], warning["column"]) == (None, None, None)
        assert status["ready"] is True
