"""What the Sefin Nacional answers: JSON with the names of its published contract, or a page of its gateway.

Errors come in three shapes, as they do in reality: `erros` with capitals at the issue of notes, a list `erro`
at events, and one `erro` at questions.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, Self
from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.statuses import NFSE_STATUSES
from carimbo.simulator.family import Said
from carimbo.simulator.http import HTML, JSON, Reply
from carimbo.simulator.nfse.call import Call
from carimbo.simulator.rule import Refusal
from carimbo.simulator.writing import APPLICATION

JSON_TYPE = f"{JSON}; charset=utf-8"
PROBLEM = "application/problem+json; charset=utf-8"
_ZONE = ZoneInfo("America/Sao_Paulo")
_BAD_REQUEST = "https://tools.ietf.org/html/rfc9110#section-15.5.1"
_NAMED = "<nome_evento_vinculado_a_NFS-e>"
UNCATALOGED = "Erro não catalogado."
"""What the Sefin says of what its table lacks; the operator's own table may lack any code."""
_UNAVAILABLE = (
    "<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n"
    "</body></html>\n"
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error as an answer tells it."""

    code: str
    text: str
    detail: str = ""

    @classmethod
    def of(cls, refusal: Refusal) -> Self:
        """What a broken rule leads to, with its official text, which may have a place for a name."""
        text = official_text(refusal.code)
        if _NAMED in text and refusal.detail:
            return cls(refusal.code, text.replace(_NAMED, refusal.detail))
        return cls(refusal.code, text, refusal.detail)

    def told(self) -> dict[str, str]:
        """By the names of the contract; what is empty is left out."""
        told = {"codigo": self.code, "descricao": self.text, "complemento": self.detail}
        return {name: text for name, text in told.items() if text}


class Reject(Protocol):
    """How a resource tells errors."""

    def __call__(self, call: Call, troubles: Sequence[Trouble], status: int = 400) -> Said:
        """Answer with errors, of which there is at least one."""


def official_text(code: str) -> str:
    """The text of a code."""
    status = NFSE_STATUSES.rows.get(code)
    return status.text if status else UNCATALOGED


def local(moment: datetime) -> datetime:
    """A moment by the clock of Brasília, which the Sefin goes by."""
    return moment.astimezone(_ZONE)


def envelope(call: Call) -> dict[str, Any]:
    """What every answer of the Sefin begins with; its clock tells ten-millionths of a second."""
    now = local(call.world.now)
    moment = f"{now:%Y-%m-%dT%H:%M:%S.%f}0{now.isoformat()[-6:]}"
    return {
        "tipoAmbiente": int(call.place.environment),
        "versaoAplicativo": APPLICATION,
        "dataHoraProcessamento": moment,
    }


def reply(status: int, body: Mapping[str, Any]) -> Reply:
    """JSON as the Sefin writes it."""
    return Reply(status, json.dumps(body, ensure_ascii=False).encode(), JSON_TYPE)


def rejection(call: Call, troubles: Sequence[Trouble], status: int = 400) -> Said:
    """`erros`, of a declaration, whose Id is told where it is known."""
    named = {"idDPS": call.posted.id} if call.posted.id else {}
    errors = [{name.capitalize(): text for name, text in one.told().items()} for one in troubles]
    return _said(status, envelope(call) | named | {"erros": errors}, troubles)


def event_rejection(call: Call, troubles: Sequence[Trouble], status: int = 400) -> Said:
    """`erro`, a list, of an event."""
    return _said(status, envelope(call) | {"erro": [one.told() for one in troubles]}, troubles)


def refusal(call: Call, troubles: Sequence[Trouble], status: int = 400) -> Said:
    """`erro`, one, of a question."""
    return _said(status, envelope(call) | {"erro": troubles[0].told()}, troubles)


def out_of_service(code: str) -> Said:
    """The page of what stands before the Sefin while it is away; `code` is what was asked for."""
    return Said(Reply(503, _UNAVAILABLE.encode(), HTML), code, "Serviço paralisado")


def wrong_request(errors: Mapping[str, Sequence[str]]) -> Said:
    """What the server itself says of a request that it can't read, before the Sefin sees it."""
    title = "One or more validation errors occurred."
    body = {"type": _BAD_REQUEST, "title": title, "status": 400, "errors": errors}
    return Said(Reply(400, json.dumps(body).encode(), PROBLEM), "", title)


def _said(status: int, body: Mapping[str, Any], troubles: Sequence[Trouble]) -> Said:
    """Where there is no code, the status stands for it."""
    code = troubles[0].code or str(status)
    return Said(reply(status, body), code, " ".join(one.text for one in troubles))
