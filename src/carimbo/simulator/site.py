"""The authorities' site: every request goes in here, and comes out answered, late, broken or not at all."""

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from random import Random

from carimbo.simulator.controls import Controls
from carimbo.simulator.directory import Directory, directory_of, told
from carimbo.simulator.family import Family, Heard, Said, World
from carimbo.simulator.http import HungUp, Reply, Request
from carimbo.simulator.journal import Entry, Journal
from carimbo.simulator.place import Place
from carimbo.simulator.registry import FAMILIES
from carimbo.simulator.seal import THROWAWAY, Seal
from carimbo.simulator.store import Store
from carimbo.simulator.switches import Switches
from carimbo.simulator.triggers import Pulled, triggers_in
from carimbo.simulator.trust import Trust, credential_of
from carimbo.simulator.xsds import BUILT_IN, Xsds

_BUSY = "Serviço indisponível: falha sorteada pelo simulador."
_FAILED = "O simulador falhou ao responder: veja o registro dele."
_CALLING, _LOOKING = frozenset({"POST"}), frozenset({"GET", "HEAD"})
_ANY_HOST = "localhost"
_NOWHERE = Place("", "", "", "")
_LONGEST_MESSAGE = 255


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A call, and what was understood of it."""

    request: Request
    place: Place
    world: World
    heard: Heard


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that a family understood."""

    family: Family
    arrival: _Arrival
    triggers: Sequence[Pulled]

    @property
    def controls(self) -> Controls:
        return self.arrival.world.controls

    def judged(self) -> Said:
        came = self.arrival
        return self.family.answer(came.place, came.heard, came.request, came.world)

    def refused(self, code: str) -> Said:
        came = self.arrival
        return self.family.refuse(came.place, came.heard, code, came.world)


@dataclass(frozen=True, slots=True)
class _Served:
    """What became of a call."""

    reply: Reply | HungUp
    code: str = ""
    message: str = ""
    faults: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    @property
    def status(self) -> int:
        return self.reply.status if isinstance(self.reply, Reply) else 0


