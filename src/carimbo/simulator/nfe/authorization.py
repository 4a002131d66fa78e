"""NFeAutorizacao4: lots of documents, which are judged one by one."""

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from datetime import timedelta
from sqlite3 import IntegrityError

from lxml import etree

from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.contributors import Contributor, Contributors
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.answers import NAMESPACE, Answer, Speaker, Verdict
from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.case import NFCE, NFE, Case
from carimbo.simulator.nfe.details import with_details
from carimbo.simulator.nfe.interests import tell_of_document
from carimbo.simulator.nfe.judge import judge
from carimbo.simulator.nfe.key_parts import number_id
from carimbo.simulator.nfe.protocols import next_protocol
from carimbo.simulator.nfe.receipts import keep_lot
from carimbo.simulator.nfe.rules.lots import LOT_RULES, documents_of
from carimbo.simulator.nfe.rules.register import remember_rejection
from carimbo.simulator.rule import first_broken

_STATE_CODE = "/".join(f"{{{NAMESPACE}}}{tag}" for tag in ("NFe", "infNFe", "ide", "cUF"))
_IN_TIME = {NFE: timedelta(days=7), NFCE: timedelta(hours=24)}
"""How long after its issue a document is authorised without further words (NT 2025.001)."""
_AUTHORIZED, _AUTHORIZED_LATE = Verdict("100"), Verdict("150")
_RECEIVED, _PROCESSED = Verdict("103"), Verdict("104")


def answer(call: Call) -> Answer:
    """Judge the documents of a lot: one is answered at once, several by a receipt."""
    if refusal := first_broken(LOT_RULES, call, call.world.controls.rules_off):
        return refuse_message(call, Verdict.of(refusal))
    judged = [_judged(case) for case in _cases(call)]
    if len(judged) == 1:
        return _processed(call, judged[0])
    number = keep_lot(call, _state_code(call), "".join(one.xml for one in judged))
    receipt = answers.receipt(number)
    return Answer(answers.lot_answer(Speaker.of(call), _RECEIVED, _state_code(call), receipt), _RECEIVED.code)


def refuse_message(call: Call, verdict: Verdict) -> Answer:
    """Refuse a lot as a whole: none of its documents is looked at."""
    return Answer(answers.lot_answer(Speaker.of(call), verdict, _state_code(call)), verdict.code)


def refuse(call: Call, verdict: Verdict) -> Answer:
    """Refuse the document of a lot with a code, and keep nothing; a lot of several is refused as a whole."""
    keys = [_key_of(document) for document in documents_of(call.root)]
    if len(keys) != 1:
        return refuse_message(call, verdict)
    said = answers.protocol(Speaker.of(call), with_details(verdict, keys[0], call), keys[0])
    return _processed(call, Answer(said, verdict.code))


def subject(root: etree._Element) -> str:
    """The key of the one document, or the number of a lot of several."""
    keys = [_key_of(document) for document in documents_of(root)]
    return keys[0] if len(keys) == 1 else f"lote {root.findtext(f'{{{NAMESPACE}}}idLote') or ''}".strip()


def _cases(call: Call) -> Iterator[Case]:
    for document in documents_of(call.root):
        alone = deepcopy(document)
        alone.tail = None
        yield Case(alone, call.place, call.world)


def _judged(case: Case) -> Answer:
    """The verdict on a document, which is kept if it is authorised."""
    refusal = judge(case)
    speaker = Speaker.of(case)
    digest = case.signature.digest if case.signature else ""
    if refusal:
        remember_rejection(case)
        said = answers.protocol(speaker, Verdict.of(refusal), case.access_key, digest=digest)
        return Answer(said, refusal.code)
    verdict = _AUTHORIZED_LATE if _is_late(case) else _AUTHORIZED
    number = next_protocol(case.place, case.text("ide/cUF"), case.world)
    said = answers.protocol(speaker, verdict, case.access_key, number, digest)
    _keep(case, verdict, number, said)
    return Answer(said, verdict.code)


def _is_late(case: Case) -> bool:
    return case.world.now - case.issued_at > _IN_TIME[case.model]


def _keep(case: Case, verdict: Verdict, number: str, protocol: str) -> None:
    document = StoredDocument(
        environment=case.place.environment,
        access_key=case.access_key,
        authorizer=case.place.authorizer,
        issuer=case.author,
        recipient=case.text("dest/CNPJ") or case.text("dest/CPF"),
        series=int(case.text("ide/serie")),
        number=int(case.text("ide/nNF")),
        issued_at=case.issued_at,
        received_at=case.world.now,
        code=verdict.code,
        protocol=number,
        digest=case.signature.digest if case.signature else "",
        xml=etree.tostring(case.element, encoding="utf-8"),
        protocol_xml=protocol.encode(),
    )
    # A number that is taken gets here only with the rules 204 and 539 off: the first document stays.
    with suppress(IntegrityError):
        case.ledger.keep_document(document, number_id(document.access_key))
    _remember_issuer(case)
    tell_of_document(document, case.invoice, case.world)


def _remember_issuer(case: Case) -> None:
    """Enter the issuer in the register of its state; what is known of it already stays."""
    state, contributors = state_of_ibge(case.text("ide/cUF")), Contributors(case.world.store)
    known_by = (state.code if state else "", case.author, case.text("emit/IE"))
    if not contributors.knows(*known_by):
        contributors.put(_issuer(case, *known_by))


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
    said = answers.lot_answer(Speaker.of(call), _PROCESSED, _state_code(call), judged.xml)
    return Answer(said, judged.code)


def _state_code(call: Call) -> str:
    """The state of the first document, or the authority's own where that is none."""
    return Speaker.of(call).state(call.root.findtext(_STATE_CODE) or "").ibge


def _key_of(document: etree._Element) -> str:
    signed = document.find(f"{{{NAMESPACE}}}infNFe")
    return "" if signed is None else signed.get("Id", "")[3:]
