"""Answers of the Sefin Nacional: JSON with the names of its published contract, or a page of its gateway.

As in reality, errors have three shapes: `erros` with capitalized names for the issue of notes, a list `erro`
for events, and a single `erro` for queries.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, Self
from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.statuses import NFSE_STATUSES
from carimbo.simulator.family import CallReply
from carimbo.simulator.http import HTML, JSON, Reply
from carimbo.simulator.nfse.call import ResourceCall
from carimbo.simulator.rules import AuthorityVerdict
from carimbo.simulator.xml_messages import APPLICATION

JSON_TYPE = f"{JSON}; charset=utf-8"
PROBLEM = "application/problem+json; charset=utf-8"
_ZONE = ZoneInfo("America/Sao_Paulo")
_BAD_REQUEST = "https://tools.ietf.org/html/rfc9110#section-15.5.1"
_NAMED = "<nome_evento_vinculado_a_NFS-e>"
UNCATALOGED = "Erro não catalogado."
"""The text of codes that the table lacks; an operator's own table may lack any code."""
_UNAVAILABLE = (
    "<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n"
    "</body></html>\n"
)


@dataclass(frozen=True, slots=True)
class ErrorEntry:
    """An error in an answer."""

    code: str
    text: str
    detail: str = ""

    @classmethod
    def of(cls, refusal: AuthorityVerdict) -> Self:
        """Returns the error of a broken rule, with its official text, whose placeholder the detail fills."""
        text = official_text(refusal.code)
        if _NAMED in text and refusal.detail:
            return cls(refusal.code, text.replace(_NAMED, refusal.detail))
        return cls(refusal.code, text, refusal.detail)

    def to_json(self) -> dict[str, str]:
        """Returns its non-empty values by the names of the contract."""
        values = {"codigo": self.code, "descricao": self.text, "complemento": self.detail}
        return {name: text for name, text in values.items() if text}


class RejectionWriter(Protocol):
    """Writes the error answer of a resource."""

    def __call__(self, call: ResourceCall, errors: Sequence[ErrorEntry], status: int = 400) -> CallReply:
        """Returns an answer with these errors; there is at least one."""


def official_text(code: str) -> str:
    """Returns the official text of a code."""
    status = NFSE_STATUSES.rows.get(code)
    return status.text if status else UNCATALOGED


def brasilia_time(moment: datetime) -> datetime:
    """Converts a moment to the time of Brasília, which the Sefin uses."""
    return moment.astimezone(_ZONE)


def envelope(call: ResourceCall) -> dict[str, Any]:
    """Returns the fields that every answer begins with; its times have seven decimals."""
    now = brasilia_time(call.context.now)
    moment = f"{now:%Y-%m-%dT%H:%M:%S.%f}0{now.isoformat()[-6:]}"
    return {
        "tipoAmbiente": int(call.service_path.environment),
        "versaoAplicativo": APPLICATION,
        "dataHoraProcessamento": moment,
    }


def reply(status: int, body: Mapping[str, Any]) -> Reply:
    """Returns a JSON reply, as the Sefin writes it."""
    return Reply(status, json.dumps(body, ensure_ascii=False).encode(), JSON_TYPE)


def rejection(call: ResourceCall, errors: Sequence[ErrorEntry], status: int = 400) -> CallReply:
    """Answers a declaration with `erros`, and with its Id if it could be read."""
    named = {"idDPS": call.posted.id} if call.posted.id else {}
    entries = [{name.capitalize(): text for name, text in error.to_json().items()} for error in errors]
    return _error_answer(status, envelope(call) | named | {"erros": entries}, errors)


def event_rejection(call: ResourceCall, errors: Sequence[ErrorEntry], status: int = 400) -> CallReply:
    """Answers an event with a list `erro`."""
    return _error_answer(status, envelope(call) | {"erro": [error.to_json() for error in errors]}, errors)


def refusal(call: ResourceCall, errors: Sequence[ErrorEntry], status: int = 400) -> CallReply:
    """Answers a query with a single `erro`."""
    return _error_answer(status, envelope(call) | {"erro": errors[0].to_json()}, errors)


def out_of_service(code: str) -> CallReply:
    """Returns the gateway's page during an outage; `code` is the code that the operator requested."""
    return CallReply(Reply(503, _UNAVAILABLE.encode(), HTML), code, "Serviço paralisado")


def wrong_request(errors: Mapping[str, Sequence[str]]) -> CallReply:
    """Returns the web server's own answer to a request that it cannot read."""
    title = "One or more validation errors occurred."
    body = {"type": _BAD_REQUEST, "title": title, "status": 400, "errors": errors}
    return CallReply(Reply(400, json.dumps(body).encode(), PROBLEM), "", title)


def _error_answer(status: int, body: Mapping[str, Any], errors: Sequence[ErrorEntry]) -> CallReply:
    """Uses the status as code if the error has none."""
    code = errors[0].code or str(status)
    return CallReply(reply(status, body), code, " ".join(error.text for error in errors))