class Site:
    """All the authorities, over one store."""

    def __init__(
        self,
        store: Store,
        trust: Callable[[], Trust],
        clock: Callable[[], datetime],
        families: Sequence[Family] = FAMILIES,
        xsds: Xsds = BUILT_IN,
        seal: Seal = THROWAWAY,
    ) -> None:
        self.store = store
        self.trust = trust
        self.clock = clock
        self.families = families
        self._xsds = xsds
        self._seal = seal
        self.journal = Journal(store)
        self.switches = Switches(store, frozenset[str]().union(*(family.codes for family in families)))
        self._begin_draws(self.switches.read())

    @cached_property
    def directory(self) -> Directory:
        """What can be reached here."""
        return directory_of(self.families)

    async def answer(self, request: Request) -> Reply | HungUp:
        """Answer one request."""
        place = Place.of(request.path) or _NOWHERE
        family = next((one for one in self.families if one.name == place.family), None)
        is_look = request.method in _LOOKING
        if family and is_look and (shown := family.describe(place, _address(request))):
            return shown
        if request.method in (family.methods if family else _CALLING):
            arrival = _Arrival(request, place, self._world(), Heard(place.service, "", (), None))
            return await self._answer_call(family, arrival) if family else self._not_found(arrival)
        return _wrong_method(family) if family and not is_look else self._nothing_here()

    async def _answer_call(self, family: Family, arrival: _Arrival) -> Reply | HungUp:
        with self._written_down_if_it_fails(arrival):
            heard = family.hear(arrival.place, arrival.request)
        if heard is None:
            return self._not_found(arrival)
        if isinstance(heard, Said):
            return self._turn_away(arrival, heard)
        arrival = _Arrival(arrival.request, arrival.place, arrival.world, heard)
        call = _Call(family, arrival, _triggers_for(family, heard))
        with self._written_down_if_it_fails(arrival), self.store.together():
            served = self._serve(call)
            self._write_down(arrival, served)
        # Judged already: a client that does not wait finds its document when it asks for it.
        await asyncio.sleep(call.controls.latency_seconds + _pause(call.triggers))
        return served.reply

    def _not_found(self, arrival: _Arrival) -> Reply:
        reason = f"Não há nenhum serviço em {arrival.request.path}"
        return self._turn_away(arrival, Said(self._nothing_here(), "", reason))

    def _turn_away(self, arrival: _Arrival, said: Said) -> Reply:
        with self.store.together():
            self._write_down(arrival, _served(said))
        return said.reply

    @contextmanager
    def _written_down_if_it_fails(self, arrival: _Arrival) -> Iterator[None]:
        """Keep a trace of a request that the simulator itself can't cope with."""
        try:
            yield
        except Exception:
            with self.store.together():
                self._write_down(arrival, _Served(Reply(500), message=_FAILED))
            raise

    def _world(self) -> World:
        controls = self.switches.read()
        now = controls.time_at(self.clock())
        return World(now, self.store, self.trust(), controls, self._xsds, self._seal)

    def _serve(self, call: _Call) -> _Served:
        """Let go wrong what has to, in the order of the way: the server, the service, the document."""
        fails, is_lost = self._draw(call.controls)
        delays = tuple(one.word for one in call.triggers if one.pause)
        if fails:
            return _Served(Reply(503, f"{_BUSY}\n".encode()), message=_BUSY, faults=("failures", *delays))
        served = self._out_of_service(call) or self._triggered(call) or _served(call.judged())
        reply = HungUp() if is_lost else served.reply
        losses = ("lostAnswers",) if is_lost else ()
        return replace(served, reply=reply, faults=(*served.faults, *delays, *losses))

    def _draw(self, controls: Controls) -> tuple[bool, bool]:
        """Whether this request fails, and whether its answer is lost."""
        if controls is not self._drawn_for:
            self._begin_draws(controls)
        return self._draws.random() < controls.failures, self._draws.random() < controls.lost_answers

    def _begin_draws(self, controls: Controls) -> None:
        """Begin anew, as after every change of a switch, so that a run can be repeated."""
        self._drawn_for = controls
        self._draws = Random(controls.seed)  # noqa: S311 - nothing secret hangs on it

    def _out_of_service(self, call: _Call) -> _Served | None:
        code = call.controls.outages.get(call.arrival.place.authorizer)
        return _served(call.refused(code), "outages") if code else None

    def _triggered(self, call: _Call) -> _Served | None:
        pulled = next((one for one in call.triggers if not one.pause and not self._is_spent(one, call)), None)
        if pulled is None:
            return None
        trigger = pulled.trigger
        if instead := call.family.fail() if trigger.fails else _reply_instead(pulled):
            return _Served(instead, message=trigger.effect, faults=(pulled.word,))
        said = call.refused(pulled.argument) if trigger.refuses else call.judged()
        served = _served(said, pulled.word)
        return replace(served, reply=trigger.spoils(said.reply)) if trigger.spoils else served

    def _is_spent(self, pulled: Pulled, call: _Call) -> bool:
        """Tell whether a trigger has acted on all that a call is about, whatever else came with it then."""
        heard = call.arrival.heard
        parts = heard.parts or (heard.subject,)
        return not pulled.repeats and all(
            self.journal.has_faulted(part, heard.service, pulled.word) for part in parts
        )

    def _write_down(self, arrival: _Arrival, served: _Served) -> None:
        request, place, heard = arrival.request, arrival.place, arrival.heard
        entry = Entry(
            at=arrival.world.now,
            authorizer=place.authorizer,
            environment=place.environment,
            service=heard.service,
            subject=heard.subject,
            keys=(*heard.keys, *served.keys),
            taxpayer=_taxpayer(request),
            bytes=len(request.body),
            digest=hashlib.sha256(request.body).hexdigest(),
            status=served.status,
            code=served.code,
            message=served.message[:_LONGEST_MESSAGE],
            fault=" ".join(served.faults),
        )
        self.journal.write(entry, heard.parts)

    def _nothing_here(self) -> Reply:
        return Reply(404, told(self.directory).encode())


def _served(said: Said, *faults: str) -> _Served:
    return _Served(said.reply, said.code, said.message, faults, said.keys)


def _reply_instead(pulled: Pulled) -> Reply | None:
    instead = pulled.trigger.instead
    return instead(pulled.argument) if instead else None


def _wrong_method(family: Family) -> Reply:
    known = ", ".join(sorted(family.methods | _LOOKING))
    return Reply(405, f"Este endereço aceita só {known}.\n".encode())


def _triggers_for(family: Family, heard: Heard) -> list[Pulled]:
    """The triggers of a call; one of a code that the family does not refuse with is none."""
    pulled = triggers_in(heard.texts)
    return [one for one in pulled if not one.trigger.refuses or family.refuses_with(one.argument)]


def _pause(triggers: Sequence[Pulled]) -> float:
    return max((one.pause for one in triggers), default=0)


def _address(request: Request) -> str:
    return f"https://{request.headers.get('host', _ANY_HOST)}{request.path}"


def _taxpayer(request: Request) -> str:
    shown = credential_of(request.certificate) if request.certificate else None
    return shown.owner if shown else ""
