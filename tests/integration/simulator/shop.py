"""A shop that issues at a running simulator with our own library and client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

import httpx2

from carimbo.authorities.nfe import NfeSefaz
from carimbo.authorities.pacing import Pacing
from carimbo.fiscal.emission import Contingency, Emission, EmissionType, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.certificate import A1Certificate, AuthorityCredentials
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    CancellationBySubstitution,
    Correction,
    Detail,
    InvoiceEvent,
    issue_event,
)
from carimbo.fiscal.layouts.nfe_v4.inutilization import InutilizationRange, issue_inutilization
from carimbo.fiscal.outcome import Authorized, Outcome
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.main.authorities import endpoints_of, transport_of
from carimbo.settings import Settings
from carimbo.simulator.program.run import Simulator
from support import CNPJ
from unit.fiscal.goods.support import SCHEMAS, emission, issued_nfce, issued_nfe

STATE, STATE_CODE = "SP", "35"
REASON = "Venda desfeita a pedido do cliente"
_NUMBERS = count(1_000)


@asynccontextmanager
async def sefaz_of(settings: Settings) -> AsyncIterator[NfeSefaz]:
    """Yields our client of the SEFAZ authorities, as the program creates it."""
    async with transport_of(settings) as transport:
        yield NfeSefaz(transport.exchange, endpoints_of(settings), Pacing())


@dataclass(frozen=True)
class Shop:
    """A shop with its certificate and a client of the simulator."""

    sefaz: NfeSefaz
    simulator: Simulator
    certificate: A1Certificate

    @property
    def sender(self) -> AuthorityCredentials:
        return AuthorityCredentials(self.certificate, CNPJ, Environment.HOMOLOGATION)

    @property
    def signer(self) -> Signer:
        return Signer.of(self.certificate)

    def nfe(self, **changes: Any) -> SignedDocument:
        """Returns a new signed NF-e."""
        under = changes.pop("under", None) or next_emission()
        return _signed_document(issued_nfe(self.signer, under=under, **changes))

    def nfce(self, **changes: Any) -> SignedDocument:
        """Returns a new signed NFC-e."""
        under = changes.pop("under", None) or next_emission()
        return _signed_document(issued_nfce(self.signer, under=under, **changes))

    async def issue(self, document: SignedDocument) -> Authorized:
        """Sends a document, which must be authorized."""
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
        """Registers an event with the authority."""
        event = self.event(document, detail, sequence)
        return await self.sefaz.register_event(self.sender, self.signed(event))

    def event(self, document: SignedDocument, detail: Detail, sequence: int = 1) -> InvoiceEvent:
        key = AccessKey.parse(document.access_key)
        moment = local_moment(datetime.now(UTC), STATE)
        return InvoiceEvent(STATE_CODE, "2", CNPJ, key, moment, sequence, detail)

    def signed(self, event: InvoiceEvent) -> bytes:
        signed = issue_event(event, self.signer, SCHEMAS)
        assert isinstance(signed, bytes), signed
        return signed

    async def inutilize(self, first: int, last: int, model: str = "55", reason: str = REASON) -> Outcome:
        """Inutilizes a range of numbers."""
        inutilized = InutilizationRange(
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
        signed = issue_inutilization(inutilized, self.signer, SCHEMAS)
        assert isinstance(signed, bytes), signed
        return await self.sefaz.inutilize(self.sender, signed)

    async def switch(self, **controls: Any) -> None:
        """Changes the simulator's switches through its control API."""
        async with httpx2.AsyncClient(base_url=self.simulator.control_url) as client:
            answer = await client.patch("/controls", json=controls)
            assert answer.status_code == 200, answer.text

    async def reset_switches(self) -> None:
        async with httpx2.AsyncClient(base_url=self.simulator.control_url) as client:
            answer = await client.post("/reset", json={"what": "controls"})
            assert answer.status_code == 200, answer.text

    async def journal(self, key: str) -> list[dict[str, Any]]:
        """Returns the simulator's journal of the requests about a document."""
        async with httpx2.AsyncClient(base_url=self.simulator.control_url) as client:
            answer = await client.get("/journal", params={"key": key})
            return list(answer.json())


def next_number() -> int:
    """Returns an unused number."""
    return next(_NUMBERS)


def next_emission(**changes: Any) -> Emission:
    """Returns an emission with the next number and the current time."""
    now = local_moment(datetime.now(UTC), STATE)
    return emission(**{"number": next_number(), "issued_at": now, "numeric_code": "48210379"} | changes)


def in_contingency(emission_type: EmissionType, **changes: Any) -> Emission:
    now = local_moment(datetime.now(UTC), STATE)
    return next_emission(
        type=emission_type, contingency=Contingency(now, "SEFAZ fora do ar desde cedo"), **changes
    )


def _signed_document(document: object) -> SignedDocument:
    assert isinstance(document, SignedDocument), document
    return document
