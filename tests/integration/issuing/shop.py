"""A company that is ready to issue documents, and helpers to issue them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import UUID

import httpx2
from lxml import etree

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.tax_ids import cnpj_check_digits
from carimbo.service.companies.certificates import CertificateOpener, upload_certificate
from carimbo.service.companies.registration import find_company
from integration.issuing.system import System, Template
from support import CNPJ, Caller, data_of

ADDRESS = {
    "zipcode": "01310-100",
    "street": "Avenida Paulista",
    "number": "1000",
    "district": "Bela Vista",
    "city": "São Paulo",
    "state": "SP",
}
REGISTRATION = {"state": "SP", "number": "110042490114"}
CSC = {"cscId": "1", "csc": "0123456789ABCDEF0123456789ABCDEF"}
NFCE_SETTINGS = {"active": True, **CSC, "homologation": CSC}
MUG = {
    "description": "Caneca",
    "ncm": "69120000",
    "quantity": 2,
    "unitValue": 29.9,
    "approximateTaxes": 18.81,
}
RECIPIENT = {"taxId": "529.982.247-25", "name": "Maria da Silva", "address": ADDRESS}
NFE = {"recipient": RECIPIENT, "items": [MUG], "payments": [{"method": "pix", "amount": 59.8}]}
NFCE = {"paymentMethod": "cash", "items": [MUG]}
BORROWER = {"taxId": "529.982.247-25", "name": "Maria da Silva"}
NFSE = {"serviceDescription": "Assinatura mensal", "amount": 59.8, "borrower": BORROWER}
FACTORY = {
    "taxId": "44.555.666/0001-81",
    "name": "Indústria Paulista S.A.",
    "stateRegistration": "115.223.386.110",
    "address": ADDRESS,
}
STORE = {
    "taxId": "11.444.777/0001-61",
    "name": "Lojas Guanabara Ltda",
    "stateRegistration": "99999993",
    "address": {
        "zipcode": "20040-030", "street": "Rua do Ouvidor", "number": "50",
        "district": "Centro", "city": "Rio de Janeiro", "state": "RJ",
    },
}  # fmt: skip
CARGO = {
    "amount": 50_000,
    "predominantProduct": "Aparelhos eletrônicos",
    "quantities": [{"unit": "KG", "quantity": 1500}],
}
# The authorities refuse NF-e that are older than six months.
CARRIED_NFE = str(
    AccessKey.of_issue(
        datetime.now(UTC),
        state_code="35",
        tax_id="44555666000181",
        model="55",
        series=1,
        number=3101,
        emission_type="1",
        numeric_code="20261122",
    )
)
CTE = {
    "municipalityStartIbge": "3550308",
    "municipalityEndIbge": "3304557",
    "shipper": FACTORY,
    "recipient": STORE,
    "cargo": CARGO,
    "documents": {"nfes": [{"accessKey": CARRIED_NFE}]},
    "cfop": "6353",
    "serviceAmount": 59.8,
    "icms": {},
}
CTE_OS = {
    "serviceType": "passengers",
    "serviceDescription": "Fretamento contínuo",
    "municipalityStartIbge": "3550308",
    "municipalityEndIbge": "3304557",
    "takerParty": FACTORY,
    "taf": "123456789012",
    "charter": {"type": "continuous"},
    "cfop": "6353",
    "serviceAmount": 59.8,
    "icms": {},
    "federalTaxes": {"inss": 0},
}
MDFE: dict[str, Any] = {
    "municipalityStartIbge": "3550308",
    "modal": {"vehicle": {"plate": "FGH2J45", "tareKg": 6800, "wheelType": "toco", "bodyType": "closed"}},
    "drivers": [{"name": "João Batista Pereira", "taxId": "529.982.247-25"}],
    "documents": [{"cityCode": "3304557", "nfeAccessKeys": [CARRIED_NFE]}],
    "cargoTotalAmount": 59.8,
    "cargoQuantity": 532,
}
CTE_SETTINGS = {"active": True, "rntrc": "12345678"}
NFSE_SETTINGS = {"federalServiceCode": "01.05", "issRate": 2}
DEFAULTS = {"presence": "inPerson", "paymentMethod": "cash"}
MODULE_SETTINGS = {
    "nfce": NFCE_SETTINGS,
    "nfse": NFSE_SETTINGS,
    "cte": CTE_SETTINGS,
    "defaults": DEFAULTS,
}
BODIES: dict[str, dict[str, Any]] = {"nfe": NFE, "nfce": NFCE, "nfse": NFSE, "cte": CTE}
KINDS = [*BODIES]
INVOICES = ["nfe", "nfce", "nfse"]
"""Types that share their idempotency keys, and that sales may create."""
GOODS = ["nfe", "nfce"]
BY_NUMBERING = ["nfe", "nfse"]
"""A type whose documents we number, and one whose documents the authority numbers."""
REFUSAL_CODES = {"nfe": "528", "nfce": "528", "nfse": "E0310", "cte": "746"}
REFUSALS = {document_type: f"SIMULA:REJEICAO:{code}" for document_type, code in REFUSAL_CODES.items()}
"""Notes that make the simulated authority of each type refuse a document."""
REFUSED = REFUSALS["nfe"]
UNANSWERED = "SIMULA:FORA_DO_AR:108:SEMPRE"
"""A note that keeps a document in process for ever."""

# Establishments of one company share its certificate: each company of a test is another establishment.
_ESTABLISHMENTS = count(2)
DETAILED = {"cityServiceCode": "1234", "federalServiceCode": "01.07", "iss": {"rate": 2}}
"""The fields of a body in the detailed form."""
CAMPINAS = ADDRESS | {"zipcode": "13010-111", "city": "Campinas"}
BRASILIA = ADDRESS | {"zipcode": "70040-010", "city": "Brasília", "state": "DF"}
PORTO_ALEGRE = ADDRESS | {"zipcode": "90010-150", "city": "Porto Alegre", "state": "RS"}


@dataclass(frozen=True)
class Shop:
    """A company of a subscription, with requests to the API."""

    system: System
    caller: Caller
    id: str
    bodies: Mapping[str, dict[str, Any]] = field(default_factory=lambda: BODIES)
    """A valid body for each type that it issues."""

    @property
    def usual(self) -> str:
        """The default type: the first that it issues."""
        return next(iter(self.bodies))

    def path(self, rest: str = "") -> str:
        return f"/v1/companies/{self.id}{rest}"

    async def get(self, rest: str, **query: Any) -> httpx2.Response:
        return await self.caller.http.get(self.path(rest), params=query)

    async def post(
        self, rest: str, body: Any = None, key: str | None = None, **query: Any
    ) -> httpx2.Response:
        """Posts a body, with an idempotency key if there is one."""
        headers = {} if key is None else {"Idempotency-Key": key}
        return await self.caller.http.post(self.path(rest), json=body, headers=headers, params=query)

    async def put_settings(self, **modules: Any) -> None:
        data_of(await self.caller.http.put(self.path("/settings"), json=modules))

    async def patch(self, document: dict[str, Any], **changes: Any) -> httpx2.Response:
        """Changes a document, with the version that was read."""
        body = {"version": document["version"], **changes}
        return await self.caller.http.patch(self.path(f"/invoices/{document['id']}"), json=body)

    async def emit(self, document: dict[str, Any]) -> httpx2.Response:
        return await self.post(f"/invoices/{document['id']}/emit")

    async def create(self, document_type: str | None = None, **changes: Any) -> dict[str, Any]:
        """Creates a document; a field that is None is not sent."""
        chosen = document_type or self.usual
        return accepted(await self.post(f"/{chosen}", changed(self.bodies[chosen], changes)))

    async def issue(self, document_type: str | None = None, **changes: Any) -> dict[str, Any]:
        """Creates a document and waits for its outcome."""
        return await self.settled(await self.create(document_type, **changes))

    async def settled(self, document: dict[str, Any]) -> dict[str, Any]:
        """Waits for a document's outcome."""
        await self.system.until(
            f"(select status <> 'processing' from documents where id = '{UUID(document['id'])}')"
        )
        return await self.read(document)

    async def read(self, document: dict[str, Any]) -> dict[str, Any]:
        return dict(data_of(await self.get(f"/{read_collection(document)}/{document['id']}")))

    async def events(self, document: dict[str, Any]) -> list[dict[str, Any]]:
        return list(data_of(await self.get(f"/{read_collection(document)}/{document['id']}/events")))

    async def journal(self, document: dict[str, Any]) -> list[dict[str, Any]]:
        """Returns the simulator's journal of a document, by the key or Id that we gave it."""
        query = "select access_key from emissions where document_id = $1 order by ordinal desc"
        row, *_ = await self.system.fetch(query, UUID(document["id"]))
        return await self.system.journal(row["access_key"])

    async def count(self) -> int:
        """Returns the number of documents, read from the database."""
        (row,) = await self.system.fetch(
            "select count(*) from documents where company_id = $1", UUID(self.id)
        )
        return int(row["count"])

    async def set_certificate(self, certificate: A1Certificate, now: datetime | None = None) -> None:
        """Gives the company a certificate at a moment at which it was valid."""
        database, owner = self.system.database, self.caller.subscription_id
        company = await find_company(database, owner, UUID(self.id))
        opener = _Opened(0, certificate=certificate)
        await upload_certificate(database, opener, owner, company, b"", "", now or datetime.now(UTC))


