"""Entry point of all requests: finds the family, applies controls and triggers, and writes the journal."""

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from random import Random

from carimbo.fiscal.tables.authorities import ENDPOINTS
from carimbo.simulator.controls import Controls, Switches
from carimbo.simulator.family import (
    HOMOLOGATION,
    CallReply,
    DocumentFamily,
    IncomingCall,
    RequestContext,
    ServicePath,
)
from carimbo.simulator.http import ConnectionClosed, Reply, Request
from carimbo.simulator.program.journal import Journal, JournalEntry
from carimbo.simulator.program.triggers import ActiveTrigger, triggers_in
from carimbo.simulator.registry import FAMILIES
from carimbo.simulator.signatures import THROWAWAY_SIGNER, AuthoritySigner
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities, judged_certificate
from carimbo.simulator.xml_messages import BUILT_IN_XSDS, Xsds

Directory = Mapping[str, Mapping[str, Sequence[str]]]
"""Services by authorizer and by family name."""
_BUSY = "Serviço indisponível: falha sorteada pelo simulador."
_FAILED = "O simulador falhou ao responder: veja o registro dele."
_CALL_METHODS, _DESCRIBE_METHODS = frozenset({"POST"}), frozenset({"GET", "HEAD"})
_DEFAULT_HOST = "localhost"
_NO_PATH = ServicePath("", "", "", "")
_MAX_MESSAGE_LENGTH = 255


def directory_of(families: Sequence[DocumentFamily]) -> Directory:
    """Returns every service that an authorizer offers in some family."""
    services: dict[str, set[str]] = {}
    for endpoint in ENDPOINTS.values():
        services.setdefault(endpoint.authorizer, set()).add(endpoint.service)

    directory: dict[str, dict[str, Sequence[str]]] = {}
    for authorizer in sorted(services):
        for family in families:
            offered = [
                name
                for name in sorted(services[authorizer])
                if family.describe(ServicePath(authorizer, HOMOLOGATION, family.name, name), "")
            ]
            if offered:
                directory.setdefault(authorizer, {})[family.name] = offered
    return directory


def directory_text(directory: Directory) -> str:
    """Returns the directory as a text for people."""
    lines = [
        f"/{authorizer.lower()}/{family}: {', '.join(services)}"
        for authorizer, families in directory.items()
        for family, services in families.items()
    ]
    return "\n".join(
        (
            "Não há nenhum serviço neste endereço.",
            "Homologação: /autorizador/família/Serviço. Produção: /producao/autorizador/família/Serviço.",
            "",
            *lines,
            "",
        )
    )


@dataclass(frozen=True, slots=True)
class _ReceivedRequest:
    """A request and how its family has read it."""

    request: Request
    service_path: ServicePath
    context: RequestContext
    incoming: IncomingCall


