"""POST /nfse: a declaration becomes a note, at once or not at all."""

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.family import Said
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfse import answers
from carimbo.simulator.nfse.answers import Trouble
from carimbo.simulator.nfse.call import Call
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.declarations import Declarations
from carimbo.simulator.nfse.judge import judge
from carimbo.simulator.nfse.keys import new_key
from carimbo.simulator.nfse.note import Issue, note_xml
from carimbo.simulator.nfse.packing import packed
from carimbo.simulator.nfse.parties import tax_id
from carimbo.simulator.nfse.reading import message_of
from carimbo.simulator.nfse.regimes import is_mei
from carimbo.simulator.nfse.replacing import replace_note
from carimbo.simulator.rule import Refusal

FIELD, _ROOT = "dpsXmlGZipB64", "DPS"
_ISSUED, _ISSUED_BY_MEI = "100", "107"


def answer(call: Call) -> Said:
    """Judge a declaration, and keep the note that it becomes."""
    message = message_of(call, _ROOT, Schema.NFSE_DPS)
    if isinstance(message, Refusal):
        return answers.rejection(call, [Trouble.of(message)])
    case = NoteCase(message, call.place, call.world)
    if broken := judge(case):
        return answers.rejection(call, [Trouble.of(one) for one in broken])
    return _issued(call, case)


def _issued(call: Call, case: NoteCase) -> Said:
    issue = _issue(case)
    xml = note_xml(case, issue)
    _keep(case, issue, xml)
    replace_note(case, issue.access_key)
    body = answers.envelope(call) | {
        "idDps": case.id,
        "chaveAcesso": issue.access_key,
        "nfseXmlGZipB64": packed(xml),
        "alertas": None,
    }
    text = answers.official_text(issue.code)
    return Said(answers.reply(201, body), issue.code, text, (issue.access_key,))


def _issue(case: NoteCase) -> Issue:
    store, environment = case.world.store, case.place.environment
    number = store.next_of(f"nfse {environment} {case.author}")
    return Issue(
        access_key=new_key(case.text("cLocEmi"), case.author, number, answers.local(case.world.now)),
        number=number,
        serial=store.next_of(f"dfse {environment}"),
        code=_ISSUED_BY_MEI if is_mei(case) else _ISSUED,
    )


def _keep(case: NoteCase, issue: Issue, xml: bytes) -> None:
    document = StoredDocument(
        environment=case.place.environment,
        access_key=issue.access_key,
        authorizer=case.place.authorizer,
        issuer=case.author,
        recipient=tax_id(case.group("toma")),
        series=int(case.text("serie")),
        number=issue.number,
        issued_at=case.issued_at,
        received_at=case.world.now,
        code=issue.code,
        protocol=str(issue.serial),
        digest=case.signature.digest if case.signature else "",
        xml=etree.tostring(case.element, encoding="utf-8"),
        protocol_xml=xml,
    )
    case.ledger.keep_document(document)
    Declarations(case.world.store, case.place.environment).keep(case.id, issue.access_key)