@dataclass(frozen=True)
class _Opened(CertificateOpener):
    """Returns an open certificate: opening one takes a process and a good part of a second."""

    certificate: A1Certificate = field(kw_only=True)

    async def open(self, pfx: bytes, password: str, subscription_id: UUID) -> A1Certificate:
        return self.certificate


NewShop = Callable[..., Awaitable[Shop]]


@asynccontextmanager
async def shop_maker(
    system: System,
    certificate: A1Certificate,
    open_shop: Callable[[System, Caller, A1Certificate], Awaitable[Shop]],
) -> AsyncIterator[NewShop]:
    """Makes shops for the length of a block, and ends their pending work after it."""
    company_ids: list[str] = []

    async def make(caller: Caller | None = None, plan: str = "unlimited") -> Shop:
        shop = await open_shop(system, caller or await system.new_caller(plan), certificate)
        company_ids.append(shop.id)
        return shop

    yield make
    await system.give_up(company_ids)


async def bare_shop(system: System, caller: Caller, tax_id: str | None = None, **fields: Any) -> Shop:
    """Creates a company without any further data."""
    company_id = await caller.create_company(tax_id or _next_tax_id(), **fields)
    return Shop(system, caller, company_id)


async def sister_of(shop: Shop) -> Shop:
    """Creates another establishment of the same company, in the same subscription and with all settings."""
    templates = shop.system.templates.items()
    template = next(template for (_, *settings), template in templates if settings)
    company_id = await template.copy(shop.system.database, shop.caller.subscription_id, _next_tax_id())
    return Shop(shop.system, shop.caller, str(company_id))


