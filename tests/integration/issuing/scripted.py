"""An authority that answers by a script, for what the simulator would never say or only after hours.

Also what became of an event or a range of numbers.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.fiscal.outcome import (
    Authorized,
    Available,
    Canceled,
    Cause,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Unavailable,
    Unknown,
)
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.signed_filing import SignedFiling
from carimbo.fiscal.tables.authorizers import is_contingency
from carimbo.main.clock import clock_of
from carimbo.main.worker import advancer_of
from carimbo.service.dossier import Dossiers
from carimbo.service.outage_board import OutageBoard
from carimbo.storage.outages import AuthorityPlace, see_outage
from carimbo.storage.work import WorkKey, WorkKind
from carimbo.worker.advance import Advancer
from integration.issuing.floor import Floor
from integration.issuing.shop import Shop
from nfse_answers import KEY as NFSE_KEY
from nfse_answers import note as nfse_note
from support import data_of

OUT = Unavailable(code="109", message="Serviço paralisado sem previsão", outage=Outage.WITHOUT_FORECAST)
LOST = NotJudged(cause=Cause.TIMEOUT, detail="no answer")
NOT_SENT = NotJudged(cause=Cause.CONNECTION, detail="refused", may_have_arrived=False)
AT_WORK = Available(code="107", message="Serviço em Operação")
UNKNOWN = Unknown(code="217", message="NF-e não consta na base de dados da SEFAZ")
DUPLICATE = Duplicate(code="204", message="Duplicidade de NF-e")
ASSIGNED_NUMBER = 123
"""What every NFS-e of a script is numbered by."""
TOO_LONG = timedelta(minutes=5)
"""So long after its issue, an authority refuses an NFC-e for its age."""
_STEPS = 12
_NORMAL = AuthorityPlace("55", "SP", "production")

Line = Outcome | Callable[["Script"], Outcome]


@dataclass
class Script:
    """Answers in turn; remembers what it was asked, and tells the time."""

    lines: list[Line]
    asked: list[str] = field(default_factory=list)
    sent: list[SignedDocument] = field(default_factory=list)
    consulted: list[str] = field(default_factory=list)
    filed: list[bytes] = field(default_factory=list)
    passed: timedelta = timedelta(0)
    condition: Available | NotJudged = LOST
    """What a state's own authority says of itself."""
    stand_in: Available | NotJudged = AT_WORK
    """What that of contingency says."""

    def begin(self, *lines: Line) -> None:
        """Forget what was, and answer by these lines from now on."""
        self.lines[:] = lines
        for remembered in (self.asked, self.sent, self.consulted, self.filed):
            remembered.clear()
        self.passed, self.condition = timedelta(0), LOST

    def now(self) -> datetime:
        return datetime.now(UTC) + self.passed

    async def send(self, sender: Sender, document: SignedDocument) -> Outcome:
        self.sent.append(document)
        return self._next("send")

    async def receipt(self, sender: Sender, access_key: str, receipt: str) -> Outcome:
        return self._next("receipt")

    async def consult(self, sender: Sender, access_key: str) -> Outcome:
        self.consulted.append(access_key)
        return self._next("consult")

    async def status(
        self, sender: Sender, model: str, state: str, *, authorizer: str | None = None
    ) -> Available | NotJudged:
        return self.stand_in if authorizer and is_contingency(authorizer) else self.condition

    async def register_event(self, sender: Sender, signed: bytes) -> Outcome:
        self.filed.append(signed)
        return self._next("register_event")

    async def consult_event(self, sender: Sender, signed: bytes) -> Outcome:
        return self._next("consult_event")

    async def inutilize(self, sender: Sender, signed: bytes) -> Outcome:
        self.filed.append(signed)
        return self._next("inutilize")

    def _next(self, question: str) -> Outcome:
        self.asked.append(question)
        line = self.lines.pop(0)
        return line(self) if callable(line) else line


def authorizing(version: int = -1, digest: str | None = None) -> Callable[[Script], Authorized]:
    """The authorization of one of the versions that were sent, or of a document that nobody here knows."""

    def answer(script: Script) -> Authorized:
        signed = script.sent[version]
        held = digest or signed.digest_value
        if signed.access_key.startswith("DPS"):
            return _service_authorized(script, signed.access_key, held)
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


def _service_authorized(script: Script, dps_id: str, digest: str) -> Authorized:
    return Authorized(
        code="100",
        message="NFS-e Gerada",
        protocol="123456789",
        authorized_at=script.now(),
        protocol_xml=nfse_note(dps_id=dps_id, digest=digest).encode(),
        access_key=NFSE_KEY,
        number=ASSIGNED_NUMBER,
        digest=digest,
    )


