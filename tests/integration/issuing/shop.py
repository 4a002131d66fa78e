"""A company that is ready to issue goods or services, and whoever issues with it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import UUID

import httpx2
from lxml import etree

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.taxpayer import cnpj_check_digits
from carimbo.service.certificate_opener import CertificateOpener
from carimbo.service.certificates import upload_certificate
from carimbo.service.companies import find_company
from integration.issuing.floor import Floor, Template
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
NFSE_SETTINGS = {"federalServiceCode": "01.05", "issRate": 2}
DEFAULTS = {"presence": "inPerson", "paymentMethod": "cash"}
NFCE_AND_NFSE = {"nfce": NFCE_SETTINGS, "nfse": NFSE_SETTINGS, "defaults": DEFAULTS}
BODIES: dict[str, dict[str, Any]] = {"nfe": NFE, "nfce": NFCE, "nfse": NFSE}
KINDS = [*BODIES]
GOODS = ["nfe", "nfce"]
BY_NUMBERING = ["nfe", "nfse"]
"""A type whose documents we number, and one that the authority numbers."""
REFUSAL_CODES = {"nfe": "528", "nfce": "528", "nfse": "E0310"}
REFUSALS = {kind: f"SIMULA:REJEICAO:{code}" for kind, code in REFUSAL_CODES.items()}
"""Notes that the authority of each type refuses a document for."""
REFUSED = REFUSALS["nfe"]
UNANSWERED = "SIMULA:FORA_DO_AR:108:SEMPRE"
"""A note that keeps a document on its way for ever."""

# Establishments of one company share its certificate: each company of a test is another of them.
_ESTABLISHMENTS = count(2)
DETAILED = {"cityServiceCode": "1234", "federalServiceCode": "01.07", "iss": {"rate": 2}}
"""What makes a body one of the detailed form."""
CAMPINAS = ADDRESS | {"zipcode": "13010-111", "city": "Campinas"}
BRASILIA = ADDRESS | {"zipcode": "70040-010", "city": "Brasília", "state": "DF"}
PORTO_ALEGRE = ADDRESS | {"zipcode": "90010-150", "city": "Porto Alegre", "state": "RS"}


@dataclass(frozen=True)
class Shop:
    """A company of a subscription on a floor."""

    floor: Floor
    caller: Caller
    id: str
    bodies: Mapping[str, dict[str, Any]] = field(default_factory=lambda: BODIES)
    """By type, a good body of what it issues."""

    @property
    def usual(self) -> str:
        """The type that is meant where none is named: the first that it issues."""
        return next(iter(self.bodies))

    def path(self, rest: str = "") -> str:
        return f"/v1/companies/{self.id}{rest}"

    async def get(self, rest: str, **query: Any) -> httpx2.Response:
        return await self.caller.http.get(self.path(rest), params=query)

    async def post(
        self, rest: str, body: Any = None, key: str | None = None, **query: Any
    ) -> httpx2.Response:
        """POST a body, with an idempotency key if one is given."""
        headers = {} if key is None else {"Idempotency-Key": key}
        return await self.caller.http.post(self.path(rest), json=body, headers=headers, params=query)

    async def put_settings(self, **modules: Any) -> None:
        data_of(await self.caller.http.put(self.path("/settings"), json=modules))

    async def patch(self, document: dict[str, Any], **changes: Any) -> httpx2.Response:
        """Change a document as it was read."""
        body = {"version": document["version"], **changes}
        return await self.caller.http.patch(self.path(f"/invoices/{document['id']}"), json=body)

    async def emit(self, document: dict[str, Any]) -> httpx2.Response:
        return await self.post(f"/invoices/{document['id']}/emit")

    async def create(self, kind: str | None = None, **changes: Any) -> dict[str, Any]:
        """Have a document accepted; a field that is None is not sent."""
        chosen = kind or self.usual
        return accepted(await self.post(f"/{chosen}", changed(self.bodies[chosen], changes)))

    async def issue(self, kind: str | None = None, **changes: Any) -> dict[str, Any]:
        """Have a document brought to its outcome."""
        return await self.settled(await self.create(kind, **changes))

    async def settled(self, document: dict[str, Any]) -> dict[str, Any]:
        """Wait for a document's outcome."""
        await self.floor.until(
            f"(select status <> 'processing' from documents where id = '{UUID(document['id'])}')"
        )
        return await self.read(document)

    async def read(self, document: dict[str, Any]) -> dict[str, Any]:
        return dict(data_of(await self.get(f"/{document['type']}/{document['id']}")))

    async def events(self, document: dict[str, Any]) -> list[dict[str, Any]]:
        return list(data_of(await self.get(f"/{document['type']}/{document['id']}/events")))

    async def journal(self, document: dict[str, Any]) -> list[dict[str, Any]]:
        """What the simulator was sent of a document, by the key or Id that we gave it."""
        query = "select access_key from emissions where document_id = $1 order by ordinal desc"
        row, *_ = await self.floor.fetch(query, UUID(document["id"]))
        return await self.floor.journal(row["access_key"])

    async def count(self) -> int:
        """How many documents there are, by the rows themselves."""
        (row,) = await self.floor.fetch("select count(*) from documents where company_id = $1", UUID(self.id))
        return int(row["count"])

    async def certify(self, certificate: A1Certificate, now: datetime | None = None) -> None:
        """Give the company a certificate that is open already, at a moment at which it was good."""
        database, owner = self.floor.database, self.caller.subscription_id
        company = await find_company(database, owner, UUID(self.id))
        opener = _Opened(0, certificate=certificate)
        await upload_certificate(database, opener, owner, company, b"", "", now or datetime.now(UTC))


