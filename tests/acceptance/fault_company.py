"""A company that orders documents, and does not give up."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2

from carimbo.fiscal.taxpayer import cnpj_check_digits
from carimbo.simulator.certificates import CertificateFolder
from support import PATIENCE

_ORDERS_AT_ONCE = 8
_PASSWORD = "carimbo"
_NUMBERS = count(1)
KINDS = ("nfe", "nfce", "nfse")
"""The types that are issued, one of every way to an authority."""
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
_CORRECTION = {"correction": "O endereço de entrega é Rua das Flores, 10"}
_UNUSED = "Numeração pulada por falha de sistema"


def order(kind: str, external_id: str | None = None, notes: str | None = None) -> dict[str, Any]:
    """The body of a small sale."""
    items = [{"description": "Caneca", "ncm": "69120000", "quantity": 2, "unitValue": 29.9}]
    of_kind: dict[str, dict[str, Any]] = {
        "nfe": {"items": items, "recipient": _BUYER, "payments": [{"method": "pix", "amount": 59.8}]},
        "nfce": {"items": items, "paymentMethod": "pix"},
        "nfse": {"serviceDescription": "Licença de uso", "amount": 59.8, "borrower": _BUYER},
    }
    given = {"externalId": external_id, "notes": notes}
    return {**of_kind[kind], **{name: text for name, text in given.items() if text}}


@dataclass(frozen=True, slots=True)
class Company:
    """A company that is ready to issue, and its owner's way to the API."""

    id: str
    tax_id: str
    http: httpx2.AsyncClient

    def count(self, status: str) -> str:
        """An SQL expression: how many documents it has in a status."""
        return f"(select count(*) from documents where company_id = '{self.id}' and status = '{status}')"

    async def create(
        self, kind: str, *, key: str | None = None, at: str = "", **wishes: str
    ) -> httpx2.Response:
        """Order a document, at another API than the usual one if told so."""
        headers = {"Idempotency-Key": key} if key else {}
        path = f"{at}/v1/companies/{self.id}/{kind}"
        return await self.http.post(path, json=order(kind, **wishes), headers=headers)

    async def issue(self, kind: str, **wishes: str) -> str:
        """Order a document that must be accepted; tells its id."""
        answer = await self.create(kind, **wishes)
        assert answer.status_code == 202, answer.text
        return str(answer.json()["data"]["id"])

    async def insist(self, kind: str, key: str, at: str = "") -> None:
        """Order a document until that is answered well, as a client does whose server comes and goes."""
        async with asyncio.timeout(PATIENCE):
            while True:
                with suppress(httpx2.TransportError):
                    answer = await self.create(kind, key=key, at=at)
                    if answer.status_code in (200, 202):
                        return
                    assert answer.status_code == 503, answer.text
                await asyncio.sleep(0.1)

    async def issue_many(self, how_many: int, at: str = "") -> None:
        """Order documents of all types by turns, several at a time, and insist on each."""
        kinds = [KINDS[turn % len(KINDS)] for turn in range(how_many)]
        at_once = asyncio.Semaphore(_ORDERS_AT_ONCE)

        async def one(kind: str) -> None:
            async with at_once:
                await self.insist(kind, str(uuid4()), at)

        await asyncio.gather(*map(one, kinds))

    async def cancel(self, kind: str, document_id: str) -> Any:
        """Take a document back; tells what is known of that for now."""
        return await self._tell("DELETE", f"{kind}/{document_id}")

    async def correct(self, document_id: str) -> Any:
        """Correct an NF-e; tells what is known of that for now."""
        return await self._tell("POST", f"nfe/{document_id}/correction", _CORRECTION)

    async def inutilize(self, number: int) -> Any:
        """Give up a number of NF-e; tells what is known of that for now."""
        given_up = {"series": 1, "numberStart": number, "numberEnd": number, "justification": _UNUSED}
        return await self._tell("POST", "nfe/inutilizations", given_up)

    async def inutilize_gaps(self) -> Any:
        """Give up every number that did not become a document."""
        return await self._tell("POST", "numbering/inutilize-gaps")

    async def skip_numbers(self, kind: str, next_number: int) -> None:
        """Let the numbers of a type go on from a higher one."""
        await self._tell("PUT", "settings", {kind: {"number": next_number}})

    async def _tell(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.http.request(method, f"/v1/companies/{self.id}/{path}", json=body)
        assert answer.status_code in (200, 202), answer.text
        return answer.json()["data"]

    async def read(self, path: str) -> Any:
        """Read what is below the company's address."""
        answer = await self.http.get(f"/v1/companies/{self.id}/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    async def xml(self, document_id: str) -> bytes:
        """The file of a document that is authorised."""
        return await self._file(f"/v1/invoices/{document_id}.xml")

    async def event_xml(self, kind: str, document_id: str, event_id: str) -> bytes:
        """The file of an event that is registered."""
        return await self._file(f"/v1/companies/{self.id}/{kind}/{document_id}/events/{event_id}/xml")

    async def _file(self, path: str) -> bytes:
        answer = await self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.content


async def register(http: httpx2.AsyncClient, certificates: Path) -> Company:
    """Make a company with everything that it needs; its certificate is of the simulator in a folder."""
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
