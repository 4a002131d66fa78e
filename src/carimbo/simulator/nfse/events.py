"""POST and GET of the events of a note."""

from base64 import b64encode

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.family import Said
from carimbo.simulator.ledger import StoredEvent
from carimbo.simulator.nfse import answers
from carimbo.simulator.nfse.answers import Trouble
from carimbo.simulator.nfse.call import Call, Posted
from carimbo.simulator.nfse.event_case import EventCase
from carimbo.simulator.nfse.event_types import NAMES
from carimbo.simulator.nfse.event_writing import REGISTERED, Happening, register
from carimbo.simulator.nfse.packing import packed
from carimbo.simulator.nfse.reading import flaw_in
from carimbo.simulator.nfse.rules.events import EVENT_RULES
from carimbo.simulator.nfse.rules.signature import EVENT_SIGNATURE_RULES
from carimbo.simulator.rule import Refusal, broken_by, first_broken

FIELD, ROOT = "pedidoRegistroEventoXmlGZipB64", "pedRegEvento"
_FOUND, _NOT_FOUND = "200", "404"
_ANOTHER_KEY = Refusal("E1827", "A chave do endereço não é a do pedido.")


def answer(call: Call) -> Said:
    """Judge a request to register an event."""
    posted = call.posted or Posted()
    if flaw := flaw_in(posted, ROOT, Schema.NFSE_EVENT, call.world):
        return answers.event_rejection(call, [Trouble.of(flaw)])
    assert posted.root is not None  # noqa: S101 - else it had a flaw
    case = EventCase(posted.root, call.place, call.world)
    if broken := _judge(case, call):
        return answers.event_rejection(call, [Trouble.of(one) for one in broken])
    return _registered(call, case)


def consult(call: Call) -> Said:
    """Tell one event of a note; its XML is packed, and in base64 once more."""
    found = _found(call)
    if found is None:
        return Said(answers.reply(404, answers.envelope(call)), _NOT_FOUND, "Evento não encontrado")
    body = answers.envelope(call) | {"eventos": [_told(found)]}
    return Said(answers.reply(200, body), _FOUND, NAMES.get(found.type, found.type))


def _judge(case: EventCase, call: Call) -> list[Refusal]:
    off = case.world.controls.rules_off
    unsigned = first_broken(EVENT_SIGNATURE_RULES, case, off)
    if unsigned:
        return [unsigned]
    if call.parameters.get("chave") != case.access_key:
        return [_ANOTHER_KEY]
    return list(broken_by(EVENT_RULES, case, off))


def _registered(call: Call, case: EventCase) -> Said:
    happening = Happening(
        access_key=case.access_key,
        type=case.type,
        author=case.author,
        request=etree.tostring(case.element, encoding="unicode"),
    )
    xml = register(happening, call.place, call.world)
    body = answers.envelope(call) | {"eventoXmlGZipB64": packed(xml)}
    return Said(answers.reply(201, body), REGISTERED, NAMES.get(case.type, case.type))


def _found(call: Call) -> StoredEvent | None:
    parameters = call.parameters
    events = call.ledger.events(call.place.environment, parameters["chave"])
    asked = (parameters["tipo"], parameters["sequencia"])
    return next((one for one in events if (one.type, str(one.sequence)) == asked), None)


def _told(event: StoredEvent) -> dict[str, object]:
    moment = answers.local(event.registered_at)
    return {
        "chaveAcesso": event.access_key,
        "tipoEvento": int(event.type),
        "numeroPedidoRegistroEvento": event.sequence,
        "dataHoraRecebimento": moment.replace(tzinfo=None).isoformat(timespec="milliseconds"),
        "arquivoXml": b64encode(packed(event.answer_xml).encode()).decode(),
    }
