"""A company that issues documents through the API and retries until it succeeds."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2

from carimbo.fiscal.identity.tax_ids import cnpj_check_digits
from carimbo.simulator.program.certificates import CertificateFolder
from support import TIMEOUT_SECONDS

_ORDERS_AT_ONCE = 8
_PASSWORD = "carimbo"
_NUMBERS = count(1)
ISSUED_TYPES = ("nfe", "nfce", "nfse", "cte", "cteOs")
"""The issued document types: between them they cover every authority protocol."""
FILED_EVENTS = (
    *((document_type, "cancellation") for document_type in ISSUED_TYPES),
    ("nfe", "correction"),
    ("cte", "correction"),
    ("cteOs", "correction"),
    ("cte", "delivery"),
    ("cte", "deliveryCancellation"),
)
"""The events that tests file, each with its document type."""
# CT-e OS are created in a collection of their own; afterwards they are among the CT-e.
_CREATED_IN = {"cteOs": "cte-os"}
_COLLECTIONS = {"cteOs": "cte"}
_COMPANY = {
    "legalName": "Loja Modelo Comércio Ltda",
    "address": {
        "zipcode": "01310100", "street": "Avenida Paulista", "number": "1000",
        "district": "Bela Vista", "city": "São Paulo", "state": "SP",
    },
    "taxRegime": "simples",
    "simplesRate": 6,
}  # fmt: skip
_SETTINGS = {
    "nfe": {"series": 1},
    "nfse": {"series": 1, "federalServiceCode": "01.05", "issRate": 2},
    "cte": {"active": True, "series": 1, "rntrc": "12345678"},
    "nfce": {"active": True, "series": 1, "cscId": "1", "csc": "0123456789ABCDEF0123456789ABCDEF"},
}
_BUYER = {
    "taxId": "529.982.247-25",
    "name": "Maria da Silva",
    "address": {
        "zipcode": "01001-000", "street": "Praça da Sé", "number": "100",
        "district": "Sé", "city": "São Paulo", "state": "SP",
    },
}  # fmt: skip
_FREIGHT = {
    "municipalityStartIbge": "3550308",
    "municipalityEndIbge": "3550308",
    "shipper": _BUYER,
    "recipient": _BUYER,
    "cargo": {
        "amount": 900, "predominantProduct": "Canecas", "quantities": [{"unit": "KG", "quantity": 12}],
    },
    "documents": {"others": [{"type": "declaration"}]},
    "serviceAmount": 59.8,
    "icms": {},
}  # fmt: skip
_CHARTERED_TRIP = {
    "serviceType": "passengers",
    "serviceDescription": "Transporte escolar",
    "municipalityStartIbge": "3550308",
    "municipalityEndIbge": "3509502",
    "takerParty": _BUYER,
    "stateAgencyRegistration": "1" * 25,
    "charter": {"type": "continuous"},
    "serviceAmount": 59.8,
    "icms": {},
}
_WAYBILL_CORRECTION = {
    "corrections": [{"group": "compl", "field": "xObs", "value": "Entrega na Rua das Flores, 10"}]
}
_CORRECTIONS = {
    "nfe": {"correction": "O endereço de entrega é Rua das Flores, 10"},
    "cte": _WAYBILL_CORRECTION,
    "cteOs": _WAYBILL_CORRECTION,
}
_PROOF_OF_DELIVERY = {"recipientName": "Ana Ramos", "recipientDocument": "1234", "image": "iVBORw0KGgo="}
_UNUSED = "Numeração pulada por falha de sistema"


def order(document_type: str, external_id: str | None = None, notes: str | None = None) -> dict[str, Any]:
    """Returns the body of a small document."""
    items = [{"description": "Caneca", "ncm": "69120000", "quantity": 2, "unitValue": 29.9}]
    bodies: dict[str, dict[str, Any]] = {
        "nfe": {"items": items, "recipient": _BUYER, "payments": [{"method": "pix", "amount": 59.8}]},
        "nfce": {"items": items, "paymentMethod": "pix"},
        "nfse": {"serviceDescription": "Licença de uso", "amount": 59.8, "borrower": _BUYER},
        "cte": _FREIGHT,
        "cteOs": _CHARTERED_TRIP,
    }
    given = {"externalId": external_id, "notes": notes}
    return {**bodies[document_type], **{name: text for name, text in given.items() if text}}


@dataclass(frozen=True, slots=True)
class Company:
    """A company that is ready to issue, and its API client."""

    id: str
    tax_id: str
    http: httpx2.AsyncClient

    def count(self, status: str) -> str:
        """Returns an SQL expression: the number of its documents in a status."""
        return f"(select count(*) from documents where company_id = '{self.id}' and status = '{status}')"

    async def create(
        self, document_type: str, *, key: str | None = None, at: str = "", **wishes: str
    ) -> httpx2.Response:
        """Requests a document, at the usual API or at the URL `at`."""
        headers = {"Idempotency-Key": key} if key else {}
        path = f"{at}/v1/companies/{self.id}/{_CREATED_IN.get(document_type, document_type)}"
        return await self.http.post(path, json=order(document_type, **wishes), headers=headers)

    async def issue(self, document_type: str, **wishes: str) -> str:
        """Requests a document that must be accepted, and returns its id."""
        answer = await self.create(document_type, **wishes)
        assert answer.status_code == 202, answer.text
        return str(answer.json()["data"]["id"])

    async def insist(self, document_type: str, key: str, at: str = "") -> None:
        """Requests a document until it is accepted, as a client of an unstable server does."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while True:
                with suppress(httpx2.TransportError):
                    answer = await self.create(document_type, key=key, at=at)
                    if answer.status_code in (200, 202):
                        return
                    assert answer.status_code == 503, answer.text
                await asyncio.sleep(0.1)

    async def issue_many(self, how_many: int, at: str = "") -> None:
        """Requests documents of all types in turn, several at a time, and retries each until accepted."""
        document_types = [ISSUED_TYPES[turn % len(ISSUED_TYPES)] for turn in range(how_many)]
        at_once = asyncio.Semaphore(_ORDERS_AT_ONCE)

        async def insist_within_limit(document_type: str) -> None:
            async with at_once:
                await self.insist(document_type, str(uuid4()), at)

        await asyncio.gather(*map(insist_within_limit, document_types))

    async def cancel(self, document_type: str, document_id: str) -> Any:
        """Cancels a document and returns its current record."""
        return await self._send("DELETE", _document_path(document_type, document_id))

    async def file(self, document_type: str, event: str, document_id: str) -> Any:
        """Requests an event of a document and returns the answer; repeating it makes no second event."""
        path = _document_path(document_type, document_id)
        match event:
            case "cancellation":
                return await self.cancel(document_type, document_id)
            case "correction":
                return await self._send("POST", f"{path}/correction", _CORRECTIONS[document_type])
            case "delivery":
                delivered_at = (await self.read(path))["authorizedAt"]
                proof = {**_PROOF_OF_DELIVERY, "deliveredAt": delivered_at}
                return await self._send("POST", f"{path}/delivery", proof)
            case "deliveryCancellation":
                return await self._send("DELETE", f"{path}/delivery")
            case _:
                raise ValueError(f"no test files the event {event}")

    async def inutilize(self, number: int) -> Any:
        """Inutilizes one NF-e number and returns the current record."""
        inutilization = {"series": 1, "numberStart": number, "numberEnd": number, "justification": _UNUSED}
        return await self._send("POST", "nfe/inutilizations", inutilization)

    async def inutilize_gaps(self) -> Any:
        """Inutilizes every number that did not become a document."""
        return await self._send("POST", "numbering/inutilize-gaps")

    async def skip_numbers(self, document_type: str, next_number: int) -> None:
        """Makes the numbers of a type continue from a higher one."""
        await self._send("PUT", "settings", {document_type: {"number": next_number}})

    async def _send(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.http.request(method, f"/v1/companies/{self.id}/{path}", json=body)
        assert answer.status_code in (200, 202), answer.text
        return answer.json()["data"]

    async def read(self, path: str) -> Any:
        """Reads a path below the company's URL."""
        answer = await self.http.get(f"/v1/companies/{self.id}/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    async def xml(self, document_id: str) -> bytes:
        """Returns the XML of an authorized document."""
        return await self._file(f"/v1/invoices/{document_id}.xml")

    async def event_xml(self, document_type: str, document_id: str, event_id: str) -> bytes:
        """Returns the XML of a registered event."""
        path = _document_path(document_type, document_id)
        return await self._file(f"/v1/companies/{self.id}/{path}/events/{event_id}/xml")

    async def _file(self, path: str) -> bytes:
        answer = await self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.content


def _document_path(document_type: str, document_id: str) -> str:
    return f"{_COLLECTIONS.get(document_type, document_type)}/{document_id}"


async def register(http: httpx2.AsyncClient, certificates: Path) -> Company:
    """Creates a company that is ready to issue; the simulator in the folder issues its certificate."""
    first12 = f"{next(_NUMBERS):08}0001"
    tax_id, now = first12 + cnpj_check_digits(first12), datetime.now(UTC)
    created = await http.post("/v1/companies", json=_COMPANY | {"taxId": tax_id})
    path = f"/v1/companies/{created.json()['data']['id']}"
    issued = CertificateFolder.open(certificates, now).issue(tax_id, "LOJA MODELO", now)
    answers = [
        created,
        await http.put(f"{path}/settings", json=_SETTINGS),
        await http.post(f"{path}/state-registrations", json={"state": "SP", "number": "110042490114"}),
        await http.post(
            f"{path}/certificate", data={"password": _PASSWORD}, files={"file": issued.to_pfx(_PASSWORD)}
        ),
    ]
    assert {answer.status_code for answer in answers} == {200}, [answer.text for answer in answers]
    return Company(str(created.json()["data"]["id"]), tax_id, http)
