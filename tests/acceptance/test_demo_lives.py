"""A demo that begins before midnight of New Year's Eve, and is started again twice in the same folder.

Its tests run in the order of this file: each start follows the end of the one before.
"""

import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from acceptance.demo_runs import START_SECONDS, Demo, Start, until
from acceptance.new_year import (
    GOODS,
    MIDNIGHT,
    PRICE,
    Issued,
    Night,
    issue_each,
    normal_company,
    posted,
    service_time,
    settled,
)
from carimbo.demo.samples import CATALOG, NFE_BODY
from carimbo.fiscal.access_key import AccessKey
from support import local_http

# What an idle machine needs to start and issue before midnight; a busy one begins that many times earlier.
LEAD = timedelta(seconds=30)
SAMPLE_SECONDS = 0.3
CHEAPER_ITEM = {**CATALOG[1], "price": 199.9}


@pytest.fixture(scope="module")
def folder(new_folder: Callable[[], Path]) -> Path:
    """Where one demo lives all its lives."""
    return new_folder()


@pytest.fixture(scope="module")
def night(start: Start, folder: Path) -> Night:
    lead = LEAD * slowness()
    for seed in range(3):
        demo = start(folder, "--now", (MIDNIGHT - lead).isoformat(), has_loaded_parts=True)
        passed = through_midnight(demo, seed, lead)
        if passed:
            return passed
        demo.clean_up()
        lead *= 4
    pytest.fail("the machine is too slow to issue before midnight")


def slowness() -> float:
    """Returns how many times longer work takes than on a machine that does nothing else."""
    began, worked = time.monotonic(), time.process_time()
    while time.process_time() - worked < SAMPLE_SECONDS:
        pass
    return (time.monotonic() - began) / SAMPLE_SECONDS


def through_midnight(demo: Demo, seed: int, lead: timedelta) -> Night | None:
    """Issues on both sides of midnight; returns None if midnight came first."""
    until(lambda: is_ready(demo), START_SECONDS)
    company, tax_id = normal_company(demo, seed)
    before = issue_each(demo, company)
    if not all(document.is_before_midnight for document in before.values()):
        return None
    until(lambda: service_time(demo) >= MIDNIGHT, lead.total_seconds(), pause=1)
    return Night(demo, company, tax_id, before, issue_each(demo, company))


def is_ready(demo: Demo) -> bool:
    assert demo.process.poll() is None, demo.log
    try:
        return local_http().get(f"http://127.0.0.1:{demo.port}/readyz").status_code == 200
    except httpx2.TransportError:
        return False


def assert_rules_of_2026(goods: Issued) -> None:
    rates = [goods.amount(path) for path in ("gIBSUF/pIBSUF", "gIBSMun/pIBSMun", "gCBS/pCBS")]
    assert rates == [Decimal("0.1"), 0, Decimal("0.9")]
    assert (goods.text("PIS/PISAliq/CST"), goods.text("COFINS/COFINSAliq/CST")) == ("01", "01")
    assert goods.amount("PISAliq/vPIS") > 0 and goods.amount("COFINSAliq/vCOFINS") > 0


@pytest.mark.parametrize("name", ["nfe", "nfce"])
class TestGoods:
    def test_before_midnight_have_the_rates_of_2026_and_pis_and_cofins(self, night: Night, name: str) -> None:
        goods = night.before[name]
        assert goods.is_before_midnight
        assert_rules_of_2026(goods)

    def test_after_midnight_have_the_rates_of_2027_and_no_pis_and_cofins(
        self, night: Night, name: str
    ) -> None:
        goods = night.after[name]
        assert not goods.is_before_midnight
        rates = [goods.amount(path) for path in ("gIBSUF/pIBSUF", "gIBSMun/pIBSMun", "gCBS/pCBS")]
        assert rates == [Decimal("0.05"), Decimal("0.05"), Decimal("11.11")]
        assert (goods.text("PIS/PISNT/CST"), goods.text("COFINS/COFINSNT/CST")) == ("08", "08")
        assert goods.text("det/imposto/PIS/PISNT/vPIS") is None
        assert [goods.amount(path) for path in ("ICMSTot/vPIS", "ICMSTot/vCOFINS")] == [0, 0]

    def test_after_midnight_have_the_new_taxes_inside_what_the_buyer_pays(
        self, night: Night, name: str
    ) -> None:
        goods = night.after[name]
        totals = ("det/prod/vProd", "ICMSTot/vProd", "ICMSTot/vNF", "vNFTot", "detPag/vPag")
        assert [goods.text(path) for path in totals] == [PRICE] * len(totals)
        parts = ("gIBSCBS/vBC", "gIBSUF/vIBSUF", "gIBSMun/vIBSMun", "gCBS/vCBS", "ICMS00/vICMS")
        assert sum(map(goods.amount, parts)) == Decimal(PRICE)


