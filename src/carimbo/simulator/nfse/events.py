"""POST and GET of the events of a note."""

from base64 import b64encode

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.family import Said
from carimbo.simulator.ledger import StoredEvent
from carimbo.simulator.nfse import answers
from carimbo.simulator.nfse.answers import Trouble
from carimbo.simulator.nfse.call import Call
from carimbo.simulator.nfse.consult import is_for, not_yours
from carimbo.simulator.nfse.event_case import EventCase
from carimbo.simulator.nfse.event_types import NAMES
from carimbo.simulator.nfse.event_writing import REGISTERED, Happening, register
from carimbo.simulator.nfse.judge import all_broken
from carimbo.simulator.nfse.packing import packed
from carimbo.simulator.nfse.reading import message_of
from carimbo.simulator.nfse.rules.events import EVENT_RULES
from carimbo.simulator.nfse.rules.signature import EVENT_SIGNATURE_RULES
from carimbo.simulator.rule import Refusal

FIELD, _ROOT = "pedidoRegistroEventoXmlGZipB64", "pedRegEvento"
_FOUND, _NOT_FOUND = "200", "404"


def answer(call: Call) -> Said:
    """Judge a request to register an event."""
    message = message_of(call, _ROOT, Schema.NFSE_EVENT)
    if isinstance(message, Refusal):
        return answers.event_rejection(call, [Trouble.of(message)])
    case = EventCase(message, call.place, call.world, call.parameters["chave"])
    if broken := all_broken(EVENT_SIGNATURE_RULES, EVENT_RULES, case):
        return answers.event_rejection(call, [Trouble.of(one) for one in broken])
    return _registered(call, case)


def consult(call: Call) -> Said:
    """Tell one event to whom its note is told; its XML is packed, and in base64 once more."""
    document = call.ledger.document(call.place.environment, call.parameters["chave"])
    if document and not is_for(call, document):
        return not_yours(call)
    found = _found(call)
    if found is None:
        return Said(answers.reply(404, answers.envelope(call)), _NOT_FOUND, "Evento não encontrado")
    body = answers.envelope(call) | {"eventos": [_told(found)]}
    return Said(answers.reply(200, body), _FOUND, NAMES.get(found.type, found.type))


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
