"""A demo that starts before midnight of New Year's Eve, and is restarted twice in the same folder.

Its tests run in the order of this file: each start follows the end of the one before.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx2
import pytest
from lxml import etree

from acceptance.demo_runs import START_SECONDS, Demo, Start, until, upload
from carimbo.demo.sample_company import sample_company
from carimbo.demo.samples import CATALOG, NFE_BODY
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.simulator.program.certificates import CertificateFolder
from support import local_http

MIDNIGHT = datetime.fromisoformat("2027-01-01T00:00:00-03:00")
PRICE = "59.80"
CITY_SERVICE = {"federalServiceCode": "01.05", "issRate": 2, "nbs": "115021000"}
GOODS: Mapping[str, Any] = {
    "items": [{"description": "Caneca de cerâmica", "ncm": "69120000", "quantity": 2, "unitValue": 29.9}],
    "paymentMethod": "cash",
}
SERVICE: Mapping[str, Any] = {
    "serviceDescription": "Licença de uso de programa de estoque",
    "amount": 1000,
    "borrower": NFE_BODY["recipient"],
}
BODIES: Mapping[str, Mapping[str, Any]] = {"nfe": NFE_BODY, "nfce": GOODS, "nfse": SERVICE}
# The time an idle machine needs to start and issue before midnight; multiplied by the load on a busy one.
LEAD = timedelta(seconds=30)
SAMPLE_SECONDS = 0.3
CHEAPER_ITEM = {**CATALOG[1], "price": 199.9}


@dataclass(frozen=True)
class Issued:
    """An authorized document: its record and its XML."""

    record: dict[str, Any]
    root: etree._Element

    def text(self, path: str) -> str | None:
        """Returns the text at a path of official names, wherever the path begins."""
        return self.root.findtext(".//" + "/".join(f"{{*}}{name}" for name in path.split("/")))

    def amount(self, path: str) -> Decimal:
        return Decimal(self.text(path) or "nan")

    @property
    def is_before_midnight(self) -> bool:
        return datetime.fromisoformat(self.record["issuedAt"]) < MIDNIGHT


@dataclass(frozen=True)
class Night:
    """The demo, a company of the normal regime, and its documents from both sides of midnight."""

    demo: Demo
    company: str
    tax_id: str
    before: dict[str, Issued]
    after: dict[str, Issued]


def service_time(demo: Demo) -> datetime:
    return datetime.fromisoformat(demo.get("/v1/companies/{companyId}/status")["checkedAt"])


def normal_company(demo: Demo, seed: int) -> tuple[str, str]:
    """Registers a company of the normal regime, and returns its path and its CNPJ."""
    sample = sample_company("SP", "Indústria Modelo Ltda", seed)
    regime = {"taxRegime": "normal", "pisCofinsRegime": "nonCumulative"}
    wanted = {**sample.company, **regime, "simplesRate": None, "simplesIssRegime": None}
    path = f"/v1/companies/{posted(demo, '/v1/companies', wanted)['id']}"
    posted(demo, f"{path}/state-registrations", sample.state_registration)
    defaults = {"icmsRate": 18, "cfop": "5102", "presence": "inPerson"}
    settings = {**sample.settings, "nfse": CITY_SERVICE, "defaults": defaults}
    answer = demo.call("PUT", f"{path}/settings", json=settings)
    assert answer.is_success, answer.text
    certificates = CertificateFolder.open(demo.data / "simulator", datetime.now(UTC))
    issued = certificates.issue(sample.company["taxId"], sample.company["legalName"], service_time(demo))
    pfx = issued.to_pfx("segredo")
    assert upload(demo, path, pfx, "segredo") == 200
    return path, sample.company["taxId"]


def issue_each(demo: Demo, company: str) -> dict[str, Issued]:
    accepted = {name: posted(demo, f"{company}/{name}", body) for name, body in BODIES.items()}
    return {name: settled(demo, f"{company}/{name}/{record['id']}") for name, record in accepted.items()}


def settled(demo: Demo, path: str) -> Issued:
    until(lambda: demo.get(path)["status"] != "processing", START_SECONDS, pause=0.1)
    record = demo.get(path)
    assert record["status"] == "authorized", record
    return Issued(record, etree.fromstring(demo.call("GET", f"/v1/invoices/{record['id']}.xml").content))


def posted(demo: Demo, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    answer = demo.call("POST", path, json=body)
    assert answer.is_success, answer.text
    return dict(answer.json()["data"])


@pytest.fixture(scope="module")
def folder(new_folder: Callable[[], Path]) -> Path:
    """The folder of all three starts."""
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
    """Returns how many times longer work takes than on an idle machine."""
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
    def test_goods_before_midnight_have_the_rates_of_2026_and_pis_and_cofins(
        self, night: Night, name: str
    ) -> None:
        goods = night.before[name]
        assert goods.is_before_midnight
        assert_rules_of_2026(goods)

    def test_goods_after_midnight_have_the_rates_of_2027_and_no_pis_and_cofins(
        self, night: Night, name: str
    ) -> None:
        goods = night.after[name]
        assert not goods.is_before_midnight
        rates = [goods.amount(path) for path in ("gIBSUF/pIBSUF", "gIBSMun/pIBSMun", "gCBS/pCBS")]
        assert rates == [Decimal("0.05"), Decimal("0.05"), Decimal("11.11")]
        assert (goods.text("PIS/PISNT/CST"), goods.text("COFINS/COFINSNT/CST")) == ("08", "08")
        assert goods.text("det/imposto/PIS/PISNT/vPIS") is None
        assert [goods.amount(path) for path in ("ICMSTot/vPIS", "ICMSTot/vCOFINS")] == [0, 0]

    def test_goods_after_midnight_include_the_new_taxes_in_the_price(self, night: Night, name: str) -> None:
        goods = night.after[name]
        totals = ("det/prod/vProd", "ICMSTot/vProd", "ICMSTot/vNF", "vNFTot", "detPag/vPag")
        assert [goods.text(path) for path in totals] == [PRICE] * len(totals)
        parts = ("gIBSCBS/vBC", "gIBSUF/vIBSUF", "gIBSMun/vIBSMun", "gCBS/vCBS", "ICMS00/vICMS")
        assert sum(map(goods.amount, parts)) == Decimal(PRICE)


class TestServices:
    def test_services_before_midnight_have_pis_and_cofins_and_no_new_taxes(self, night: Night) -> None:
        note = night.before["nfse"]
        assert note.text("dCompet") == "2026-12-31"
        assert note.amount("piscofins/vPis") > 0 and note.amount("piscofins/vCofins") > 0
        assert note.amount("vTotNF") == note.amount("vLiq")

    def test_services_after_midnight_have_no_pis_and_cofins_but_the_new_taxes(self, night: Night) -> None:
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
    def test_greeting_says_that_the_rate_is_invented_and_shows_the_clock(self, night: Night) -> None:
        night.demo.wait_until_ready()
        file = night.demo.data / "tables/ibs_cbs_rates.csv"
        assert f"CBS de 2027   inventada: 11,11%, só na demonstração ({file})\n" in night.demo.log
        assert "\nRelógio       " in night.demo.log


@pytest.fixture(scope="module")
def remembered(night: Night) -> dict[str, Any]:
    """Facts of the first run, and its changes before a crash of its worker ended it."""
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
    """The second run: in the present, at a terminal and on another port."""
    return start(folder, terminal=True, has_loaded_parts=True).wait_until_ready()


class TestSecondStart:
    def test_a_crash_of_one_child_stops_everything(self, night: Night, remembered: dict[str, Any]) -> None:
        assert remembered["exit code"] == 1
        assert "«worker» terminou" in night.demo.log
        assert "Traceback" not in night.demo.log
        assert (night.demo.data / "postgres/PG_VERSION").exists()

    def test_second_start_is_back_in_the_present(self, second: Demo) -> None:
        assert "Relógio" not in second.log
        panel = local_http().get(second.facts["simulatorControlUrl"] + "/controls").json()
        assert panel["clockOffsetSeconds"] == 0
        assert abs(service_time(second) - datetime.now(UTC)) < timedelta(minutes=1)

    def test_second_start_keeps_the_credentials_and_the_company(
        self, second: Demo, remembered: dict[str, Any]
    ) -> None:
        kept = ("apiKey", "apiSecret", "companyId")
        assert [second.facts[name] for name in kept] == [remembered[name] for name in kept]
        assert second.facts["baseUrl"] != remembered["baseUrl"]

    def test_second_start_keeps_the_changes_of_the_user(self, second: Demo) -> None:
        assert second.get("/v1/companies/{companyId}")["tradeName"] == "Outro Nome"
        (item,) = second.get("/v1/companies/{companyId}/products?search=leitor-usb")
        assert item["price"] == CHEAPER_ITEM["price"]

    def test_second_start_issues_the_samples_again_with_the_next_numbers(
        self, second: Demo, remembered: dict[str, Any]
    ) -> None:
        new = [document for document in invoices_of(second) if document["id"] not in remembered["documents"]]
        assert Counter(document["status"] for document in new) == {"authorized": 11, "rejected": 1}
        receipts = second.get("/v1/companies/{companyId}/nfce")
        assert sorted(receipt["number"] for receipt in receipts) == [
            number + 1 for number in range(remembered["receipts"] + 2)
        ]

    def test_closing_the_terminal_stops_everything(self, second: Demo) -> None:
        terminal = second.terminal
        assert terminal
        assert second.end(terminal.hang_up) == 0


class TestStartWithoutTheFileOfCredentials:
    def test_start_without_credentials_gives_a_new_secret_and_ctrl_c_twice_ends_it(
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