class TestServices:
    def test_before_midnight_have_pis_and_cofins_and_a_total_without_the_new_taxes(
        self, night: Night
    ) -> None:
        note = night.before["nfse"]
        assert note.text("dCompet") == "2026-12-31"
        assert note.amount("piscofins/vPis") > 0 and note.amount("piscofins/vCofins") > 0
        assert note.amount("vTotNF") == note.amount("vLiq")

    def test_after_midnight_have_no_pis_and_cofins_and_a_total_with_the_new_taxes(self, night: Night) -> None:
        note = night.after["nfse"]
        assert note.text("dCompet") == "2027-01-01"
        assert (note.text("vPis"), note.text("vCofins")) == (None, None)
        assert note.amount("vTotNF") > note.amount("vLiq")
        assert Decimal(str(note.record["totalDue"])) == note.amount("vTotNF")


class TestOtherDocumentsAfterMidnight:
    def test_a_receipt_printed_offline_on_the_last_day_keeps_the_rules_of_2026(self, night: Night) -> None:
        printed_at = MIDNIGHT - timedelta(minutes=5)
        key = AccessKey.of_issue(
            printed_at, state_code="35", tax_id=night.tax_id, model="65", series=9, number=1,
            emission_type="9", numeric_code="10203040",
        )  # fmt: skip
        paper = {
            "issueMode": "offlineContingency",
            "accessKey": str(key),
            "number": 1,
            "series": 9,
            "issuedAt": printed_at.isoformat(),
            "contingency": {"startedAt": printed_at.isoformat(), "reason": "Sem conexão com a internet"},
        }
        record = posted(night.demo, f"{night.company}/nfce", {**GOODS, **paper})
        receipt = settled(night.demo, f"{night.company}/nfce/{record['id']}")
        assert receipt.text("dhEmi") == printed_at.isoformat()
        assert_rules_of_2026(receipt)

    def test_a_company_of_simples_writes_no_new_taxes(self, night: Night) -> None:
        own = f"/v1/companies/{night.demo.facts['companyId']}"
        record = posted(night.demo, f"{own}/nfe", NFE_BODY)
        sale = settled(night.demo, f"{own}/nfe/{record['id']}")
        assert not sale.is_before_midnight
        assert sale.text("det/imposto/IBSCBS/CST") is None
        assert sale.text("PIS/PISOutr/CST") == "49"


class TestGreeting:
    def test_says_that_the_rate_is_made_up_and_what_the_clock_shows(self, night: Night) -> None:
        night.demo.wait_until_ready()
        file = night.demo.data / "tables/ibs_cbs_rates.csv"
        assert f"CBS de 2027   inventada: 11,11%, só na demonstração ({file})\n" in night.demo.log
        assert "\nRelógio       " in night.demo.log


@pytest.fixture(scope="module")
def remembered(night: Night) -> dict[str, Any]:
    """What the first life knew and changed before the crash of its worker ended it."""
    demo = night.demo.wait_until_ready()
    facts = demo.facts
    company = f"/v1/companies/{facts['companyId']}"
    (item,) = demo.get(f"{company}/products?search=leitor-usb")
    changes = {company: {"tradeName": "Outro Nome"}, f"{company}/products/{item['id']}": CHEAPER_ITEM}
    answers = [demo.call("PUT", path, json=body) for path, body in changes.items()]
    assert [answer.status_code for answer in answers] == [200, 200]
    facts["documents"] = {document["id"] for document in invoices_of(demo)}
    facts["receipts"] = len(demo.get(f"{company}/nfce"))
    facts["exit code"] = demo.end(demo.child("worker").kill)
    return facts


