"""NF-e and NFC-e: two families that share their services, and differ in the model of their documents."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from lxml import etree

from carimbo.fiscal.tables.statuses import NFE_STATUSES, REJECTIONS, Action
from carimbo.simulator import soap, wsdl
from carimbo.simulator.family import Heard, Said, World
from carimbo.simulator.http import Reply, Request
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe import case
from carimbo.simulator.nfe.answers import NAMESPACE, Answer, Verdict, authorized_invoice
from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.judge import MESSAGE_RULES
from carimbo.simulator.nfe.key_parts import MODEL
from carimbo.simulator.nfe.rule_codes import RULE_CODES
from carimbo.simulator.nfe.services import Service, service_at
from carimbo.simulator.place import Place
from carimbo.simulator.rule import first_broken
from carimbo.simulator.trust import Credential, credential_of

_RECIPIENT, _NAME = f"{{{NAMESPACE}}}dest", f"{{{NAMESPACE}}}xNome"
_DOCUMENT, _EVENT, _ASKED_KEY = (f"{{{NAMESPACE}}}{tag}" for tag in ("infNFe", "infEvento", "chNFe"))
_KEY = re.compile(r"[0-9A-Z]{44}")
# The Id of an event has 54 characters; whatever is longer is none, and the journal need not hold it.
_LONGEST_SUBJECT = 100
_MOST_KEYS = 50
"""Of a lot, as its XSD has it."""
_FREE_TEXTS = [f"{{{NAMESPACE}}}{tag}" for tag in ("xProd", "infCpl", "infAdFisco", "xJust", "xCorrecao")]
_METHODS = frozenset({"POST"})
_OUT_OF_SERVICE = frozenset({"108", "109"})
_FIRST_REJECTION = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """A call of a service, opened."""

    service: Service
    opened: soap.Opened


@dataclass(frozen=True, slots=True)
class GoodsFamily:
    """The documents of one model."""

    name: str
    model: str

    def describe(self, place: Place, address: str) -> Reply | None:
        """The WSDL of a service."""
        service = service_at(place, self.model)
        return wsdl.description(service.description, address) if service else None

    @property
    def methods(self) -> frozenset[str]:
        """SOAP comes by POST alone."""
        return _METHODS

    @property
    def codes(self) -> frozenset[str]:
        """The codes of every rule."""
        return RULE_CODES

    def hear(self, place: Place, request: Request) -> Heard | Said | None:
        """Open the envelope; a fault if there is none, or not the service's own."""
        service = service_at(place, self.model)
        if service is None:
            return None
        try:
            opened = soap.open_request(request.body, service.wrapping)
        except soap.SoapFault as reason:
            return Said(soap.fault(str(reason), reason.version), "", str(reason))
        found = list(opened.root.iter(_RECIPIENT, _DOCUMENT, _EVENT, _ASKED_KEY, *_FREE_TEXTS))
        return Heard(
            service=service.name,
            subject=service.desk.subject(opened.root)[:_LONGEST_SUBJECT],
            texts=_texts(found),
            message=Asked(service, opened),
            keys=_keys(found),
            parts=_parts(found),
        )

    def answer(self, place: Place, heard: Heard, request: Request, world: World) -> Said:
        """Judge the message, and then what it asks for."""
        asked = cast(Asked, heard.message)
        sender = credential_of(request.certificate) if request.certificate else None
        return _said(asked, _judged(asked, _call(asked, place, world, sender)))

    def refuse(self, place: Place, heard: Heard, code: str, world: World) -> Said:
        """Answer with a code: of what is asked for, or of the whole message where the service is out."""
        asked = cast(Asked, heard.message)
        desk, call = asked.service.desk, _call(asked, place, world)
        refuse = desk.refuse_message if code in _OUT_OF_SERVICE else desk.refuse
        return _said(asked, refuse(call, Verdict(code)))

    def refuses_with(self, code: str) -> bool:
        """Whatever refuses; from 200 on all do (MOC 7.0, 5.1.1), except the denials of old."""
        status = NFE_STATUSES.rows.get(code)
        if status is None or status.action is Action.DENIED:
            return False
        return code in _OUT_OF_SERVICE or status.action in REJECTIONS or int(code) >= _FIRST_REJECTION

    def fail(self) -> Reply:
        """A SOAP fault."""
        return soap.server_fault()

    def hand_out(self, document: StoredDocument) -> bytes | None:
        """`nfeProc`, of documents of this model."""
        if not _KEY.fullmatch(document.access_key) or document.access_key[MODEL] != self.model:
            return None
        return authorized_invoice(document.xml, document.protocol_xml).encode()


def _judged(asked: Asked, call: Call) -> Answer:
    desk, damage = asked.service.desk, asked.opened.damage
    if damage:
        return desk.refuse_message(call, Verdict(damage.value))
    refusal = first_broken(MESSAGE_RULES, call, call.world.controls.rules_off)
    return desk.refuse_message(call, Verdict.of(refusal)) if refusal else desk.answer(call)


def _call(asked: Asked, place: Place, world: World, sender: Credential | None = None) -> Call:
    opened = asked.opened
    return Call(
        root=opened.root,
        text=opened.text,
        schema=asked.service.schema,
        sender=sender,
        place=place,
        world=world,
        envelope_encoding=opened.encoding,
    )


def _said(asked: Asked, answer: Answer) -> Said:
    reply = soap.answer(asked.opened.version, asked.service.wrapping, answer.xml)
    return Said(reply, answer.code, answer.message)


def _texts(found: Sequence[etree._Element]) -> tuple[str, ...]:
    """Where people write freely: names of recipients, descriptions, notes, reasons."""
    written = (one for one in found if one.tag not in (_DOCUMENT, _EVENT, _ASKED_KEY))
    texts = (one.findtext(_NAME) if one.tag == _RECIPIENT else one.text for one in written)
    return tuple(filter(None, texts))


def _keys(found: Sequence[etree._Element]) -> tuple[str, ...]:
    """The documents that are sent, asked about or told of, each once."""
    told = (_key_of(one) for one in found if one.tag in (_DOCUMENT, _ASKED_KEY))
    return tuple(dict.fromkeys(key for key in told if _KEY.fullmatch(key)))[:_MOST_KEYS]


def _key_of(element: etree._Element) -> str:
    return element.get("Id", "")[3:] if element.tag == _DOCUMENT else element.text or ""


def _parts(found: Sequence[etree._Element]) -> tuple[str, ...]:
    """The documents and events of a lot, by the subject that each would have alone."""
    ids = (one.get("Id", "") for one in found if one.tag in (_DOCUMENT, _EVENT))
    cut = (told.removeprefix("NFe")[:_LONGEST_SUBJECT] for told in ids)
    return tuple(filter(None, cut))[:_MOST_KEYS]


NFE = GoodsFamily("nfe", case.NFE)
NFCE = GoodsFamily("nfce", case.NFCE)