@dataclass(frozen=True)
class _Opened(CertificateOpener):
    """Opens nothing: it would take every shop a process and a good part of a second."""

    certificate: A1Certificate = field(kw_only=True)

    async def open(self, pfx: bytes, password: str, subscription_id: UUID) -> A1Certificate:
        return self.certificate


NewShop = Callable[..., Awaitable[Shop]]


@asynccontextmanager
async def shop_maker(
    floor: Floor,
    certificate: A1Certificate,
    open_shop: Callable[[Floor, Caller, A1Certificate], Awaitable[Shop]],
) -> AsyncIterator[NewShop]:
    """Makes shops for the length of a block; work that they leave ends with it."""
    made: list[str] = []

    async def make(caller: Caller | None = None, plan: str = "unlimited") -> Shop:
        shop = await open_shop(floor, caller or await floor.new_caller(plan), certificate)
        made.append(shop.id)
        return shop

    yield make
    await floor.give_up(made)


async def bare_shop(floor: Floor, caller: Caller, tax_id: str | None = None, **fields: Any) -> Shop:
    """A company that has nothing yet."""
    company_id = await caller.create_company(tax_id or _next_tax_id(), **fields)
    return Shop(floor, caller, company_id)


def _next_tax_id() -> str:
    """Returns the CNPJ of an establishment that no other company of this run is."""
    first = f"{CNPJ[:8]}{next(_ESTABLISHMENTS):04}"
    return first + cnpj_check_digits(first)


async def ready_shop(
    floor: Floor, caller: Caller, certificate: A1Certificate, tax_id: str | None = None
) -> Shop:
    """A company of the Simples Nacional in São Paulo that lacks nothing."""
    return await _copied(floor, caller, certificate, tax_id, NFCE_AND_NFSE)


async def registered_shop(
    floor: Floor, caller: Caller, certificate: A1Certificate, tax_id: str | None = None
) -> Shop:
    """The same company without settings, which is what document types share."""
    return await _copied(floor, caller, certificate, tax_id, {})


async def _copied(
    floor: Floor, caller: Caller, certificate: A1Certificate, tax_id: str | None, settings: dict[str, Any]
) -> Shop:
    """Copies a company that was made once through the API: that takes a tenth of its time."""
    key = (certificate.certificate_der, *settings)
    if key not in floor.templates:
        floor.templates[key] = await _template(floor, certificate, tax_id, settings)
    template = floor.templates[key]
    company_id = await template.copy(floor.database, caller.subscription_id, tax_id or _next_tax_id())
    return Shop(floor, caller, str(company_id))


async def _template(
    floor: Floor, certificate: A1Certificate, tax_id: str | None, settings: dict[str, Any]
) -> Template:
    """Makes a company through the API, as its owner would."""
    caller = await floor.new_caller()
    shop = await bare_shop(floor, caller, tax_id, address=ADDRESS, taxRegime="simples", simplesRate=6)
    data_of(await shop.post("/state-registrations", REGISTRATION))
    await shop.certify(certificate)
    if settings:
        await shop.put_settings(**settings)
    return await Template.of(floor.database, caller.subscription_id, UUID(shop.id))


def body_of(kind: str, **changes: Any) -> dict[str, Any]:
    """A good body with changes; a field that is None is left out."""
    return changed(BODIES[kind], changes)


def changed(body: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A body with changes; a field that is None is left out."""
    return {name: value for name, value in (body | changes).items() if value is not None}


def accepted(answer: httpx2.Response) -> dict[str, Any]:
    """The record of a document that was just made."""
    assert answer.status_code == 202, answer.text
    assert answer.json()["success"] is True
    return dict(answer.json()["data"])


def error_of(answer: httpx2.Response, status: int, code: str) -> Any:
    """The details of a refusal, which must be this one."""
    body = answer.json()
    assert (answer.status_code, body["success"], body["error"]["code"]) == (status, False, code), answer.text
    return body["error"]["details"]


def own_number(document: dict[str, Any]) -> int:
    """The number that we gave a document: that of its DPS, where the authority gives it another."""
    return own_place(document)[1]


def own_place(document: dict[str, Any]) -> tuple[int, int]:
    """The series and the number that we gave a document."""
    given = document["dps"] or document
    return given["series"], given["number"]


async def provider_in(
    floor: Floor, certificate: A1Certificate, address: dict[str, str], **fields: Any
) -> Shop:
    """A company that its municipality knows, and the tax office of its state does not."""
    known: dict[str, Any] = {"taxRegime": "simples", "simplesRate": 6} | fields
    shop = await bare_shop(floor, await floor.new_caller(), address=address, **known)
    await shop.put_settings(nfse=NFSE_SETTINGS)
    await shop.certify(certificate)
    return shop


async def note_of(shop: Shop, document: dict[str, Any]) -> "Note":
    """The NFS-e that the authority made of a document."""
    answer = await shop.get(f"/nfse/{document['id']}/xml")
    assert answer.status_code == 200, answer.text
    return Note(answer.content)


class Note:
    """An NFS-e, or a DPS, by its official names."""

    def __init__(self, xml: bytes) -> None:
        self._root = etree.fromstring(xml)

    def text(self, path: str) -> str | None:
        """What stands at a path, which begins anywhere."""
        return self._root.findtext(".//" + "/".join(f"{{*}}{name}" for name in path.split("/")))