def invoices_of(demo: Demo) -> list[dict[str, Any]]:
    return list(demo.get("/v1/companies/{companyId}/invoices?pageSize=100"))


@pytest.fixture(scope="module")
def second(remembered: dict[str, Any], start: Start, folder: Path) -> Demo:
    """The second life, in the present, at a terminal and on another port."""
    return start(folder, terminal=True, has_loaded_parts=True).wait_until_ready()


class TestSecondStart:
    def test_follows_a_crash_of_one_child_that_stopped_everything(
        self, night: Night, remembered: dict[str, Any]
    ) -> None:
        assert remembered["exit code"] == 1
        assert "«worker» terminou" in night.demo.log
        assert "Traceback" not in night.demo.log
        assert (night.demo.data / "postgres/PG_VERSION").exists()

    def test_is_back_in_the_present(self, second: Demo) -> None:
        assert "Relógio" not in second.log
        panel = local_http().get(second.facts["simulatorControlUrl"] + "/controls").json()
        assert panel["clockOffsetSeconds"] == 0
        assert abs(service_time(second) - datetime.now(UTC)) < timedelta(minutes=1)

    def test_keeps_the_credentials_and_the_company(self, second: Demo, remembered: dict[str, Any]) -> None:
        kept = ("apiKey", "apiSecret", "companyId")
        assert [second.facts[name] for name in kept] == [remembered[name] for name in kept]
        assert second.facts["baseUrl"] != remembered["baseUrl"]

    def test_keeps_what_the_user_changed(self, second: Demo) -> None:
        assert second.get("/v1/companies/{companyId}")["tradeName"] == "Outro Nome"
        (item,) = second.get("/v1/companies/{companyId}/products?search=leitor-usb")
        assert item["price"] == CHEAPER_ITEM["price"]

    def test_issues_the_samples_anew_with_the_next_numbers(
        self, second: Demo, remembered: dict[str, Any]
    ) -> None:
        new = [one for one in invoices_of(second) if one["id"] not in remembered["documents"]]
        assert Counter(document["status"] for document in new) == {"authorized": 8, "rejected": 1}
        receipts = second.get("/v1/companies/{companyId}/nfce")
        assert sorted(receipt["number"] for receipt in receipts) == [
            number + 1 for number in range(remembered["receipts"] + 3)
        ]

    def test_a_terminal_that_is_closed_stops_everything(self, second: Demo) -> None:
        terminal = second.terminal
        assert terminal
        assert second.end(terminal.hang_up) == 0


class TestStartWithoutTheFileOfCredentials:
    def test_gives_a_new_secret_and_ends_when_ctrl_c_is_typed_twice_while_samples_are_on_their_way(
        self, second: Demo, remembered: dict[str, Any], start: Start, folder: Path
    ) -> None:
        second.clean_up()
        (folder / ".carimbo/demo.json").unlink()
        third = start(folder, terminal=True, has_loaded_parts=True)
        until(lambda: is_ready(third), START_SECONDS)
        assert third.facts["apiKey"] == remembered["apiKey"]
        assert third.facts["apiSecret"] != remembered["apiSecret"]
        assert third.get("/v1/subscription")
        assert third.call("GET", "/v1/subscription", remembered["apiSecret"]).status_code == 401
        until(lambda: "em processamento" in third.log, START_SECONDS)
        assert third.end(lambda: type_ctrl_c_twice(third)) == 0
        assert not third.has_greeted
        assert "Traceback" not in third.log


def type_ctrl_c_twice(demo: Demo) -> None:
    assert demo.terminal
    demo.terminal.type_ctrl_c()
    demo.terminal.type_ctrl_c()
