"""An authority that answers by a script, for answers that the simulator never gives or only after hours.

Also helpers that read the result of an event or an inutilization.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.fiscal.identity.certificate import AuthorityCredentials
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
from carimbo.fiscal.signed_documents import SignedDocument, SignedFiling
from carimbo.fiscal.tables.authorities import is_contingency
from carimbo.main.process import clock_of
from carimbo.main.worker import advancer_of
from carimbo.service.companies.snapshot import CompanySnapshots
from carimbo.service.outage_board import OutageBoard
from carimbo.storage.outages import AuthorityService, record_outage
from carimbo.storage.work import WorkKey, WorkKind
from carimbo.worker.advance import Advancer
from claimed_rows import advance_row
from integration.issuing.shop import Shop
from integration.issuing.system import System
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
"""The number of every NFS-e that a script authorizes."""
TOO_LONG = timedelta(minutes=5)
"""An NFC-e that is older than this is refused by the authority."""
_STEPS = 12
_NORMAL = AuthorityService("55", "SP", "production")

Line = Outcome | Callable[["Script"], Outcome]


@dataclass
class Script:
    """Answers in turn, records the requests, and has its own clock."""

    lines: list[Line]
    calls: list[str] = field(default_factory=list)
    sent: list[SignedDocument] = field(default_factory=list)
    consulted: list[str] = field(default_factory=list)
    filed: list[bytes] = field(default_factory=list)
    passed: timedelta = timedelta(0)
    condition: Available | NotJudged = LOST
    """The status of a state's own authority."""
    stand_in: Available | NotJudged = AT_WORK
    """The status of the contingency authority."""

    def begin(self, *lines: Line) -> None:
        """Clears the recorded requests and answers by these lines from now on."""
        self.lines[:] = lines
        for recorded in (self.calls, self.sent, self.consulted, self.filed):
            recorded.clear()
        self.passed, self.condition = timedelta(0), LOST

    def now(self) -> datetime:
        return datetime.now(UTC) + self.passed

    async def send(self, sender: AuthorityCredentials, document: SignedDocument) -> Outcome:
        self.sent.append(document)
        return self._next("send")

    async def receipt(self, sender: AuthorityCredentials, access_key: str, receipt: str) -> Outcome:
        return self._next("receipt")

    async def consult(self, sender: AuthorityCredentials, access_key: str) -> Outcome:
        self.consulted.append(access_key)
        return self._next("consult")

    async def status(
        self, sender: AuthorityCredentials, model: str, state: str, *, authorizer: str | None = None
    ) -> Available | NotJudged:
        return self.stand_in if authorizer and is_contingency(authorizer) else self.condition

    async def register_event(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        self.filed.append(signed)
        return self._next("register_event")

    async def consult_event(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        return self._next("consult_event")

    async def inutilize(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        self.filed.append(signed)
        return self._next("inutilize")

    def _next(self, operation: str) -> Outcome:
        self.calls.append(operation)
        line = self.lines.pop(0)
        return line(self) if callable(line) else line


def authorizing(version: int = -1, digest: str | None = None) -> Callable[[Script], Authorized]:
    """Authorizes one of the sent versions, or a document with a digest that we did not sign."""

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
    """The answer that registers an event or an inutilization."""
    return Authorized(
        code=code,
        message="Evento registrado e vinculado a NF-e",
        protocol="135260000000009",
        authorized_at=datetime.now(UTC),
        protocol_xml=b'<retEvento xmlns="http://www.portalfiscal.inf.br/nfe"/>',
    )


def registered(digest: str | None = None) -> Callable[[Script], Authorized]:
    """The answer to a consult about the last event, or about one in its place that we did not sign."""

    def answer(script: Script) -> Authorized:
        return replace(registering(), digest=digest or SignedFiling.of(script.filed[-1]).digest_value)

    return answer


def canceling(script: Script) -> Canceled:
    """The answer to a consult about a document that somebody canceled."""
    return Canceled(
        code="101",
        message="Cancelamento de NF-e homologado",
        protocol="135260000000002",
        cancellation_xml=b"<procEventoNFe/>",
        authorization=authorizing()(script),
    )


def after(pause: timedelta, outcome: Outcome) -> Callable[[Script], Outcome]:
    """Moves the script's clock forward and then gives the outcome."""

    def answer(script: Script) -> Outcome:
        script.passed += pause
        return outcome

    return answer


@dataclass(frozen=True)
class ScriptedWorker:
    """Advances the documents of a shop against scripted authorities."""

    script: Script
    advancer: Advancer
    shop: Shop

    def for_shop(self, shop: Shop) -> "ScriptedWorker":
        """Returns the same script, emptied, for another shop."""
        self.script.begin()
        return replace(self, shop=shop)

    async def advance(self, document: dict[str, Any], steps: int = _STEPS) -> dict[str, Any]:
        """Advances a document until it is settled or the script is at its end."""
        await self.advance_row(WorkKind.DOCUMENT, UUID(document["id"]), steps)
        return await self.shop.read(document)

    async def advance_row(self, kind: WorkKind, row_id: UUID, steps: int = _STEPS) -> timedelta | None:
        """Advances a row in the same way; returns when it is due again."""
        key = WorkKey(kind, self.shop.caller.subscription_id, row_id)
        for _ in range(steps):
            again_in = await advance_row(self.advancer, key)
            if again_in is None or not self.script.lines:
                break
            await asyncio.sleep(again_in.total_seconds())
        return again_in

    async def end_pause(self, document: dict[str, Any]) -> None:
        """Makes a document due now."""
        await self.shop.system.fetch(
            "update documents set next_action_at = now() where id = $1", UUID(document["id"])
        )

    async def go_into_contingency(self) -> None:
        """Records an outage of the state's authority and forces contingency, instead of waiting for it."""
        async with self.shop.system.database.connection() as connection:
            await record_outage(connection, _NORMAL, "109", "Serviço paralisado", timedelta(minutes=10))
        body = {"mode": "forced", "reason": "Autorizador da UF com lentidão extrema"}
        data_of(await self.shop.caller.http.put(self.shop.path("/contingency"), json=body))


@asynccontextmanager
async def scripted_authorities(system: System, shop: Shop, *lines: Line) -> AsyncIterator[ScriptedWorker]:
    """Replaces the authorities by a script and stops the worker."""
    script = Script(list(lines))
    context, settings = system.context, system.settings
    scripted = replace(
        context,
        authorities=dict.fromkeys(context.authorities, script),
        builder=replace(context.builder, clock=script.now),
        snapshots=CompanySnapshots(system.database),
        outages=OutageBoard(
            system.database, settings.contingency_after, clock_of(settings), settings.clock_offset
        ),
    )
    async with system.worker_stopped():
        yield ScriptedWorker(script, advancer_of(system.settings, scripted), shop)


def _protocol(access_key: str, digest: str) -> bytes:
    return (
        '<protNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><infProt><tpAmb>1</tpAmb>'
        f"<verAplic>x</verAplic><chNFe>{access_key}</chNFe><dhRecbto>2026-11-15T15:20:21-03:00</dhRecbto>"
        f"<nProt>135260000000001</nProt><digVal>{digest}</digVal><cStat>100</cStat>"
        "<xMotivo>Autorizado o uso da NF-e</xMotivo></infProt></protNFe>"
    ).encode()


async def row_of(worker: ScriptedWorker, filing_id: UUID) -> dict[str, Any]:
    """Returns the row of an event or an inutilization."""
    columns = "state, tries, protocol, authority_code, authority_message, own_refusal"
    (row,) = await worker.shop.system.fetch(
        f"select {columns} from event_filings where id = $1"
        f" union all select {columns} from inutilizations where id = $1",
        filing_id,
    )
    return dict(row)


async def state_of(worker: ScriptedWorker, filing_id: UUID) -> str:
    """Returns the state of an event or an inutilization."""
    return str((await row_of(worker, filing_id))["state"])


async def file_of(worker: ScriptedWorker, filing_id: UUID, name: str) -> bytes | None:
    """Returns a file of an event or an inutilization."""
    async with worker.shop.system.database.autocommit(worker.shop.caller.subscription_id) as tenant:
        return await tenant.archive.get(filing_id, name)


async def remove_certificate(worker: ScriptedWorker) -> None:
    data_of(await worker.shop.caller.http.delete(worker.shop.path("/certificate")))
