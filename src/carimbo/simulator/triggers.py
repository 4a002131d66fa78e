"""Triggers: words in a document that make its authority misbehave, in the same way every time.

`SIMULA:NOME[:ARGUMENTO][:SEMPRE]`, anywhere in a name, description, note or reason.
"""

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from http import HTTPStatus

from carimbo.simulator.http import HTML, HungUp, Reply

LONGEST_PAUSE = 120
_WORD = re.compile(r"\bSIMULA:([A-Z_]+)\b(?::(?!SEMPRE\b)(\w+))?(:SEMPRE\b)?")
_PAUSE = re.compile(r"(\d{1,6})(ms|s)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """One way to misbehave; without any of the four acts it only makes the client wait."""

    name: str
    argument: str = ""
    """What has to follow the name, in Portuguese."""
    example: str = ""
    accepts: Callable[[str], bool] = operator.not_
    """Whether an argument will do; nothing has to follow where nothing is said."""
    effect: str
    """What happens, in Portuguese, on one line."""
    repeats: bool = False
    """Whether it acts on every call and not only on the first about the same thing."""
    refuses: bool = False
    """Whether the authority answers with the argument as its code, if it has it, without judging."""
    instead: Callable[[str], Reply] | None = None
    """What the argument makes of the reply, without judging."""
    fails: bool = False
    """Whether the server fails in its own way, without judging."""
    spoils: Callable[[Reply], Reply | HungUp] | None = None
    """What becomes of the reply once the authority has judged."""

    @property
    def judges(self) -> bool:
        """Whether the authority judges what it got."""
        return not self.refuses and not self.fails and self.instead is None

    @property
    def sample(self) -> str:
        """How it is written in a document."""
        return ":".join(filter(None, ("SIMULA", self.name, self.example)))


@dataclass(frozen=True, slots=True)
class Pulled:
    """A trigger as it stands in a text."""

    trigger: Trigger
    argument: str = ""
    always: bool = False

    @property
    def word(self) -> str:
        """What the journal calls it."""
        return ":".join(filter(None, ("SIMULA", self.trigger.name, self.argument)))

    @property
    def repeats(self) -> bool:
        """Whether it acts again on the same thing."""
        return self.always or self.trigger.repeats

    @property
    def pause(self) -> float:
        """How many seconds the reply has to wait for it."""
        found = _PAUSE.fullmatch(self.argument)
        return _seconds(found) if found else 0


def triggers_in(texts: Iterable[str]) -> list[Pulled]:
    """Every trigger that stands in the texts, those that come first in the table first."""
    found = [pulled for text in texts if "SIMULA:" in text for pulled in _read(text)]
    return sorted(found, key=lambda pulled: _ORDER[pulled.trigger.name])


def _read(text: str) -> Iterable[Pulled]:
    for name, argument, always in _WORD.findall(text):
        trigger = _BY_NAME.get(name)
        if trigger and trigger.accepts(argument):
            yield Pulled(trigger, argument, bool(always))


def _is_pause(text: str) -> bool:
    found = _PAUSE.fullmatch(text)
    return found is not None and _seconds(found) <= LONGEST_PAUSE


def _seconds(pause: re.Match[str]) -> float:
    number, unit = pause.groups()
    return int(number) / (1000 if unit.lower() == "ms" else 1)


def _http_error(code: str) -> Reply:
    status = int(code)
    known = {one.value: one.phrase for one in HTTPStatus}
    return Reply(status, _page(f"{status} {known.get(status, 'Error')}", "<hr><center>nginx</center>"), HTML)


def _web_page(_: str) -> Reply:
    """What stands between client and authority answers with when the authority is away."""
    text = "<p>O sistema encontra-se temporariamente indispon&iacute;vel. Tente novamente mais tarde.</p>"
    return Reply(200, _page("Sistema indisponível", text), HTML)


def _page(title: str, rest: str) -> bytes:
    shown = escape(title)
    head = f'<head><meta charset="utf-8"><title>{shown}</title></head>'
    return f"<html>\r\n{head}\r\n<body>\r\n<h1>{shown}</h1>\r\n{rest}\r\n</body>\r\n</html>\r\n".encode()


def _lost(_: Reply) -> HungUp:
    return HungUp()


def _cut(reply: Reply) -> Reply:
    return Reply(reply.status, reply.body, reply.media_type, cut=True)


def _emptied(reply: Reply) -> Reply:
    return Reply(200, b"", reply.media_type)


TRIGGERS: Sequence[Trigger] = (
    Trigger(
        name="REJEICAO",
        argument="código de uma rejeição",
        example="539",
        accepts=bool,
        effect="Recusa com esse código e o texto oficial dele; nada fica guardado.",
        repeats=True,
        refuses=True,
    ),
    Trigger(
        name="FORA_DO_AR",
        argument="108 ou 109",
        example="108",
        accepts=("108", "109").__contains__,
        effect="Responde que o serviço está paralisado, por pouco tempo (108) ou sem previsão (109).",
        refuses=True,
    ),
    Trigger(
        name="HTTP",
        argument="status de 400 a 599",
        example="503",
        accepts=lambda text: bool(re.fullmatch("[45][0-9]{2}", text)),
        effect="Responde com esse status de HTTP e uma página de erro.",
        instead=_http_error,
    ),
    Trigger(
        name="HTML",
        effect="Responde com uma página de erro em HTML e status 200.",
        instead=_web_page,
    ),
    Trigger(
        name="FALHA_SOAP",
        effect="Responde com uma falha SOAP 1.2 (NFS-e: um erro em JSON) e status 500.",
        fails=True,
    ),
    Trigger(
        name="RESPOSTA_PERDIDA",
        effect="Encerra a conexão sem responder nada.",
        spoils=_lost,
    ),
    Trigger(
        name="CORTADA",
        effect="Envia metade da resposta e encerra a conexão.",
        spoils=_cut,
    ),
    Trigger(
        name="RESPOSTA_VAZIA",
        effect="Responde com status 200 e corpo vazio.",
        spoils=_emptied,
    ),
    Trigger(
        name="DEMORA",
        argument=f"segundos (5s) ou milissegundos (500ms), até {LONGEST_PAUSE} segundos",
        example="5s",
        accepts=_is_pause,
        effect="Julga logo e espera antes de responder; combina com os outros gatilhos.",
        repeats=True,
    ),
)
"""In the order in which they win over each other."""

_BY_NAME = {trigger.name: trigger for trigger in TRIGGERS}
_ORDER = {trigger.name: place for place, trigger in enumerate(TRIGGERS)}
