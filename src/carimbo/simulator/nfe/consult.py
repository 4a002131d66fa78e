"""NFeConsultaProtocolo4: what the authority knows of a key.

Manifestations are the national environment's to tell, and are left out (MOC 7.0, 5.4.3).
"""

from lxml import etree

from carimbo.simulator.ledger import Ledger, StoredDocument, StoredEvent
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.answers import NAMESPACE, Answer, Speaker, Verdict
from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.limits import sender_of, spend
from carimbo.simulator.nfe.rules.consult import CONSULT_RULES, SERVICE, Consult
from carimbo.simulator.rule import first_broken

_UNKNOWN = Verdict("217")
"""MOC 7.0, J03: no rule that can be off, for nothing else could be told."""
_BY_ISSUERS = "11"
_KEY_LENGTH = 44
_CANCELED_LATE = "155"


def answer(call: Call) -> Answer:
    """Tell the state of a document, with its protocol and its issuer's events."""
    case = Consult(call, subject(call.root))
    refusal = first_broken(CONSULT_RULES, case, call.world.controls.rules_off)
    if refusal is None or refusal.code != "656":
        spend(call.world, sender_of(call), SERVICE, case.access_key)
    if refusal:
        return refuse(call, Verdict.of(refusal))
    return _told(case, case.holder) if case.holder else refuse(call, _UNKNOWN)


def refuse(call: Call, verdict: Verdict) -> Answer:
    """Answer without a document."""
    key = subject(call.root)
    return Answer(answers.consult_answer(Speaker.of(call), verdict, _state_code(call), key), verdict.code)


refuse_message = refuse


def subject(root: etree._Element) -> str:
    """The key, or as much as a key has of what stands there: answers repeat it."""
    return (root.findtext(f"{{{NAMESPACE}}}chNFe") or "")[:_KEY_LENGTH]


def _told(case: Consult, document: StoredDocument) -> Answer:
    events = [event for event in _events(case, document) if event.type.startswith(_BY_ISSUERS)]
    code = _code(document, events)
    inside = document.protocol_xml.decode() + "".join(
        answers.registered_event(event.xml, event.answer_xml) for event in events
    )
    said = answers.consult_answer(
        Speaker.of(case), Verdict(code), _state_code(case.call), case.access_key, inside
    )
    return Answer(said, code)


def _events(case: Consult, document: StoredDocument) -> list[StoredEvent]:
    return Ledger(case.world.store).events(document.environment, document.access_key)


def _code(document: StoredDocument, events: list[StoredEvent]) -> str:
    if not document.is_canceled:
        return document.code
    return "151" if any(event.code == _CANCELED_LATE for event in events) else "101"


def _state_code(call: Call) -> str:
    return Speaker.of(call).state(subject(call.root)[:2]).ibge
