"""Resources of events: registration (POST) and reading (GET)."""

from base64 import b64encode

from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import CallReply
from carimbo.simulator.ledger import StoredEvent
from carimbo.simulator.nfse import answers
from carimbo.simulator.nfse.answers import ErrorEntry
from carimbo.simulator.nfse.call import ResourceCall, checked_message, pack_xml
from carimbo.simulator.nfse.event import (
    EVENT_NAMES,
    REGISTERED,
    AcceptedEvent,
    JudgedNoteEvent,
    register_event,
)
from carimbo.simulator.nfse.note_resources import may_read, reading_forbidden
from carimbo.simulator.nfse.rule_sets import broken_rules
from carimbo.simulator.nfse.rules.certificates import EVENT_SIGNATURE_RULES
from carimbo.simulator.nfse.rules.events import EVENT_RULES
from carimbo.simulator.rules import AuthorityVerdict

EVENT_FIELD, _ROOT = "pedidoRegistroEventoXmlGZipB64", "pedRegEvento"
_FOUND, _NOT_FOUND = "200", "404"


def register_posted_event(call: ResourceCall) -> CallReply:
    """Judges a request and registers its event."""
    message = checked_message(call, _ROOT, Schema.NFSE_EVENT)
    if isinstance(message, AuthorityVerdict):
        return answers.event_rejection(call, [ErrorEntry.of(message)])
    event = JudgedNoteEvent(message, call.service_path, call.context, call.parameters["chave"])
    if broken := broken_rules(EVENT_SIGNATURE_RULES, EVENT_RULES, event):
        return answers.event_rejection(call, [ErrorEntry.of(refusal) for refusal in broken])

    registration = AcceptedEvent(
        access_key=event.access_key,
        type=event.type,
        author=event.author,
        request=etree.tostring(event.element, encoding="unicode"),
    )
    xml = register_event(registration, call.service_path, call.context)
    body = answers.envelope(call) | {"eventoXmlGZipB64": pack_xml(xml)}
    return CallReply(answers.reply(201, body), REGISTERED, EVENT_NAMES.get(event.type, event.type))


def read_event(call: ResourceCall) -> CallReply:
    """Returns one event to a party of its note; its XML is packed and encoded in base64 once more."""
    environment, key = call.service_path.environment, call.parameters["chave"]
    document = call.ledger.document(environment, key)
    if document and not may_read(call, document):
        return reading_forbidden(call)

    requested = (call.parameters["tipo"], call.parameters["sequencia"])
    events = call.ledger.events(environment, key)
    event = next((item for item in events if (item.type, str(item.sequence)) == requested), None)
    if event is None:
        return CallReply(answers.reply(404, answers.envelope(call)), _NOT_FOUND, "Evento não encontrado")
    body = answers.envelope(call) | {"eventos": [_event_json(event)]}
    return CallReply(answers.reply(200, body), _FOUND, EVENT_NAMES.get(event.type, event.type))


def _event_json(event: StoredEvent) -> dict[str, object]:
    moment = answers.brasilia_time(event.registered_at)
    return {
        "chaveAcesso": event.access_key,
        "tipoEvento": int(event.type),
        "numeroPedidoRegistroEvento": event.sequence,
        "dataHoraRecebimento": moment.replace(tzinfo=None).isoformat(timespec="milliseconds"),
        "arquivoXml": b64encode(pack_xml(event.answer_xml).encode()).decode(),
    }
