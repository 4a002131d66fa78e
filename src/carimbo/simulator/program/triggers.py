"""Triggers: words in a document that make its authority fail in a defined way.

`SIMULA:NOME[:ARGUMENTO][:SEMPRE]`, anywhere in a name, description, note or reason.
"""

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from http import HTTPStatus

from carimbo.simulator.http import HTML, ConnectionClosed, Reply

MAX_PAUSE_SECONDS = 120
_WORD = re.compile(r"\bSIMULA:([A-Z_]+)\b(?::(?!SEMPRE\b)(\w+))?(:SEMPRE\b)?")
_PAUSE = re.compile(r"(\d{1,6})(ms|s)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """One kind of failure. Without any of the four actions, it only delays the reply."""

    name: str
    argument: str = ""
    """Description of the required argument, in Portuguese; empty if there is none."""
    example: str = ""
    accepts: Callable[[str], bool] = operator.not_
    """Whether an argument is valid; by default only an empty one."""
    effect: str
    """The effect, one line in Portuguese."""
    repeats: bool = False
    """Whether it acts on every call, and not only on the first one about the same subject."""
    refuses: bool = False
    """Whether the authority answers with the argument as its code, without judging."""
    instead: Callable[[str], Reply] | None = None
    """Returns the reply for an argument, without judging."""
    fails: bool = False
    """Whether the server fails in the way of its family, without judging."""
    changes_reply: Callable[[Reply], Reply | ConnectionClosed] | None = None
    """Changes the reply after the authority has judged."""

    @property
    def judges(self) -> bool:
        """Whether the authority judges the call."""
        return not self.refuses and not self.fails and self.instead is None

    @property
    def sample(self) -> str:
        """An example, as written in a document."""
        return ":".join(filter(None, ("SIMULA", self.name, self.example)))


@dataclass(frozen=True, slots=True)
class ActiveTrigger:
    """A trigger in a text, with its argument."""

    trigger: Trigger
    argument: str = ""
    always: bool = False

    @property
    def word(self) -> str:
        """Its name in the journal."""
        return ":".join(filter(None, ("SIMULA", self.trigger.name, self.argument)))

    @property
    def repeats(self) -> bool:
        """Whether it acts again on the same subject."""
        return self.always or self.trigger.repeats

    @property
    def pause(self) -> float:
        """The delay of the reply, in seconds."""
        match = _PAUSE.fullmatch(self.argument)
        return _seconds(match) if match else 0


def triggers_in(texts: Iterable[str]) -> list[ActiveTrigger]:
    """Returns every trigger in the texts, in the order of the table."""
    active = []
    for text in texts:
        if "SIMULA:" not in text:
            continue
        for name, argument, always in _WORD.findall(text):
            trigger = _BY_NAME.get(name)
            if trigger and trigger.accepts(argument):
                active.append(ActiveTrigger(trigger, argument, bool(always)))
    return sorted(active, key=lambda trigger: _ORDER[trigger.trigger.name])


def _is_pause(text: str) -> bool:
    match = _PAUSE.fullmatch(text)
    return match is not None and _seconds(match) <= MAX_PAUSE_SECONDS


def _seconds(pause: re.Match[str]) -> float:
    number, unit = pause.groups()
    return int(number) / (1000 if unit.lower() == "ms" else 1)


def _http_error(code: str) -> Reply:
    status = int(code)
    phrases = {entry.value: entry.phrase for entry in HTTPStatus}
    return Reply(
        status, _page(f"{status} {phrases.get(status, 'Error')}", "<hr><center>nginx</center>"), HTML
    )


def _web_page(_: str) -> Reply:
    """The page of a proxy whose authority is down."""
    text = "<p>O sistema encontra-se temporariamente indispon&iacute;vel. Tente novamente mais tarde.</p>"
    return Reply(200, _page("Sistema indisponível", text), HTML)


def _page(title: str, rest: str) -> bytes:
    escaped_title = escape(title)
    head = f'<head><meta charset="utf-8"><title>{escaped_title}</title></head>'
    return (
        f"<html>\r\n{head}\r\n<body>\r\n<h1>{escaped_title}</h1>\r\n{rest}\r\n</body>\r\n</html>\r\n".encode()
    )


def _no_reply(_: Reply) -> ConnectionClosed:
    return ConnectionClosed()


def _cut(reply: Reply) -> Reply:
    return Reply(reply.status, reply.body, reply.media_type, cut=True)


def _empty(reply: Reply) -> Reply:
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
        changes_reply=_no_reply,
    ),
    Trigger(
        name="CORTADA",
        effect="Envia metade da resposta e encerra a conexão.",
        changes_reply=_cut,
    ),
    Trigger(
        name="RESPOSTA_VAZIA",
        effect="Responde com status 200 e corpo vazio.",
        changes_reply=_empty,
    ),
    Trigger(
        name="DEMORA",
        argument=f"segundos (5s) ou milissegundos (500ms), até {MAX_PAUSE_SECONDS} segundos",
        example="5s",
        accepts=_is_pause,
        effect="Julga logo e espera antes de responder; combina com os outros gatilhos.",
        repeats=True,
    ),
)
"""By precedence."""

_BY_NAME = {trigger.name: trigger for trigger in TRIGGERS}
_ORDER = {trigger.name: position for position, trigger in enumerate(TRIGGERS)}
