"""NFS-e: a family that speaks REST and JSON, at the Sefin Nacional and its data environment."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from carimbo.fiscal.tables.statuses import NFSE_STATUSES
from carimbo.simulator.family import Heard, Said, World
from carimbo.simulator.http import TEXT, Reply, Request
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfse import answers
from carimbo.simulator.nfse.answers import Trouble
from carimbo.simulator.nfse.call import NAMESPACE, NOTHING_POSTED, Call, Posted
from carimbo.simulator.nfse.keys import is_key
from carimbo.simulator.nfse.reading import is_json, opened, packed_in
from carimbo.simulator.nfse.resources import Found, resources_at, resources_of
from carimbo.simulator.nfse.rule_codes import RULE_CODES
from carimbo.simulator.nfse.rules.sender import SENDER_RULES
from carimbo.simulator.place import Place
from carimbo.simulator.rule import Refusal, first_broken
from carimbo.simulator.trust import Credential, credential_of

_METHODS = frozenset({"GET", "HEAD", "POST"})
_OUT_OF_SERVICE = frozenset({"108", "109"})
# The Id of an event has 59 characters; whatever is longer is none, and the journal need not hold it.
_LONGEST_SUBJECT = 100
_RECIPIENT, _NAME = f"{{{NAMESPACE}}}toma", f"{{{NAMESPACE}}}xNome"
_FREE_TEXTS = [f"{{{NAMESPACE}}}{tag}" for tag in ("xDescServ", "xInfComp", "xMotivo")]
_NO_LIST = "E1206"
"""A certificate that can't be looked up now may be good: this one can be tried again."""
_NOT_JSON = Reply(415, b"Unsupported Media Type", TEXT)
_FAILED = {
    "erros": [
        {
            "Codigo": "RNG9999",
            "Descricao": answers.UNCATALOGED,
            "Complemento": "Ocorreu um erro inesperado.",
        }
    ]
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A call of a resource, and what it brought."""

    found: Found
    posted: Posted


@dataclass(frozen=True, slots=True)
class ServiceFamily:
    """The notes of services."""

    name: str = "nfse"

    @property
    def methods(self) -> frozenset[str]:
        """Those of its resources."""
        return _METHODS

    @property
    def codes(self) -> frozenset[str]:
        """The codes of every rule."""
        return RULE_CODES

    def describe(self, place: Place, address: str) -> Reply | None:
        """The list of the resources of a service."""
        named = [] if place.rest else [one.name for one in resources_of(place)]
        return Reply(200, "\n".join((*named, "")).encode(), TEXT) if named else None

    def hear(self, place: Place, request: Request) -> Heard | Said | None:
        """Find the resource, and open what is posted to it."""
        known = {found.resource.method: found for found in resources_at(place)}
        if not known:
            return None
        if request.method not in known:
            return Said(Reply(405), "", f"Este endereço aceita só {', '.join(known)}.")
        found = known[request.method]
        return _posted(found, request) if found.resource.field else _heard(Asked(found, NOTHING_POSTED))

    def answer(self, place: Place, heard: Heard, request: Request, world: World) -> Said:
        """Look at the certificate, and judge."""
        asked = cast(Asked, heard.message)
        sender = credential_of(request.certificate) if request.certificate else None
        call = _call(asked, place, world, sender)
        refusal = first_broken(SENDER_RULES, call, world.controls.rules_off)
        return _turned_away(asked, call, refusal) if refusal else asked.found.resource.answer(call)

    def refuse(self, place: Place, heard: Heard, code: str, world: World) -> Said:
        """Answer with a code; what is out of service answers by its gateway."""
        if code in _OUT_OF_SERVICE:
            return answers.out_of_service(code)
        asked = cast(Asked, heard.message)
        return asked.found.resource.reject(_call(asked, place, world), [Trouble.of(Refusal(code))])

    def refuses_with(self, code: str) -> bool:
        """Every error, all of which begin with `E`, and what any authority is out of service by."""
        return code in _OUT_OF_SERVICE or (code.startswith("E") and code in NFSE_STATUSES)

    def fail(self) -> Reply:
        """An error in JSON."""
        return answers.reply(500, _FAILED)

    def hand_out(self, document: StoredDocument) -> bytes | None:
        """`NFSe`."""
        return document.protocol_xml if is_key(document.access_key) else None


def _posted(found: Found, request: Request) -> Heard | Said:
    if not is_json(request):
        return Said(_NOT_JSON, "", "O corpo não diz que é JSON.")
    packed = packed_in(request, found.resource.field)
    if packed is None:
        return answers.wrong_request({found.resource.field: ["The field is required."]})
    return _heard(Asked(found, opened(packed)))


def _heard(asked: Asked) -> Heard:
    parameters, posted = asked.found.parameters, asked.posted
    named = parameters.get("id") or parameters.get("chave") or parameters.get("municipio", "")
    return Heard(
        service=asked.found.resource.name,
        subject=(posted.id or named)[:_LONGEST_SUBJECT],
        texts=tuple(_texts(posted)),
        message=asked,
        keys=tuple(key for key in parameters.values() if is_key(key)),
    )


def _texts(posted: Posted) -> Iterator[str]:
    """Where people write freely: the taker's name, the description, notes, reasons."""
    if posted.root is None:
        return
    for one in posted.root.iter(_RECIPIENT, *_FREE_TEXTS):
        text = one.findtext(_NAME) if one.tag == _RECIPIENT else one.text
        if text:
            yield text


def _call(asked: Asked, place: Place, world: World, sender: Credential | None = None) -> Call:
    return Call(
        place=place, world=world, sender=sender, parameters=asked.found.parameters, posted=asked.posted
    )


def _turned_away(asked: Asked, call: Call, refusal: Refusal) -> Said:
    status = 400 if refusal.code == _NO_LIST else 403
    return asked.found.resource.reject(call, [Trouble.of(refusal)], status)


NFSE = ServiceFamily()
