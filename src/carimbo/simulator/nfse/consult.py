"""GET of notes, and GET and HEAD of declarations: what became of them."""

import re

from carimbo.simulator.family import Said
from carimbo.simulator.http import Reply
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfse import answers
from carimbo.simulator.nfse.answers import Trouble
from carimbo.simulator.nfse.call import Call
from carimbo.simulator.nfse.declarations import Declarations
from carimbo.simulator.nfse.keys import is_key
from carimbo.simulator.nfse.packing import packed
from carimbo.simulator.nfse.parties import is_party
from carimbo.simulator.nfse.stored import note_of
from carimbo.simulator.rule import Refusal

_ID = re.compile("DPS[0-9A-Z]{42}")
_WRONG_KEY = Trouble("", "A chave de acesso consultada deve conter 50 números.")
_WRONG_ID = Trouble("", "Identificador de DPS inválido")
_NOT_YOURS = Trouble("", "Consulta desta NFS-e não é permitida para este usuário.")
_UNKNOWN_KEY, _UNKNOWN_ID = Refusal("E2401"), Refusal("E2404")
_FOUND, _FOUND_TEXT = "200", "NFS-e encontrada"


def note(call: Call) -> Said:
    """Hand a note to who has to do with it."""
    key = call.parameters["chave"]
    if not is_key(key):
        return answers.refusal(call, [_WRONG_KEY])
    document = call.ledger.document(call.place.environment, key)
    if document is None:
        return answers.refusal(call, [Trouble.of(_UNKNOWN_KEY)], 404)
    if not is_for(call, document):
        return not_yours(call)
    body = {"chaveAcesso": key, "nfseXmlGZipB64": packed(document.protocol_xml)}
    return _said(call, body)


def declaration(call: Call) -> Said:
    """Tell the key that a declaration got, to who has to do with the note."""
    id_ = call.parameters["id"]
    if not _ID.fullmatch(id_):
        return answers.refusal(call, [_WRONG_ID])
    key = _key_of(call)
    document = call.ledger.document(call.place.environment, key) if key else None
    if document is None:
        return _unknown_declaration(call)
    if not is_for(call, document):
        return not_yours(call)
    return _said(call, {"idDps": id_, "chaveAcesso": document.access_key}, (document.access_key,))


def declaration_exists(call: Call) -> Said:
    """Tell anybody whether a declaration became a note, and no more than that."""
    if not _ID.fullmatch(call.parameters["id"]):
        return Said(Reply(400), "400", _WRONG_ID.text)
    if _key_of(call) is None:
        return Said(Reply(404), "404", answers.official_text(_UNKNOWN_ID.code))
    return Said(Reply(200), _FOUND, _FOUND_TEXT)


def not_yours(call: Call) -> Said:
    """Who has nothing to do with a note is told nothing of it."""
    return answers.refusal(call, [_NOT_YOURS], 403)


def _key_of(call: Call) -> str | None:
    return Declarations(call.world.store, call.place.environment).key_of(call.parameters["id"])


def is_for(call: Call, document: StoredDocument) -> bool:
    """Tell whether who asks has to do with a note."""
    return call.sender is not None and is_party(call.sender.owner, note_of(document))


def _unknown_declaration(call: Call) -> Said:
    """The Sefin forgets its environment and its version here."""
    told = Trouble.of(_UNKNOWN_ID)
    moment = answers.envelope(call)["dataHoraProcessamento"]
    body = {"tipoAmbiente": 0, "dataHoraProcessamento": moment, "erro": told.told()}
    return Said(answers.reply(404, body), told.code, told.text)


def _said(call: Call, body: dict[str, str], keys: tuple[str, ...] = ()) -> Said:
    return Said(answers.reply(200, answers.envelope(call) | body), _FOUND, _FOUND_TEXT, keys)