def registering(code: str = "135") -> Authorized:
    """The registration of an event or of numbers that are given up, as the answer to it says."""
    return Authorized(
        code=code,
        message="Evento registrado e vinculado a NF-e",
        protocol="135260000000009",
        authorized_at=datetime.now(UTC),
        protocol_xml=b'<retEvento xmlns="http://www.portalfiscal.inf.br/nfe"/>',
    )


def registered(digest: str | None = None) -> Callable[[Script], Authorized]:
    """What a consult says of the event that was told last, or of one in its place that nobody here signed."""

    def answer(script: Script) -> Authorized:
        return replace(registering(), digest=digest or SignedFiling.of(script.filed[-1]).digest_value)

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

    def elsewhere(self, shop: Shop) -> "Play":
        """The same stage for another shop, with nothing to say yet."""
        self.script.begin()
        return replace(self, shop=shop)

    async def perform(self, document: dict[str, Any], steps: int = _STEPS) -> dict[str, Any]:
        """Advance a document until it is settled or the script is at its end."""
        await self.work(WorkKind.DOCUMENT, UUID(document["id"]), steps)
        return await self.shop.read(document)

    async def work(self, kind: WorkKind, row_id: UUID, steps: int = _STEPS) -> timedelta | None:
        """Advance a row so; tells when it is to be advanced again."""
        key = WorkKey(kind, self.shop.caller.subscription_id, row_id)
        for _ in range(steps):
            again_in = await self.advancer.advance(key)
            if again_in is None or not self.script.lines:
                break
            await asyncio.sleep(again_in.total_seconds())
        return again_in

    async def hasten(self, document: dict[str, Any]) -> None:
        """Let the pause of a document be over."""
        await self.shop.floor.fetch(
            "update documents set next_action_at = now() where id = $1", UUID(document["id"])
        )

    async def go_into_contingency(self) -> None:
        """The authority of the state is out, and nobody wants to wait until contingency begins by itself."""
        async with self.shop.floor.database.connection() as connection:
            await see_outage(connection, _NORMAL, "109", "Serviço paralisado", timedelta(minutes=10))
        body = {"mode": "forced", "reason": "Autorizador da UF com lentidão extrema"}
        data_of(await self.shop.caller.http.put(self.shop.path("/contingency"), json=body))


@asynccontextmanager
async def playing(floor: Floor, shop: Shop, *lines: Line) -> AsyncIterator[Play]:
    """Put a script in the place of the authorities, and the worker to rest."""
    script = Script(list(lines))
    means, settings = floor.means, floor.settings
    scripted = replace(
        means,
        authorities=dict.fromkeys(means.authorities, script),
        workshop=replace(means.workshop, clock=script.now),
        dossiers=Dossiers(floor.database),
        outages=OutageBoard(
            floor.database, settings.contingency_after, clock_of(settings), settings.clock_offset
        ),
    )
    async with floor.standstill():
        yield Play(script, advancer_of(floor.settings, scripted), shop)


def _protocol(access_key: str, digest: str) -> bytes:
    return (
        '<protNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><infProt><tpAmb>1</tpAmb>'
        f"<verAplic>x</verAplic><chNFe>{access_key}</chNFe><dhRecbto>2026-11-15T15:20:21-03:00</dhRecbto>"
        f"<nProt>135260000000001</nProt><digVal>{digest}</digVal><cStat>100</cStat>"
        "<xMotivo>Autorizado o uso da NF-e</xMotivo></infProt></protNFe>"
    ).encode()


async def row_of(play: Play, filing_id: UUID) -> dict[str, Any]:
    """How far an event or a range came."""
    columns = "state, tries, protocol, authority_code, authority_message, own_refusal"
    (row,) = await play.shop.floor.fetch(
        f"select {columns} from event_filings where id = $1"
        f" union all select {columns} from inutilizations where id = $1",
        filing_id,
    )
    return dict(row)


async def state_of(play: Play, filing_id: UUID) -> str:
    """The state of an event or a range."""
    return str((await row_of(play, filing_id))["state"])


async def file_of(play: Play, filing_id: UUID, name: str) -> bytes | None:
    """A file of an event or a range."""
    async with play.shop.floor.database.autocommit(play.shop.caller.subscription_id) as tenant:
        return await tenant.archive.get(filing_id, name)


async def without_certificate(play: Play) -> None:
    """Take the company's certificate away."""
    data_of(await play.shop.caller.http.delete(play.shop.path("/certificate")))
