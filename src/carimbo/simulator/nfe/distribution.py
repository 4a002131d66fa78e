"""NFeDistribuicaoDFe: hands out documents of interest page by page (MOC 7.0, 5.7; NT 2014.002)."""

import gzip
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from lxml import etree

from carimbo.simulator.group import Group, group_of
from carimbo.simulator.identifiers import is_cnpj, is_cpf, tax_id_base
from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.distribution_sequence import (
    INVOICE,
    INVOICE_SUMMARY,
    DistributionEntry,
    DistributionSequence,
    InterestedParties,
    invoice_summary,
    is_released,
    parties_of,
)
from carimbo.simulator.nfe.rules.queries import ASKED_KEY_RULES, invoice_among_receipts
from carimbo.simulator.rules import AuthorityVerdict, Finding, RejectionRule, first_broken
from carimbo.simulator.sefaz.answers import AnsweringAuthority, ServiceAnswer, authorized_document
from carimbo.simulator.sefaz.call import Message, ServiceCall, ServiceQuestion
from carimbo.simulator.sefaz.limits import count_use, limit_reached

SERVICE = "NFeDistribuicaoDFe"
DISTRIBUTIONS_OF_KEYS = 20
"""Within an hour."""
AFTER, AT, OF_KEY = "distNSU", "consNSU", "consChNFe"
"""The three kinds of questions."""
_KEPT = timedelta(days=90)
_NSU = re.compile(r"[0-9]{1,15}")
_NO_DOCUMENT, _DOCUMENT_FOUND = AuthorityVerdict("137"), AuthorityVerdict("138")


@dataclass(frozen=True)
class DistributionQuestion(ServiceQuestion):
    """One `distDFeInt`, which is valid against its XSD."""

    @cached_property
    def content(self) -> Group:
        """The content of the question."""
        return group_of(self.call.root)

    @cached_property
    def sequence(self) -> DistributionSequence:
        """The sequence of documents in this environment."""
        return DistributionSequence(self.context.store, self.service_path.environment)

    @property
    def taxpayer(self) -> str:
        """The taxpayer whose documents are asked for."""
        return self.content.text("CNPJ") or self.content.text("CPF")

    @property
    def kind(self) -> str:
        """The kind of question."""
        return next(iter(self.content.groups), "")

    @property
    def nsu(self) -> int:
        """The last NSU that the taxpayer has, or the one that is missing; zero if it is invalid."""
        text = self.content.text(f"{AFTER}/ultNSU") or self.content.text(f"{AT}/NSU")
        return int(text) if _NSU.fullmatch(text) else 0

    @property
    def access_key(self) -> str:
        """Key of the requested document."""
        return self.content.text(f"{OF_KEY}/chNFe")

    @property
    def since(self) -> datetime:
        """Older documents are not kept."""
        return self.context.now - _KEPT

    @cached_property
    def document(self) -> StoredDocument | None:
        """The requested document."""
        return Ledger(self.context.store).document(self.service_path.environment, self.access_key)

    @cached_property
    def parties(self) -> InterestedParties | None:
        """The parties of the requested document."""
        return parties_of(self.document) if self.document else None


def wrong_company(question: DistributionQuestion) -> bool:
    """MOC 7.0, H02."""
    return not question.content.text("CPF") and not is_cnpj(question.taxpayer)


def wrong_person(question: DistributionQuestion) -> bool:
    """MOC 7.0, H03."""
    return bool(question.content.text("CPF")) and not is_cpf(question.taxpayer)


def certificate_of_another_company(question: DistributionQuestion) -> bool:
    """MOC 7.0, H04."""
    return not question.content.text("CPF") and tax_id_base(question.call.taxpayer) != tax_id_base(
        question.taxpayer
    )


def certificate_of_another_person(question: DistributionQuestion) -> bool:
    """MOC 7.0, H05."""
    return bool(question.content.text("CPF")) and question.call.taxpayer != question.taxpayer


def asked_too_soon(question: DistributionQuestion) -> bool:
    """MOC 7.0, 5.7.4.4: the same question within an hour of an answer without documents."""
    return question.kind == AFTER and limit_reached(
        question.context, question.taxpayer, SERVICE, nothing_after(question.nsu), 1
    )


def nothing_after(nsu: int) -> str:
    """Returns the subject under which an answer without documents is counted."""
    return f"nada após {nsu}"


def too_many_keys(question: DistributionQuestion) -> bool:
    """NT 2014.002: 20 questions by key in an hour."""
    return question.kind == OF_KEY and limit_reached(
        question.context, question.taxpayer, SERVICE, OF_KEY, DISTRIBUTIONS_OF_KEYS
    )


def beyond_the_last(question: DistributionQuestion) -> bool:
    """MOC 7.0, H06."""
    return question.kind != OF_KEY and question.nsu > question.sequence.highest(question.taxpayer)


def unknown(question: DistributionQuestion) -> bool:
    """MOC 7.0, H14."""
    return question.document is None


def too_old(question: DistributionQuestion) -> bool:
    """MOC 7.0, H15."""
    return question.document is not None and question.document.received_at < question.since


def asked_by_the_issuer(question: DistributionQuestion) -> bool:
    """MOC 7.0, H17."""
    return question.parties is not None and _is_same(question.parties.issuer, question.taxpayer)