def _next_tax_id() -> str:
    """Returns the CNPJ of an establishment that no other test company has."""
    first = f"{CNPJ[:8]}{next(_ESTABLISHMENTS):04}"
    return first + cnpj_check_digits(first)


async def ready_shop(
    system: System, caller: Caller, certificate: A1Certificate, tax_id: str | None = None
) -> Shop:
    """Creates a complete company of the Simples Nacional in São Paulo."""
    return await _copied(system, caller, certificate, tax_id, MODULE_SETTINGS)


async def registered_shop(
    system: System, caller: Caller, certificate: A1Certificate, tax_id: str | None = None
) -> Shop:
    """Creates the same company without settings; it has what all document types share."""
    return await _copied(system, caller, certificate, tax_id, {})


async def _copied(
    system: System, caller: Caller, certificate: A1Certificate, tax_id: str | None, settings: dict[str, Any]
) -> Shop:
    """Copies a company that was created once through the API: this takes a tenth of the time."""
    key = (certificate.certificate_der, *settings)
    if key not in system.templates:
        system.templates[key] = await _template(system, certificate, tax_id, settings)
    template = system.templates[key]
    company_id = await template.copy(system.database, caller.subscription_id, tax_id or _next_tax_id())
    return Shop(system, caller, str(company_id))


