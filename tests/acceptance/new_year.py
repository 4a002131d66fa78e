"""A company of the normal regime in a demo that begins shortly before 2027, and what it issues."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from lxml import etree

from acceptance.demo_errands import upload
from acceptance.demo_runs import START_SECONDS, Demo, until
from carimbo.demo.sample_company import sample_company
from carimbo.demo.samples import NFE_BODY
from carimbo.simulator.certificates import CertificateFolder

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
