"""The authorities' site: every request goes in here, and comes out answered, late, broken or not at all."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
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
from carimbo.simulator.store import Store
from carimbo.simulator.switches import Switches
from carimbo.simulator.triggers import Pulled, triggers_in
from carimbo.simulator.trust import Trust, certificate_of, owner_of
from carimbo.simulator.xsds import BUILT_IN, Xsds

_BUSY = Reply(503, "Serviço indisponível: falha sorteada pelo simulador.\n".encode())
_WRONG_METHOD = Reply(405, "Use POST para chamar um serviço e GET para ver o seu WSDL.\n".encode())
_ANY_HOST = "localhost"


@dataclass(frozen=True, slots=True)
class _Call:
    """A request that a family understood."""

    family: Family
    place: Place
    request: Request
    heard: Heard
    world: World
    triggers: Sequence[Pulled]

    def judged(self) -> Said:
        return self.family.answer(self.place, self.heard, self.request, self.world)

    def refused(self, code: str) -> Said:
        return self.family.refuse(self.place, self.heard, code, self.world)


@dataclass(frozen=True, slots=True)
class _Served:
    """What became of a call."""

    reply: Reply | HungUp
    code: str = ""
    faults: tuple[str, ...] = ()


class Site:
    """All the authorities, over one store."""

    def __init__(
        self,
        store: Store,
        trust: Callable[[], Trust],
        clock: Callable[[], datetime],
        families: Sequence[Family] = FAMILIES,
        xsds: Xsds = BUILT_IN,
    ) -> None:
        self.store = store
        self.trust = trust
        self.clock = clock
        self.families = families
        self._xsds = xsds
        self.journal = Journal(store)
        self.switches = Switches(store)
        self._begin_draws(self.switches.read())

    @cached_property
    def directory(self) -> Directory:
        """What can be reached here."""
        return directory_of(self.families)

    async def answer(self, request: Request) -> Reply | HungUp:
        """Answer one request."""
        place = Place.of(request.path)
        family = next((one for one in self.families if place and one.name == place.family), None)
        if place is None or family is None:
            return self._nothing_here()
        if request.method in ("GET", "HEAD"):
            return family.describe(place, _address(request)) or self._nothing_here()
        if request.method != "POST":
            return _WRONG_METHOD
        return await self._answer_call(family, place, request)

    async def _answer_call(self, family: Family, place: Place, request: Request) -> Reply | HungUp:
        heard = family.hear(place, request)
        if heard is None:
            return self._nothing_here()
        world = self._world()
        if isinstance(heard, Reply):
            self._write_down(place, request, world, Heard(place.service, "", (), None), _Served(heard))
            return heard
        call = _Call(family, place, request, heard, world, triggers_in(heard.texts))
        with self.store.together():
            served = self._serve(call)
            self._write_down(place, request, world, heard, served)
        # Judged already: a client that does not wait finds its document when it asks for it.
        await asyncio.sleep(world.controls.latency_seconds + _pause(call.triggers))
        return served.reply

    def _world(self) -> World:
        controls = self.switches.read()
        return World(controls.time_at(self.clock()), self.store, self.trust(), controls, self._xsds)

    def _serve(self, call: _Call) -> _Served:
        """Let go wrong what has to, in the order of the way: the server, the service, the document."""
        fails, is_lost = self._draw(call.world.controls)
        delays = tuple(one.word for one in call.triggers if one.pause)
        if fails:
            return _Served(_BUSY, faults=("failures", *delays))
        served = self._out_of_service(call) or self._triggered(call) or _judged(call)
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
        code = call.world.controls.outages.get(call.place.authorizer)
        if code is None:
            return None
        said = call.refused(code)
        return _Served(said.reply, said.code, ("outages",))

    def _triggered(self, call: _Call) -> _Served | None:
        pulled = next((one for one in call.triggers if not one.pause and not self._is_spent(one, call)), None)
        if pulled is None:
            return None
        trigger, faults = pulled.trigger, (pulled.word,)
        if trigger.instead:
            return _Served(trigger.instead(pulled.argument), faults=faults)
        said = call.refused(pulled.argument) if trigger.refuses else call.judged()
        reply = trigger.spoils(said.reply) if trigger.spoils else said.reply
        return _Served(reply, said.code, faults)

    def _is_spent(self, pulled: Pulled, call: _Call) -> bool:
        heard = call.heard
        return not pulled.repeats and self.journal.has_faulted(heard.subject, heard.service, pulled.word)

    def _write_down(
        self, place: Place, request: Request, world: World, heard: Heard, served: _Served
    ) -> None:
        self.journal.write(
            Entry(
                at=world.now,
                authorizer=place.authorizer,
                environment=place.environment,
                service=heard.service,
                subject=heard.subject,
                taxpayer=_taxpayer(request),
                bytes=len(request.body),
                digest=hashlib.sha256(request.body).hexdigest(),
                code=served.code,
                fault=" ".join(served.faults),
            )
        )

    def _nothing_here(self) -> Reply:
        return Reply(404, told(self.directory).encode())


def _judged(call: _Call) -> _Served:
    said = call.judged()
    return _Served(said.reply, said.code)


def _pause(triggers: Sequence[Pulled]) -> float:
    return max((one.pause for one in triggers), default=0)


def _address(request: Request) -> str:
    return f"https://{request.headers.get('host', _ANY_HOST)}{request.path}"


def _taxpayer(request: Request) -> str:
    certificate = certificate_of(request.certificate) if request.certificate else None
    return owner_of(certificate) if certificate else ""
