"""Resources of notes: issue (POST /nfse), and reading notes and declarations (GET, HEAD)."""

import re

from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import CallReply
from carimbo.simulator.http import Reply
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfse import answers
from carimbo.simulator.nfse.answers import ErrorEntry
from carimbo.simulator.nfse.call import ResourceCall, checked_message, pack_xml
from carimbo.simulator.nfse.distribution_sequence import distribute_note
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.event import replace_note
from carimbo.simulator.nfse.note_xml import Issue, note_xml
from carimbo.simulator.nfse.rule_sets import broken_dps_rules
from carimbo.simulator.nfse.stored_notes import (
    Declarations,
    is_key,
    is_party,
    new_key,
    party_tax_id,
    stored_dps,
)
from carimbo.simulator.nfse.taxation import is_mei
from carimbo.simulator.rules import AuthorityVerdict

DPS_FIELD, _ROOT = "dpsXmlGZipB64", "DPS"
_ISSUED, _ISSUED_BY_MEI = "100", "107"
_ID = re.compile("DPS[0-9A-Z]{42}")
_WRONG_KEY = ErrorEntry("", "A chave de acesso consultada deve conter 50 números.")
_WRONG_ID = ErrorEntry("", "Identificador de DPS inválido")
_FORBIDDEN = ErrorEntry("", "Consulta desta NFS-e não é permitida para este usuário.")
_UNKNOWN_KEY, _UNKNOWN_ID = AuthorityVerdict("E2401"), AuthorityVerdict("E2404")
_FOUND, _FOUND_TEXT = "200", "NFS-e encontrada"


def issue_note(call: ResourceCall) -> CallReply:
    """Judges a declaration, and issues and stores its note."""
    message = checked_message(call, _ROOT, Schema.NFSE_DPS)
    if isinstance(message, AuthorityVerdict):
        return answers.rejection(call, [ErrorEntry.of(message)])
    dps = JudgedDps(message, call.service_path, call.context)
    if broken := broken_dps_rules(dps):
        return answers.rejection(call, [ErrorEntry.of(refusal) for refusal in broken])

    issue = _issue(dps)
    xml = note_xml(dps, issue)
    _store(dps, issue, xml)
    replace_note(dps, issue.access_key)
    body = answers.envelope(call) | {
        "idDps": dps.id,
        "chaveAcesso": issue.access_key,
        "nfseXmlGZipB64": pack_xml(xml),
        "alertas": None,
    }
    text = answers.official_text(issue.code)
    return CallReply(answers.reply(201, body), issue.code, text, (issue.access_key,))


def _issue(dps: JudgedDps) -> Issue:
    store, environment = dps.context.store, dps.service_path.environment
    number = store.next_number(f"nfse {environment} {dps.author}")
    return Issue(
        access_key=new_key(dps.text("cLocEmi"), dps.author, number, answers.brasilia_time(dps.context.now)),
        number=number,
        serial=store.next_number(f"dfse {environment}"),
        code=_ISSUED_BY_MEI if is_mei(dps) else _ISSUED,
    )


def _store(dps: JudgedDps, issue: Issue, xml: bytes) -> None:
    document = StoredDocument(
        environment=dps.service_path.environment,
        access_key=issue.access_key,
        authorizer=dps.service_path.authorizer,
        issuer=dps.author,
        recipient=party_tax_id(dps.group("toma")),
        series=int(dps.text("serie")),
        number=issue.number,
        issued_at=dps.issued_at,
        received_at=dps.context.now,
        code=issue.code,
        protocol=str(issue.serial),
        digest=dps.signature.digest if dps.signature else "",
        xml=etree.tostring(dps.element, encoding="utf-8"),
        protocol_xml=xml,
    )
    dps.ledger.keep_document(document)
    distribute_note(document, dps.content, dps.context)
    Declarations(dps.context.store, dps.service_path.environment).keep(dps.id, issue.access_key)


def read_note(call: ResourceCall) -> CallReply:
    """Returns a note to one of its parties."""
    key = call.parameters["chave"]
    if not is_key(key):
        return answers.refusal(call, [_WRONG_KEY])
    document = call.ledger.document(call.service_path.environment, key)
    if document is None:
        return answers.refusal(call, [ErrorEntry.of(_UNKNOWN_KEY)], 404)
    if not may_read(call, document):
        return reading_forbidden(call)
    body = {"chaveAcesso": key, "nfseXmlGZipB64": pack_xml(document.protocol_xml)}
    return _found_reply(call, body)


def read_declaration(call: ResourceCall) -> CallReply:
    """Returns the key of the note issued for a declaration, to one of its parties."""
    id_ = call.parameters["id"]
    if not _ID.fullmatch(id_):
        return answers.refusal(call, [_WRONG_ID])
    key = _key_of(call)
    document = call.ledger.document(call.service_path.environment, key) if key else None
    if document is None:
        # The Sefin leaves out environment and version here.
        error = ErrorEntry.of(_UNKNOWN_ID)
        moment = answers.envelope(call)["dataHoraProcessamento"]
        body = {"tipoAmbiente": 0, "dataHoraProcessamento": moment, "erro": error.to_json()}
        return CallReply(answers.reply(404, body), error.code, error.text)
    if not may_read(call, document):
        return reading_forbidden(call)
    return _found_reply(call, {"idDps": id_, "chaveAcesso": document.access_key}, (document.access_key,))


def check_declaration(call: ResourceCall) -> CallReply:
    """Returns to any caller whether a note was issued for a declaration, and nothing else."""
    if not _ID.fullmatch(call.parameters["id"]):
        return CallReply(Reply(400), "400", _WRONG_ID.text)
    if _key_of(call) is None:
        return CallReply(Reply(404), "404", answers.official_text(_UNKNOWN_ID.code))
    return CallReply(Reply(200), _FOUND, _FOUND_TEXT)


def reading_forbidden(call: ResourceCall) -> CallReply:
    """Refuses to show a note to a caller that is not one of its parties."""
    return answers.refusal(call, [_FORBIDDEN], 403)


def _key_of(call: ResourceCall) -> str | None:
    return Declarations(call.context.store, call.service_path.environment).key_of(call.parameters["id"])


def may_read(call: ResourceCall, document: StoredDocument) -> bool:
    """Returns whether the caller is a party of the note."""
    return call.sender is not None and is_party(call.sender.owner, stored_dps(document))


def _found_reply(call: ResourceCall, body: dict[str, str], keys: tuple[str, ...] = ()) -> CallReply:
    return CallReply(answers.reply(200, answers.envelope(call) | body), _FOUND, _FOUND_TEXT, keys)
