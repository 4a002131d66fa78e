"""NF-e and NFC-e: two families that share their services, and differ in the model of their documents."""

from dataclasses import dataclass
from typing import cast

from cryptography import x509
from lxml import etree

from carimbo.fiscal.tables.endpoints import services_of
from carimbo.simulator import soap, wsdl
from carimbo.simulator.family import Heard, Said, World
from carimbo.simulator.http import Reply, Request
from carimbo.simulator.nfe import case
from carimbo.simulator.nfe.answers import NAMESPACE, Answer, Verdict
from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.judge import MESSAGE_RULES
from carimbo.simulator.nfe.rules.rule import first_broken
from carimbo.simulator.nfe.services import SERVICES, Service
from carimbo.simulator.place import Place
from carimbo.simulator.trust import certificate_of

_RECIPIENT, _NAME = f"{{{NAMESPACE}}}dest", f"{{{NAMESPACE}}}xNome"
_FREE_TEXTS = [f"{{{NAMESPACE}}}{tag}" for tag in ("xProd", "infCpl", "infAdFisco", "xJust", "xCorrecao")]
_OUT_OF_SERVICE = frozenset({"108", "109"})


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
        service = self._service(place)
        return wsdl.description(service.description, address) if service else None

    def hear(self, place: Place, request: Request) -> Heard | Reply | None:
        """Open the envelope; a fault if there is none, or not the service's own."""
        service = self._service(place)
        if service is None:
            return None
        try:
            opened = soap.open_request(request.body, service.wrapping)
        except soap.SoapFault as reason:
            return soap.fault(str(reason), reason.version)
        subject, texts = service.desk.subject(opened.root), _texts(opened.root)
        return Heard(service.name, subject, texts, Asked(service, opened))

    def answer(self, place: Place, heard: Heard, request: Request, world: World) -> Said:
        """Judge the message, and then what it asks for."""
        asked = cast(Asked, heard.message)
        sender = certificate_of(request.certificate) if request.certificate else None
        return _said(asked, _judged(asked, _call(asked, place, world, sender)))

    def refuse(self, place: Place, heard: Heard, code: str, world: World) -> Said:
        """Answer with a code: of what is asked for, or of the whole message where the service is out."""
        asked = cast(Asked, heard.message)
        desk, call = asked.service.desk, _call(asked, place, world)
        refuse = desk.refuse_message if code in _OUT_OF_SERVICE else desk.refuse
        return _said(asked, refuse(call, Verdict(code)))

    def _service(self, place: Place) -> Service | None:
        service = SERVICES.get(place.service.lower().removesuffix(".asmx"))
        return service if service and service.name in services_of(self.model, place.authorizer) else None


def _judged(asked: Asked, call: Call) -> Answer:
    desk, damage = asked.service.desk, asked.opened.damage
    if damage:
        return desk.refuse_message(call, Verdict(damage.value))
    refusal = first_broken(MESSAGE_RULES, call, call.world.controls.rules_off)
    return desk.refuse_message(call, Verdict.of(refusal)) if refusal else desk.answer(call)


def _call(asked: Asked, place: Place, world: World, sender: x509.Certificate | None = None) -> Call:
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
    return Said(soap.answer(asked.opened.version, asked.service.wrapping, answer.xml), answer.code)


def _texts(root: etree._Element) -> tuple[str, ...]:
    """Where people write freely: names of recipients, descriptions, notes, reasons."""
    found = root.iter(_RECIPIENT, *_FREE_TEXTS)
    texts = (one.findtext(_NAME) if one.tag == _RECIPIENT else one.text for one in found)
    return tuple(filter(None, texts))


NFE = GoodsFamily("nfe", case.NFE)
NFCE = GoodsFamily("nfce", case.NFCE)
