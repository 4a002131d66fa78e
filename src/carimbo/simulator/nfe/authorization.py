"""NFeAutorizacao4: lots of documents, which are judged one by one."""

from datetime import timedelta

from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.contributors import Contributor, Contributors
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.dialect import NAMESPACE
from carimbo.simulator.nfe.interests import tell_of_document
from carimbo.simulator.nfe.models import NFCE, NFE
from carimbo.simulator.nfe.receipts import keep_lot
from carimbo.simulator.nfe.rules.documents import DOCUMENT_RULES
from carimbo.simulator.nfe.rules.lots import LOT_RULES, documents_of
from carimbo.simulator.rule import first_broken
from carimbo.simulator.sefaz.answers import Answer, Authority, Verdict
from carimbo.simulator.sefaz.call import Call, Message
from carimbo.simulator.sefaz.reception import Register, key_in, refused

_STATE_CODE = "/".join(f"{{{NAMESPACE}}}{tag}" for tag in ("NFe", "infNFe", "ide", "cUF"))
_IN_TIME = {NFE: timedelta(days=7), NFCE: timedelta(hours=24)}
"""How long after its issue a document is authorised without further words (NT 2025.001)."""
_AUTHORIZED, _AUTHORIZED_LATE = Verdict("100"), Verdict("150")
_RECEIVED, _PROCESSED = Verdict("103"), Verdict("104")


def _verdict(case: Case) -> Verdict:
    is_late = case.world.now - case.issued_at > _IN_TIME[case.model]
    return _AUTHORIZED_LATE if is_late else _AUTHORIZED


def _tell(case: Case, stored: StoredDocument) -> None:
    """Enters the issuer in the register of its state, and gives the document to its parties."""
    state, contributors = state_of_ibge(case.text("ide/cUF")), Contributors(case.world.store)
    known_by = (state.code if state else "", case.author, case.text("emit/IE"))
    if not contributors.knows(*known_by):
        contributors.put(_issuer(case, *known_by))
    tell_of_document(stored, case.content, case.world)


DOCUMENTS = Register(Case, rules=DOCUMENT_RULES, verdict=_verdict, authorized=_tell)


def answer(call: Call) -> Answer:
    """Judges the documents of a lot: one is answered at once, several by a receipt."""
    if refusal := first_broken(LOT_RULES, call, call.world.controls.rules_off):
        return refuse_message(call, refusal)
    judged = [DOCUMENTS.answer(call, document) for document in documents_of(call.root)]
    if len(judged) == 1:
        return _processed(call, judged[0])
    number = keep_lot(call, _state_code(call), "".join(answer.xml for answer in judged))
    receipt = answers.receipt(number)
    xml = answers.lot_answer(Authority.of(call), _RECEIVED, _state_code(call), receipt)
    return Answer(xml, _RECEIVED.code)


def refuse_message(call: Call, verdict: Verdict) -> Answer:
    """Refuses a lot as a whole: none of its documents is looked at."""
    return Answer(answers.lot_answer(Authority.of(call), verdict, _state_code(call)), verdict.code)


def refuse(call: Call, verdict: Verdict) -> Answer:
    """Refuses the document of a lot, and keeps nothing; a lot of several is refused as a whole."""
    keys = [key_in(call, document) for document in documents_of(call.root)]
    return (
        _processed(call, refused(call, keys[0], verdict)) if len(keys) == 1 else refuse_message(call, verdict)
    )


def subject(message: Message) -> str:
    """Returns the key of the one document, or the number of a lot of several."""
    keys = [key_in(message, document) for document in documents_of(message.root)]
    return keys[0] if len(keys) == 1 else f"lote {message.text_at('idLote')}".strip()


def _issuer(case: Case, state: str, tax_id: str, registration: str) -> Contributor:
    return Contributor(
        state=state,
        tax_id=tax_id,
        registration=registration,
        name=case.text("emit/xNome"),
        trade_name=case.text("emit/xFant"),
        activity=case.text("emit/CNAE"),
        street=case.text("emit/enderEmit/xLgr"),
        number=case.text("emit/enderEmit/nro"),
        district=case.text("emit/enderEmit/xBairro"),
        city_code=case.text("emit/enderEmit/cMun"),
        city=case.text("emit/enderEmit/xMun"),
        zipcode=case.text("emit/enderEmit/CEP"),
    )


def _processed(call: Call, judged: Answer) -> Answer:
    xml = answers.lot_answer(Authority.of(call), _PROCESSED, _state_code(call), judged.xml)
    return Answer(xml, judged.code)


def _state_code(call: Call) -> str:
    """Returns the state of the first document, or the authority's own where that is none."""
    return Authority.of(call).state(call.root.findtext(_STATE_CODE) or "").ibge
