"""Answers of the national environment about events: to the request that brought them, or in a consult."""

from dataclasses import replace

from carimbo.fiscal.layouts.dps_v1.events import EventIdentity
from carimbo.fiscal.layouts.dps_v1.json_answers import find_part
from carimbo.fiscal.layouts.dps_v1.refused_answers import read_refusal, read_refused_question
from carimbo.fiscal.layouts.dps_v1.xml_answers import AuthorityXml, open_xml
from carimbo.fiscal.outcome import Authorized, NotJudged, Outcome, Throttled, Unavailable, Unknown, unexpected

_DONE = frozenset({200, 201})
_NAMES = ("eventoXmlGZipB64", "arquivoXml")

Consulted = Authorized | Unknown | Unavailable | Throttled | NotJudged
"""A registration, or that there is none, or why that is not known."""


def read_event(status: int, body: bytes, event: EventIdentity) -> Outcome:
    """Read the answer to the request to register an event (POST /nfse/{chave}/eventos)."""
    return _registration(body, event) if status in _DONE else read_refusal(status, body)


def read_registered_event(status: int, body: bytes, event: EventIdentity) -> Consulted:
    """Read whether an event is registered (GET /nfse/{chave}/eventos/{tipo}/{seq})."""
    if status not in _DONE:
        return read_refused_question(status, body)
    found = _registration(body, event)
    # Ours are signed: one that is not is of somebody who used the authority's own pages.
    return replace(found, digest=found.digest or "") if isinstance(found, Authorized) else found


def _registration(body: bytes, event: EventIdentity) -> Authorized | NotJudged:
    """Find the event in an answer: alone, or as the only one of a list."""
    answer = find_part(body)
    if isinstance(answer, NotJudged):
        return answer
    packed = [part.packed(name) for part in (answer, *answer.parts("eventos")) for name in _NAMES]
    told = [open_xml(text, "evento") for text in packed if text]
    if len(told) != 1:
        return unexpected(f"{len(told)} eventos na resposta")
    return told[0] if isinstance(told[0], NotJudged) else _authorized(told[0], event)


def _authorized(registered: AuthorityXml, event: EventIdentity) -> Authorized | NotJudged:
    """Tell a registration by its own identifier: the authority numbers those of issuers all with zero."""
    information = registered.root.part("infEvento")
    request = information and information.part("pedRegEvento")
    detail = request and request.part("infPedReg", f"e{event.type}")
    if information is None or request is None or detail is None:
        return unexpected("evento incompleto ou de outro tipo")
    moment, identifier = information.moment("dhProc"), f"EVT{event.access_key}{event.type}"
    if moment is None or not information.id.startswith(identifier):
        return unexpected("evento de outra NFS-e, ou sem data legível")
    return Authorized(
        code=event.type,
        message=detail.text("xDesc"),
        protocol=information.id,
        authorized_at=moment,
        protocol_xml=registered.xml,
        access_key=event.access_key,
        digest=request.digest,
    )