@dataclass(frozen=True, slots=True)
class _FamilyCall:
    """A call that its family could read."""

    family: DocumentFamily
    received: _ReceivedRequest
    triggers: Sequence[ActiveTrigger]

    @property
    def controls(self) -> Controls:
        return self.received.context.controls

    def judged(self) -> CallReply:
        received = self.received
        return self.family.answer(
            received.service_path, received.incoming, received.request, received.context
        )

    def refused(self, code: str) -> CallReply:
        received = self.received
        return self.family.refuse(received.service_path, received.incoming, code, received.context)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The reply to a call, and what the journal records of it."""

    reply: Reply | ConnectionClosed
    code: str = ""
    message: str = ""
    faults: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    @property
    def status(self) -> int:
        return self.reply.status if isinstance(self.reply, Reply) else 0


class Site:
    """All simulated authorities, over one store."""

    def __init__(
        self,
        store: Store,
        trust: Callable[[], TrustedAuthorities],
        clock: Callable[[], datetime],
        families: Sequence[DocumentFamily] = FAMILIES,
        xsds: Xsds = BUILT_IN_XSDS,
        signer: AuthoritySigner = THROWAWAY_SIGNER,
    ) -> None:
        self.store = store
        self.trust = trust
        self.clock = clock
        self.families = families
        self._xsds = xsds
        self._signer = signer
        self.journal = Journal(store)
        self.switches = Switches(store, frozenset[str]().union(*(family.codes for family in families)))
        self._seed_draws(self.switches.read())

    @cached_property
    def directory(self) -> Directory:
        """The services offered here."""
        return directory_of(self.families)

    async def answer(self, request: Request) -> Reply | ConnectionClosed:
        """Answers one request."""
        service_path = ServicePath.of(request.path) or _NO_PATH
        family = next(
            (candidate for candidate in self.families if candidate.name == service_path.family), None
        )

        asks_for_description = request.method in _DESCRIBE_METHODS
        if family and asks_for_description:
            address = f"https://{request.headers.get('host', _DEFAULT_HOST)}{request.path}"
            if description := family.describe(service_path, address):
                return description

        if request.method in (family.methods if family else _CALL_METHODS):
            unread = IncomingCall(service_path.service, "", (), None)
            received = _ReceivedRequest(request, service_path, self._context(), unread)
            return await self._answer_call(family, received) if family else self._not_found(received)

        if family and not asks_for_description:
            allowed = ", ".join(sorted(family.methods | _DESCRIBE_METHODS))
            return Reply(405, f"Este endereço aceita só {allowed}.\n".encode())
        return self._directory_reply()

    async def _answer_call(
        self, family: DocumentFamily, received: _ReceivedRequest
    ) -> Reply | ConnectionClosed:
        with self._journal_failures(received):
            incoming = family.read_call(received.service_path, received.request)
        if incoming is None:
            return self._not_found(received)
        if isinstance(incoming, CallReply):
            return self._reply_unjudged(received, incoming)

        received = replace(received, incoming=incoming)
        call = _FamilyCall(family, received, _triggers_for(family, incoming))
        with self._journal_failures(received), self.store.together():
            outcome = self._serve(call)
            self._write_journal(received, outcome)

        # The call is judged by now: a client that gives up finds its document when it asks for it.
        delay = max((trigger.pause for trigger in call.triggers), default=0)
        await asyncio.sleep(call.controls.latency_seconds + delay)
        return outcome.reply

    def _not_found(self, received: _ReceivedRequest) -> Reply:
        reason = f"Não há nenhum serviço em {received.request.path}"
        return self._reply_unjudged(received, CallReply(self._directory_reply(), "", reason))

    def _reply_unjudged(self, received: _ReceivedRequest, call_reply: CallReply) -> Reply:
        with self.store.together():
            self._write_journal(received, _outcome_of(call_reply))
        return call_reply.reply

    @contextmanager
    def _journal_failures(self, received: _ReceivedRequest) -> Iterator[None]:
        """Records a request on which the simulator itself has failed."""
        try:
            yield
        except Exception:
            with self.store.together():
                self._write_journal(received, _Outcome(Reply(500), message=_FAILED))
            raise

    def _context(self) -> RequestContext:
        controls = self.switches.read()
        now = controls.time_at(self.clock())
        return RequestContext(now, self.store, self.trust(), controls, self._xsds, self._signer)

    def _serve(self, call: _FamilyCall) -> _Outcome:
        """Applies failures in the order of the request's path: the server, the service, the document."""
        fails, is_lost = self._draw(call.controls)
        delays = tuple(trigger.word for trigger in call.triggers if trigger.pause)
        if fails:
            return _Outcome(Reply(503, f"{_BUSY}\n".encode()), message=_BUSY, faults=("failures", *delays))

        if outage_code := call.controls.outages.get(call.received.service_path.authorizer):
            outcome = _outcome_of(call.refused(outage_code), "outages")
        else:
            outcome = self._triggered(call) or _outcome_of(call.judged())
        if is_lost:
            return replace(
                outcome, reply=ConnectionClosed(), faults=(*outcome.faults, *delays, "lostAnswers")
            )
        return replace(outcome, faults=(*outcome.faults, *delays))

    def _draw(self, controls: Controls) -> tuple[bool, bool]:
        """Returns whether this request fails, and whether its answer is lost."""
        if controls is not self._drawn_for:
            self._seed_draws(controls)
        return self._draws.random() < controls.failures, self._draws.random() < controls.lost_answers

    def _seed_draws(self, controls: Controls) -> None:
        """Restarts the random draws, as after every change of a switch, so that a run is repeatable."""
        self._drawn_for = controls
        self._draws = Random(controls.seed)  # noqa: S311 - not for secrets

    def _triggered(self, call: _FamilyCall) -> _Outcome | None:
        """The outcome of the first trigger that acts; None if none does."""
        acting = (
            active for active in call.triggers if not active.pause and not self._has_acted(active, call)
        )
        active = next(acting, None)
        if active is None:
            return None

        trigger = active.trigger
        if trigger.fails:
            return _Outcome(call.family.fail(), message=trigger.effect, faults=(active.word,))
        if trigger.instead:
            return _Outcome(trigger.instead(active.argument), message=trigger.effect, faults=(active.word,))

        call_reply = call.refused(active.argument) if trigger.refuses else call.judged()
        outcome = _outcome_of(call_reply, active.word)
        if trigger.changes_reply:
            return replace(outcome, reply=trigger.changes_reply(call_reply.reply))
        return outcome

    def _has_acted(self, active: ActiveTrigger, call: _FamilyCall) -> bool:
        """Whether a trigger has acted on every part of a call before."""
        incoming = call.received.incoming
        parts = incoming.parts or (incoming.subject,)
        return not active.repeats and all(
            self.journal.has_faulted(part, incoming.service, active.word) for part in parts
        )

    def _write_journal(self, received: _ReceivedRequest, outcome: _Outcome) -> None:
        request, service_path, incoming = received.request, received.service_path, received.incoming
        certificate = judged_certificate(request.certificate) if request.certificate else None
        entry = JournalEntry(
            at=received.context.now,
            authorizer=service_path.authorizer,
            environment=service_path.environment,
            service=incoming.service,
            subject=incoming.subject,
            keys=(*incoming.keys, *outcome.keys),
            taxpayer=certificate.owner if certificate else "",
            bytes=len(request.body),
            digest=hashlib.sha256(request.body).hexdigest(),
            status=outcome.status,
            code=outcome.code,
            message=outcome.message[:_MAX_MESSAGE_LENGTH],
            fault=" ".join(outcome.faults),
        )
        self.journal.write(entry, incoming.parts)

    def _directory_reply(self) -> Reply:
        return Reply(404, directory_text(self.directory).encode())


def _outcome_of(call_reply: CallReply, *faults: str) -> _Outcome:
    return _Outcome(call_reply.reply, call_reply.code, call_reply.message, faults, call_reply.keys)


def _triggers_for(family: DocumentFamily, incoming: IncomingCall) -> list[ActiveTrigger]:
    """The triggers of a call, without codes that the family cannot refuse with."""
    return [
        active
        for active in triggers_in(incoming.texts)
        if not active.trigger.refuses or family.can_refuse_with(active.argument)
    ]
