"""A company that issues documents through the API and retries until it succeeds."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from string import ascii_uppercase
from typing import Any
from uuid import uuid4

import httpx2

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.tax_ids import cnpj_check_digits
from carimbo.simulator.program.certificates import CertificateFolder
from support import TIMEOUT_SECONDS

_ORDERS_AT_ONCE = 8
_PASSWORD = "carimbo"
_NUMBERS = count(1)
ISSUED_TYPES = ("nfe", "nfce", "nfse", "cte", "cteOs", "mdfe")
"""The issued document types: between them they cover every authority protocol."""
FILED_EVENTS = (
    *((document_type, "cancellation") for document_type in ISSUED_TYPES),
    ("nfe", "correction"),
    ("cte", "correction"),
    ("cteOs", "correction"),
    ("cte", "delivery"),
    ("cte", "deliveryCancellation"),
    ("mdfe", "close"),
    ("mdfe", "driverInclusion"),
    ("mdfe", "documentInclusion"),
    ("mdfe", "payment"),
)
"""The events that tests file, each with its document type."""
# CT-e OS are created in a collection of their own; afterwards they are among the CT-e.
_CREATED_IN = {"cteOs": "cte-os"}
_COLLECTIONS = {"cteOs": "cte"}
# The field of the notes, where it is not `notes`.
_NOTES = {"mdfe": "additional"}
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
# Yesterday: this month may not have begun in Brazil.
_CARRIED_NFES = [
    str(
        AccessKey.of_issue(
            datetime.now(UTC) - timedelta(days=1),
            state_code="35",
            tax_id="44555666000181",
            model="55",
            series=1,
            number=number,
            emission_type="1",
            numeric_code="20261122",
        )
    )
    for number in (3101, 3102)
]
_TRUCK = {"tareKg": 6800, "wheelType": "toco", "bodyType": "closed"}
_OWN_CARGO = {
    "municipalityStartIbge": "3550308",
    "modal": {"vehicle": _TRUCK},
    "drivers": [{"name": "João Batista Pereira", "taxId": "529.982.247-25"}],
    "documents": [{"cityCode": "3304557", "nfeAccessKeys": _CARRIED_NFES}],
    "cargoTotalAmount": 59.8,
    "cargoQuantity": 532,
}
_CARRIER = {
    "taxId": "390.533.447-05",
    "name": "Marcos Vinícius Lima",
    "rntrc": "87654321",
    "type": "aggregatedTac",
}
# Events that are registered only for certain MDF-e, by name, with the fields of such an MDF-e.
_OF_EVENTS: dict[str, dict[str, Any]] = {
    "documentInclusion": {
        "laterLoading": True,
        "documents": [],
        "cargoTotalAmount": None,
        "cargoQuantity": None,
    },
    "payment": {
        "modal": {
            "vehicle": {**_TRUCK, "owner": _CARRIER},
            "ciots": [{"ciot": "123456789012", "taxId": "44.455.566/0001-83"}],
        },
        "predominantProduct": {"cargoType": "general", "description": "Canecas"},
    },
}
# An open MDF-e blocks others of its vehicle (611).
_PLATES = (f"ABC{number // 100 % 10}{ascii_uppercase[number // 1000]}{number % 100:02}" for number in count())
_WAYBILL_CORRECTION = {
    "corrections": [{"group": "compl", "field": "xObs", "value": "Entrega na Rua das Flores, 10"}]
}
_CORRECTIONS = {
    "nfe": {"correction": "O endereço de entrega é Rua das Flores, 10"},
    "cte": _WAYBILL_CORRECTION,
    "cteOs": _WAYBILL_CORRECTION,
}
_JUSTIFICATIONS = {"mdfe": {"justification": "Viagem não iniciada por falta de carga"}}
"""The bodies of cancellations, for types that require one."""
_MDFE_EVENTS = {
    "close": ("close", {"cityCode": "3304557"}),
    "driverInclusion": ("drivers", {"name": "Marcos Vinícius Lima", "taxId": "390.533.447-05"}),
    "documentInclusion": (
        "documents",
        {
            "loadingCityCode": "3550308",
            "documents": [{"cityCode": "3550308", "nfeAccessKeys": _CARRIED_NFES}],
        },
    ),
    "payment": (
        "payments",
        {
            "trips": {"total": 2, "current": 1},
            "payments": [
                {
                    "payerTaxId": "44.455.566/0001-83",
                    "components": [{"type": "freight", "amount": 3000}],
                    "pixKey": "marcos@example.com",
                }
            ],
        },
    ),
}
"""Where the other events of an MDF-e are posted, and their bodies."""
_PROOF_OF_DELIVERY = {"recipientName": "Ana Ramos", "recipientDocument": "1234", "image": "iVBORw0KGgo="}
_UNUSED = "Numeração pulada por falha de sistema"


def order(
    document_type: str, external_id: str | None = None, notes: str | None = None, event: str | None = None
) -> dict[str, Any]:
    """Returns the body of a small document, which can have an event if one is named."""
    items = [{"description": "Caneca", "ncm": "69120000", "quantity": 2, "unitValue": 29.9}]
    bodies: dict[str, dict[str, Any]] = {
        "nfe": {"items": items, "recipient": _BUYER, "payments": [{"method": "pix", "amount": 59.8}]},
        "nfce": {"items": items, "paymentMethod": "pix"},
        "nfse": {"serviceDescription": "Licença de uso", "amount": 59.8, "borrower": _BUYER},
        "cte": _FREIGHT,
        "cteOs": _CHARTERED_TRIP,
    }
    given = {"externalId": external_id, _NOTES.get(document_type, "notes"): notes}
    body = _trip(event) if document_type == "mdfe" else bodies[document_type]
    return {**body, **{name: text for name, text in given.items() if text}}


def _trip(event: str | None) -> dict[str, Any]:
    """Returns the body of an MDF-e on a vehicle of its own."""
    body: dict[str, Any] = {**_OWN_CARGO, **_OF_EVENTS.get(event or "", {})}
    modal = body["modal"]
    return {**body, "modal": {**modal, "vehicle": {**modal["vehicle"], "plate": next(_PLATES)}}}


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
        return await self.post_order(document_type, order(document_type, **wishes), key=key, at=at)

    async def post_order(
        self, document_type: str, body: dict[str, Any], *, key: str | None = None, at: str = ""
    ) -> httpx2.Response:
        """Requests a document with this body."""
        headers = {"Idempotency-Key": key} if key else {}
        path = f"{at}/v1/companies/{self.id}/{_CREATED_IN.get(document_type, document_type)}"
        return await self.http.post(path, json=body, headers=headers)

    async def issue(self, document_type: str, **wishes: str) -> str:
        """Requests a document that must be accepted, and returns its id."""
        answer = await self.create(document_type, **wishes)
        assert answer.status_code == 202, answer.text
        return str(answer.json()["data"]["id"])

    async def insist(self, document_type: str, key: str, at: str = "") -> None:
        """Requests a document until it is accepted, as a client of an unstable server does."""
        body = order(document_type)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while True:
                with suppress(httpx2.TransportError):
                    answer = await self.post_order(document_type, body, key=key, at=at)
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
        path = _document_path(document_type, document_id)
        return await self._send("DELETE", path, _JUSTIFICATIONS.get(document_type))

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
            case _ if event in _MDFE_EVENTS:
                place, body = _MDFE_EVENTS[event]
                return await self._send("POST", f"{path}/{place}", body)
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
