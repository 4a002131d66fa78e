"""NFeAutorizacao4: receives lots of documents, and judges each document."""

from collections.abc import Iterator
from datetime import timedelta

from lxml import etree

from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.dialect import NAMESPACE, NFCE, NFE
from carimbo.simulator.nfe.distribution_sequence import distribute_document
from carimbo.simulator.nfe.judged import JudgedInvoice
from carimbo.simulator.nfe.receipts import keep_lot
from carimbo.simulator.nfe.rules.documents import DOCUMENT_RULES
from carimbo.simulator.registers import Contributor, Contributors
from carimbo.simulator.rules import AuthorityVerdict, RejectionRule, first_broken
from carimbo.simulator.sefaz.answers import AnsweringAuthority, ServiceAnswer
from carimbo.simulator.sefaz.call import Message, ServiceCall
from carimbo.simulator.sefaz.reception import DocumentRegister, access_key_in, refusal_protocol

_NFE_TAG_PREFIX = "{http://www.portalfiscal.inf.br/nfe}"
_DOCUMENT, _IS_SYNCHRONOUS = f"{_NFE_TAG_PREFIX}NFe", f"{_NFE_TAG_PREFIX}indSinc"
_MODEL = f"{_NFE_TAG_PREFIX}infNFe/{_NFE_TAG_PREFIX}ide/{_NFE_TAG_PREFIX}mod"
_SYNCHRONOUS = "1"
_STATE_CODE = "/".join(f"{{{NAMESPACE}}}{tag}" for tag in ("NFe", "infNFe", "ide", "cUF"))
_IN_TIME = {NFE: timedelta(days=7), NFCE: timedelta(hours=24)}
"""How long after its issue a document gets 100; later it gets 150 (NT 2025.001)."""
_AUTHORIZED, _AUTHORIZED_LATE = AuthorityVerdict("100"), AuthorityVerdict("150")
_RECEIVED, _PROCESSED = AuthorityVerdict("103"), AuthorityVerdict("104")


def documents_of(root: etree._Element) -> Iterator[etree._Element]:
    """Returns every `NFe` of a lot."""
    return root.iterchildren(_DOCUMENT)


def one_document_later(call: ServiceCall) -> bool:
    """NT 2025.001, GAP03a-3: the lot asks for a receipt, but has a single document."""
    return not _is_synchronous(call) and _count(call) == 1


def many_documents_at_once(call: ServiceCall) -> bool:
    """MOC 7.0, GAP03a-1: the lot asks for an immediate answer, but has several documents."""
    return _is_synchronous(call) and _count(call) > 1


def mixed_models(call: ServiceCall) -> bool:
    """MOC 7.0, 765: NF-e and NFC-e in one lot."""
    return len({document.findtext(_MODEL) for document in documents_of(call.root)}) > 1


def _is_synchronous(call: ServiceCall) -> bool:
    return call.root.findtext(_IS_SYNCHRONOUS) == _SYNCHRONOUS


def _count(call: ServiceCall) -> int:
    return sum(1 for _ in documents_of(call.root))


LOT_RULES: tuple[RejectionRule[ServiceCall], ...] = (
    RejectionRule("452", one_document_later),
    RejectionRule("764", many_documents_at_once),
    RejectionRule("765", mixed_models),
)


def _verdict(invoice: JudgedInvoice) -> AuthorityVerdict:
    is_late = invoice.context.now - invoice.issued_at > _IN_TIME[invoice.model]
    return _AUTHORIZED_LATE if is_late else _AUTHORIZED


def _after_authorization(invoice: JudgedInvoice, stored: StoredDocument) -> None:
    """Adds the issuer to the register of its state, and distributes the document to its parties."""
    contributors = Contributors(invoice.context.store)
    state = state_of_ibge(invoice.text("ide/cUF"))
    state_letters, registration = state.code if state else "", invoice.text("emit/IE")
    if not contributors.knows(state_letters, invoice.author, registration):
        issuer = Contributor(
            state=state_letters,
            tax_id=invoice.author,
            registration=registration,
            name=invoice.text("emit/xNome"),
            trade_name=invoice.text("emit/xFant"),
            activity=invoice.text("emit/CNAE"),
            street=invoice.text("emit/enderEmit/xLgr"),
            number=invoice.text("emit/enderEmit/nro"),
            district=invoice.text("emit/enderEmit/xBairro"),
            city_code=invoice.text("emit/enderEmit/cMun"),
            city=invoice.text("emit/enderEmit/xMun"),
            zipcode=invoice.text("emit/enderEmit/CEP"),
        )
        contributors.put(issuer)
    distribute_document(stored, invoice.content, invoice.context)


DOCUMENTS = DocumentRegister(
    JudgedInvoice, rules=DOCUMENT_RULES, verdict=_verdict, authorized=_after_authorization
)


class AuthorizationService:
    """Judges lots of documents: a single document is answered at once, several by a receipt."""

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Judges the documents of a lot."""
        if refusal := first_broken(LOT_RULES, call, call.context.controls.rules_off):
            return self.refuse_message(call, refusal)

        judged = [DOCUMENTS.answer(call, document) for document in documents_of(call.root)]
        if len(judged) == 1:
            return _processed(call, judged[0])

        state_code = _state_code(call)
        number = keep_lot(call, state_code, "".join(answer.xml for answer in judged))
        receipt = answers.receipt(number)
        xml = answers.lot_answer(AnsweringAuthority.of(call), _RECEIVED, state_code, receipt)
        return ServiceAnswer(xml, _RECEIVED.code)

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Refuses the document of a lot, and stores nothing; a lot of several is refused as a whole."""
        keys = [access_key_in(call, document) for document in documents_of(call.root)]
        if len(keys) != 1:
            return self.refuse_message(call, verdict)
        return _processed(call, refusal_protocol(call, keys[0], verdict))

    def refuse_message(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Refuses a lot as a whole, without judging its documents."""
        xml = answers.lot_answer(AnsweringAuthority.of(call), verdict, _state_code(call))
        return ServiceAnswer(xml, verdict.code)

    def subject(self, message: Message) -> str:
        """Returns the key of a single document, or the number of a lot of several."""
        keys = [access_key_in(message, document) for document in documents_of(message.root)]
        return keys[0] if len(keys) == 1 else f"lote {message.text_at('idLote')}".strip()


def _processed(call: ServiceCall, judged: ServiceAnswer) -> ServiceAnswer:
    xml = answers.lot_answer(AnsweringAuthority.of(call), _PROCESSED, _state_code(call), judged.xml)
    return ServiceAnswer(xml, judged.code)


def _state_code(call: ServiceCall) -> str:
    """The state of the first document; the authority's own if there is no such state."""
    return AnsweringAuthority.of(call).state(call.root.findtext(_STATE_CODE) or "").ibge