def asked_by_a_stranger(question: DistributionQuestion) -> bool:
    """MOC 7.0, H16; the issuer gets another code."""
    if question.parties is None:
        return False
    parties = (question.parties.issuer, question.parties.recipient, *question.parties.others)
    return not any(_is_same(party, question.taxpayer) for party in parties)


def canceled(question: DistributionQuestion) -> bool:
    """MOC 7.0, H18."""
    return question.document is not None and question.document.is_canceled


def _is_same(party: str, taxpayer: str) -> bool:
    """Whether two tax ids are of the same person or company."""
    return tax_id_base(party) == tax_id_base(taxpayer)


def _by_key(
    code: str, broken: Callable[[DistributionQuestion], Finding]
) -> RejectionRule[DistributionQuestion]:
    """Returns a rule about questions by key."""
    return RejectionRule(code, lambda question: question.kind == OF_KEY and broken(question))


DISTRIBUTION_RULES: tuple[RejectionRule[DistributionQuestion], ...] = (
    RejectionRule("489", wrong_company),
    RejectionRule("490", wrong_person),
    RejectionRule("593", certificate_of_another_company),
    RejectionRule("472", certificate_of_another_person),
    RejectionRule("656", asked_too_soon),
    RejectionRule("656", too_many_keys),
    RejectionRule("589", beyond_the_last),
    # The national environment has no services of NFC-e, so that rule cannot apply.
    *(
        _by_key(rule.code, rule.broken)
        for rule in ASKED_KEY_RULES
        if rule.broken is not invoice_among_receipts
    ),
    _by_key("217", unknown),
    _by_key("632", too_old),
    _by_key("641", asked_by_the_issuer),
    _by_key("640", asked_by_a_stranger),
    _by_key("653", canceled),
)


class DistributionService:
    """Hands out documents and events of interest to a taxpayer."""

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Returns the next page, the entry with an NSU, or a document by its key."""
        question = DistributionQuestion(call)
        if refusal := first_broken(DISTRIBUTION_RULES, question, call.context.controls.rules_off):
            return self.refuse(call, refusal)
        if question.kind == AFTER:
            return _page(question)
        if question.kind == AT:
            entries = question.sequence.at(question.taxpayer, question.nsu, question.since)
            return _answer_with(question, entries, question.nsu)
        count_use(question.context, question.taxpayer, SERVICE, OF_KEY)
        entries = [_of_key(question, question.document)] if question.document else []
        return _answer_with(question, entries, 0)

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers without documents, with the numbers from which to continue."""
        question = DistributionQuestion(call)
        highest = question.sequence.highest(question.taxpayer)
        xml = answers.distribution_answer(
            AnsweringAuthority.of(question), verdict, min(question.nsu, highest), highest
        )
        return ServiceAnswer(xml, verdict.code)

    refuse_message = refuse

    def subject(self, message: Message) -> str:
        """Returns the taxpayer and the kind of question."""
        content = group_of(message.root)
        texts = (content.text("CNPJ") or content.text("CPF"), *content.groups)
        return " ".join(filter(None, texts))


def _page(question: DistributionQuestion) -> ServiceAnswer:
    """The next page after an NSU; counts answers without documents."""
    entries = question.sequence.after(question.taxpayer, question.nsu, question.since)
    if entries:
        return _answer_with(question, entries, entries[-1].nsu)
    highest = question.sequence.highest(question.taxpayer)
    count_use(question.context, question.taxpayer, SERVICE, nothing_after(question.nsu))
    return _answer_with(question, entries, highest)


def _of_key(question: DistributionQuestion, document: StoredDocument) -> DistributionEntry:
    """A document with its NSU, if it has one; its summary until the recipient has manifested."""
    is_recipient = question.parties is not None and question.taxpayer not in question.parties.others
    if is_recipient and not is_released(document, Ledger(question.context.store)):
        invoice = group_of(next(etree.fromstring(document.xml).iterchildren("{*}infNFe")))
        schema, xml = INVOICE_SUMMARY, invoice_summary(document, invoice)
    else:
        schema, xml = INVOICE, authorized_document(question.dialect, document.xml, document.protocol_xml)
    existing = question.sequence.of_key(question.taxpayer, document.access_key, schema)
    return DistributionEntry(existing[0].nsu if existing else 0, schema, xml.encode())


def _answer_with(
    question: DistributionQuestion, entries: Sequence[DistributionEntry], last_nsu: int
) -> ServiceAnswer:
    verdict = _DOCUMENT_FOUND if entries else _NO_DOCUMENT
    highest = question.sequence.highest(question.taxpayer)
    documents = "".join(map(_zipped, entries))
    xml = answers.distribution_answer(AnsweringAuthority.of(question), verdict, last_nsu, highest, documents)
    return ServiceAnswer(xml, verdict.code)


def _zipped(entry: DistributionEntry) -> str:
    """`docZip`; the same document always gives the same text."""
    number = f'NSU="{entry.nsu:015d}" ' if entry.nsu else ""
    content = b64encode(gzip.compress(entry.xml, mtime=0)).decode()
    return f'<docZip {number}schema="{entry.schema}">{content}</docZip>'
