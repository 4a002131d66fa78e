"""A demo whose clock passes midnight of New Year's Eve: every document has the rules of its own day."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx2
import pytest
from lxml import etree

from acceptance.demo_errands import upload
from acceptance.demo_runs import START_SECONDS, Demo, Start, until
from carimbo.demo.sample_company import sample_company
from carimbo.demo.samples import NFE_BODY
from carimbo.fiscal.access_key import AccessKey
from carimbo.simulator.certificates import CertificateFolder

MIDNIGHT = datetime.fromisoformat("2027-01-01T00:00:00-03:00")
# What a machine needs to start and issue before midnight; where it takes longer, the demo begins anew.
LEADS = [timedelta(seconds=seconds) for seconds in (30, 120, 480)]
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
    """The demo, a company of the normal regime in it, and what that issued on both sides of midnight."""

    demo: Demo
    company: str
    tax_id: str
    before: dict[str, Issued]
    after: dict[str, Issued]


@pytest.fixture(scope="module")
def night(start: Start, new_folder: Callable[[], Path]) -> Night:
    folder = new_folder()
    for seed, lead in enumerate(LEADS):
        demo = start(folder, "--now", (MIDNIGHT - lead).isoformat())
        passed = through_midnight(demo, seed)
        if passed:
            return passed
        demo.clean_up()
    pytest.fail("the machine is too slow to issue before midnight")


def through_midnight(demo: Demo, seed: int) -> Night | None:
    """Issues on both sides of midnight; returns None if midnight came first."""
    until(lambda: is_ready(demo), START_SECONDS)
    company, tax_id = normal_company(demo, seed)
    before = issue_each(demo, company)
    if not all(document.is_before_midnight for document in before.values()):
        return None
    until(lambda: service_time(demo) >= MIDNIGHT, LEADS[-1].total_seconds(), pause=0.2)
    return Night(demo, company, tax_id, before, issue_each(demo, company))


def is_ready(demo: Demo) -> bool:
    assert demo.process.poll() is None, demo.log
    try:
        return httpx2.get(f"http://127.0.0.1:{demo.port}/readyz").status_code == 200
    except httpx2.TransportError:
        return False


def service_time(demo: Demo) -> datetime:
    return datetime.fromisoformat(demo.get("/v1/companies/{companyId}/status")["checkedAt"])


def normal_company(demo: Demo, seed: int) -> tuple[str, str]:
    """Registers a company of the normal regime, and returns its path and its CNPJ."""
    made = sample_company("SP", "Indústria Modelo Ltda", seed)
    regime = {"taxRegime": "normal", "pisCofinsRegime": "nonCumulative"}
    wanted = {**made.company, **regime, "simplesRate": None, "simplesIssRegime": None}
    path = f"/v1/companies/{posted(demo, '/v1/companies', wanted)['id']}"
    posted(demo, f"{path}/state-registrations", made.state_registration)
    defaults = {"icmsRate": 18, "cfop": "5102", "presence": "inPerson"}
    settings = {**made.settings, "nfse": CITY_SERVICE, "defaults": defaults}
    answer = demo.call("PUT", f"{path}/settings", json=settings)
    assert answer.is_success, answer.text
    certificates = CertificateFolder.open(demo.data / "simulator", datetime.now(UTC))
    issued = certificates.issue(made.company["taxId"], made.company["legalName"], service_time(demo))
    pfx = issued.to_pfx("segredo")
    assert upload(demo, path, pfx, "segredo") == 200
    return path, made.company["taxId"]


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


class TestNextDemo:
    def test_without_now_is_back_in_the_present_and_issues(self, night: Night, start: Start) -> None:
        night.demo.clean_up()
        demo = start(night.demo.data.parent).wait_until_ready()
        assert demo.log.count("autorizada") == 8
        assert "Relógio" not in demo.log
        panel = httpx2.get(demo.facts["simulatorControlUrl"] + "/controls").json()
        assert panel["clockOffsetSeconds"] == 0
        assert abs(service_time(demo) - datetime.now(UTC)) < timedelta(minutes=1)