async def _template(
    system: System, certificate: A1Certificate, tax_id: str | None, settings: dict[str, Any]
) -> Template:
    """Creates a company through the API."""
    caller = await system.new_caller()
    shop = await bare_shop(system, caller, tax_id, address=ADDRESS, taxRegime="simples", simplesRate=6)
    data_of(await shop.post("/state-registrations", REGISTRATION))
    await shop.set_certificate(certificate)
    if settings:
        await shop.put_settings(**settings)
    return await Template.of(system.database, caller.subscription_id, UUID(shop.id))


def read_collection(document: dict[str, Any]) -> str:
    """Returns the collection in which a document is read; CT-e OS are read among the CT-e."""
    return "cte" if document["type"] == "cteOs" else str(document["type"])


def body_of(document_type: str, **changes: Any) -> dict[str, Any]:
    """Returns a valid body with changes; a field that is None is left out."""
    return changed(BODIES[document_type], changes)


def changed(body: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Returns the body with changes; a field that is None is left out."""
    return {name: value for name, value in (body | changes).items() if value is not None}


def accepted(answer: httpx2.Response) -> dict[str, Any]:
    """Returns the record of a document that was just created."""
    assert answer.status_code == 202, answer.text
    assert answer.json()["success"] is True
    return dict(answer.json()["data"])


def error_of(answer: httpx2.Response, status: int, code: str) -> Any:
    """Returns the details of an error, which must have this status and code."""
    body = answer.json()
    assert (answer.status_code, body["success"], body["error"]["code"]) == (status, False, code), answer.text
    return body["error"]["details"]


def own_number(document: dict[str, Any]) -> int:
    """Returns the number that we gave a document: that of its DPS, where the authority assigns another."""
    return own_series_and_number(document)[1]


def own_series_and_number(document: dict[str, Any]) -> tuple[int, int]:
    """Returns the series and the number that we gave a document."""
    given = document["dps"] or document
    return given["series"], given["number"]


async def provider_in(
    system: System, certificate: A1Certificate, address: dict[str, str], **fields: Any
) -> Shop:
    """Creates a company that issues only NFS-e: it has no state registration."""
    company: dict[str, Any] = {"taxRegime": "simples", "simplesRate": 6} | fields
    shop = await bare_shop(system, await system.new_caller(), address=address, **company)
    await shop.put_settings(nfse=NFSE_SETTINGS)
    await shop.set_certificate(certificate)
    return shop


async def note_of(shop: Shop, document: dict[str, Any]) -> "Note":
    """Returns the NFS-e that the authority made from a document."""
    answer = await shop.get(f"/nfse/{document['id']}/xml")
    assert answer.status_code == 200, answer.text
    return Note(answer.content)


class Note:
    """An NFS-e, or a DPS, by its official names."""

    def __init__(self, xml: bytes) -> None:
        self._root = etree.fromstring(xml)

    def text(self, path: str) -> str | None:
        """Returns the text at a path, which may begin at any depth."""
        return self._root.findtext(".//" + "/".join(f"{{*}}{name}" for name in path.split("/")))
