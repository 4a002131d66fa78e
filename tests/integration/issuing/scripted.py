"""An authority that answers by a script, for what the simulator would never say or only after hours."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.fiscal.outcome import Authorized, Canceled, Cause, Duplicate, NotJudged, Outcome, Unknown
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.main import advancer_of, means_of
from carimbo.storage.work import WorkKey, WorkKind
from carimbo.worker.advance import Advancer
from integration.issuing.floor import Floor
from integration.issuing.shop import Shop

LOST = NotJudged(cause=Cause.TIMEOUT, detail="no answer")
UNKNOWN = Unknown(code="217", message="NF-e não consta na base de dados da SEFAZ")
DUPLICATE = Duplicate(code="204", message="Duplicidade de NF-e")
_STEPS = 12

Line = Outcome | Callable[["Script"], Outcome]


@dataclass
class Script:
    """Answers in turn; remembers what it was asked, and tells the time."""

    lines: list[Line]
    asked: list[str] = field(default_factory=list)
    sent: list[SignedDocument] = field(default_factory=list)
    consulted: list[str] = field(default_factory=list)
    passed: timedelta = timedelta(0)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.passed

    async def send(self, sender: Sender, document: SignedDocument) -> Outcome:
        self.sent.append(document)
        return self._next("send")

    async def receipt(self, sender: Sender, access_key: str, receipt: str) -> Outcome:
        return self._next("receipt")

    async def consult(self, sender: Sender, access_key: str, *, authorizer: str | None = None) -> Outcome:
        self.consulted.append(access_key)
        return self._next("consult")

    async def status(
        self, sender: Sender, model: str, state: str, *, authorizer: str | None = None
    ) -> NotJudged:
        return LOST

    def _next(self, question: str) -> Outcome:
        self.asked.append(question)
        line = self.lines.pop(0)
        return line(self) if callable(line) else line


def authorizing(version: int = -1, digest: str | None = None) -> Callable[[Script], Authorized]:
    """The authorization of one of the versions that were sent, or of a document that nobody here knows."""

    def answer(script: Script) -> Authorized:
        signed = script.sent[version]
        held = digest or signed.digest_value
        return Authorized(
            code="100",
            message="Autorizado o uso da NF-e",
            protocol="135260000000001",
            authorized_at=script.now(),
            protocol_xml=_protocol(signed.access_key, held),
            access_key=signed.access_key,
            digest=held,
        )

    return answer


def canceling(script: Script) -> Canceled:
    """What a consult says of a document that somebody canceled."""
    return Canceled(
        code="101",
        message="Cancelamento de NF-e homologado",
        protocol="135260000000002",
        cancellation_xml=b"<procEventoNFe/>",
        authorization=authorizing()(script),
    )


def after(pause: timedelta, outcome: Outcome) -> Callable[[Script], Outcome]:
    """An answer that comes when so much time has passed."""

    def answer(script: Script) -> Outcome:
        script.passed += pause
        return outcome

    return answer


@dataclass(frozen=True)
class Play:
    """A script at work on the documents of a shop."""

    script: Script
    advancer: Advancer
    shop: Shop

    async def perform(self, document: dict[str, Any], steps: int = _STEPS) -> dict[str, Any]:
        """Advance a document until it is settled or the script is at its end."""
        key = WorkKey(WorkKind.DOCUMENT, self.shop.caller.subscription_id, UUID(document["id"]))
        for _ in range(steps):
            again_in = await self.advancer.advance(key)
            if again_in is None or not self.script.lines:
                break
            await asyncio.sleep(again_in.total_seconds())
        return await self.shop.read(document)


@asynccontextmanager
async def playing(floor: Floor, shop: Shop, *lines: Line) -> AsyncIterator[Play]:
    """Put a script in the place of the authorities, and the worker to rest."""
    script = Script(list(lines))
    async with floor.standstill(), means_of(floor.settings, floor.database) as means:
        workshop = replace(means.workshop, clock=script.now)
        scripted = replace(means, authorities={"nfe": script, "nfce": script}, workshop=workshop)
        yield Play(script, advancer_of(floor.settings, scripted), shop)


def _protocol(access_key: str, digest: str) -> bytes:
    return (
        '<protNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><infProt><tpAmb>1</tpAmb>'
        f"<verAplic>x</verAplic><chNFe>{access_key}</chNFe><dhRecbto>2026-11-15T15:20:21-03:00</dhRecbto>"
        f"<nProt>135260000000001</nProt><digVal>{digest}</digVal><cStat>100</cStat>"
        "<xMotivo>Autorizado o uso da NF-e</xMotivo></infProt></protNFe>"
    ).encode()
