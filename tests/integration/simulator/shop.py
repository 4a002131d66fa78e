"""A shop that issues at a running simulator with our own library and our own client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

import httpx2

from carimbo.authorities.nfe import NfeSefaz
from carimbo.authorities.pacing import Pacing
from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.emission import Contingency, Emission, EmissionType, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    CancellationBySubstitution,
    Correction,
    Detail,
    Event,
    issue_event,
)
from carimbo.fiscal.layouts.nfe_v4.inutilization import Inutilization, issue_inutilization
from carimbo.fiscal.outcome import Authorized, Outcome
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.main.authorities import endpoints_of, transport_of
from carimbo.settings import Settings
from carimbo.simulator.run import Simulator
from support import CNPJ
from unit.fiscal.goods.support import SCHEMAS, emission, issued_nfce, issued_nfe

STATE, STATE_CODE = "SP", "35"
REASON = "Venda desfeita a pedido do cliente"
_NUMBERS = count(1_000)


@asynccontextmanager
async def sefaz_of(settings: Settings) -> AsyncIterator[NfeSefaz]:
    """Our client of the authorities of goods, as the program makes it."""
    async with transport_of(settings) as transport:
        yield NfeSefaz(transport.exchange, endpoints_of(settings), Pacing())


@dataclass(frozen=True)
class Shop:
    """The shop, with its certificate and the way to the simulator."""

    sefaz: NfeSefaz
    simulator: Simulator
    certificate: A1Certificate

    @property
    def sender(self) -> Sender:
        return Sender(self.certificate, CNPJ, Environment.HOMOLOGATION)

    @property
    def signer(self) -> Signer:
        return Signer.of(self.certificate)

    def nfe(self, **changes: Any) -> SignedDocument:
        """A new NF-e."""
        under = changes.pop("under", None) or place()
        return _made(issued_nfe(self.signer, under=under, **changes))

    def nfce(self, **changes: Any) -> SignedDocument:
        """A new NFC-e."""
        under = changes.pop("under", None) or place()
        return _made(issued_nfce(self.signer, under=under, **changes))

    async def issue(self, document: SignedDocument) -> Authorized:
        """Have a document authorised."""
        outcome = await self.sefaz.send(self.sender, document)
        assert isinstance(outcome, Authorized), outcome
        return outcome

    async def cancel(self, document: SignedDocument, protocol: str, reason: str = REASON) -> Outcome:
        return await self.register(document, Cancellation(protocol=protocol, reason=reason))

    async def correct(self, document: SignedDocument, text: str, sequence: int = 1) -> Outcome:
        return await self.register(document, Correction(correction=text), sequence)

    async def replace(self, document: SignedDocument, protocol: str, by: SignedDocument) -> Outcome:
        detail = CancellationBySubstitution(
            author_state_code=STATE_CODE,
            application_version="carimbo",
            protocol=protocol,
            reason=REASON,
            replaced_by=by.access_key,
        )
        return await self.register(document, detail)

    async def register(self, document: SignedDocument, detail: Detail, sequence: int = 1) -> Outcome:
        """Tell the authority of an event."""
        event = self.event(document, detail, sequence)
        return await self.sefaz.register_event(self.sender, self.signed(event))

    def event(self, document: SignedDocument, detail: Detail, sequence: int = 1) -> Event:
        key = AccessKey.parse(document.access_key)
        moment = local_moment(datetime.now(UTC), STATE)
        return Event(STATE_CODE, "2", CNPJ, key, moment, sequence, detail)

    def signed(self, event: Event) -> bytes:
        made = issue_event(event, self.signer, SCHEMAS)
        assert isinstance(made, bytes), made
        return made

    async def void(self, first: int, last: int, model: str = "55", reason: str = REASON) -> Outcome:
        """Give up a range of numbers."""
        asked = Inutilization(
            environment="2",
            state_code=STATE_CODE,
            year=f"{local_moment(datetime.now(UTC), STATE):%y}",
            cnpj=CNPJ,
            model=model,
            series=1,
            first_number=first,
            last_number=last,
            reason=reason,
        )
        signed = issue_inutilization(asked, self.signer, SCHEMAS)
        assert isinstance(signed, bytes), signed
        return await self.sefaz.inutilize(self.sender, signed)

    async def switch(self, **controls: Any) -> None:
        """Change the simulator's switches over its control API."""
        async with httpx2.AsyncClient(base_url=self.simulator.control_url) as client:
            answer = await client.patch("/controls", json=controls)
            assert answer.status_code == 200, answer.text

    async def reset_switches(self) -> None:
        async with httpx2.AsyncClient(base_url=self.simulator.control_url) as client:
            answer = await client.post("/reset", json={"what": "controls"})
            assert answer.status_code == 200, answer.text

    async def journal(self, key: str) -> list[dict[str, Any]]:
        """What the simulator was really sent about a document."""
        async with httpx2.AsyncClient(base_url=self.simulator.control_url) as client:
            answer = await client.get("/journal", params={"key": key})
            return list(answer.json())


def next_number() -> int:
    """A number that no document has."""
    return next(_NUMBERS)


def place(**changes: Any) -> Emission:
    """The next number, now."""
    now = local_moment(datetime.now(UTC), STATE)
    return emission(**{"number": next_number(), "issued_at": now, "numeric_code": "48210379"} | changes)


def in_contingency(kind: EmissionType, **changes: Any) -> Emission:
    now = local_moment(datetime.now(UTC), STATE)
    return place(type=kind, contingency=Contingency(now, "SEFAZ fora do ar desde cedo"), **changes)


def _made(document: object) -> SignedDocument:
    assert isinstance(document, SignedDocument), document
    return document
