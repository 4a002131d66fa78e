"""NFeDistribuicaoDFe: documents of interest by NSU or by key (MOC 7.0, 5.7; NT 2014.002)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from carimbo.simulator.distribution_sequence import DistributionEntry
from carimbo.simulator.group import group_of
from carimbo.simulator.identifiers import tax_id_base
from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.nfe.distribution_sequence import (
    INVOICE,
    INVOICE_SUMMARY,
    InterestedParties,
    invoice_summary,
    is_released,
    parties_of,
)
from carimbo.simulator.nfe.rules.queries import ASKED_KEY_RULES, invoice_among_receipts
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.answers import ServiceAnswer, authorized_document
from carimbo.simulator.sefaz.distribution import (
    NSU_RULES,
    DistributionQuestion,
    DistributionService,
    answer_with,
)

SERVICE = "NFeDistribuicaoDFe"
OF_KEY = "consChNFe"
"""The kind of question by key, which only NF-e has."""


@dataclass(frozen=True)
class InvoiceQuestion(DistributionQuestion):
    """A question by NSU or by key."""

    service = SERVICE

    @property
    def access_key(self) -> str:
        """Key of the requested document."""
        return self.content.text(f"{OF_KEY}/chNFe")

    @cached_property
    def document(self) -> StoredDocument | None:
        """The requested document."""
        return Ledger(self.context.store).document(self.service_path.environment, self.access_key)

    @cached_property
    def parties(self) -> InterestedParties | None:
        """The parties of the requested document."""
        return parties_of(self.document) if self.document else None


def unknown(question: InvoiceQuestion) -> bool:
    """MOC 7.0, H14."""
    return question.document is None


def too_old(question: InvoiceQuestion) -> bool:
    """MOC 7.0, H15."""
    return question.document is not None and question.document.received_at < question.since


def asked_by_the_issuer(question: InvoiceQuestion) -> bool:
    """MOC 7.0, H17."""
    return question.parties is not None and _is_same(question.parties.issuer, question.taxpayer)


def asked_by_a_stranger(question: InvoiceQuestion) -> bool:
    """MOC 7.0, H16; the issuer gets another code."""
    if question.parties is None:
        return False
    parties = (question.parties.issuer, question.parties.recipient, *question.parties.others)
    return not any(_is_same(party, question.taxpayer) for party in parties)


def canceled(question: InvoiceQuestion) -> bool:
    """MOC 7.0, H18."""
    return question.document is not None and question.document.is_canceled


def _is_same(party: str, taxpayer: str) -> bool:
    """Whether two tax ids are of the same person or company."""
    return tax_id_base(party) == tax_id_base(taxpayer)


def _by_key(code: str, broken: Callable[[InvoiceQuestion], Finding]) -> RejectionRule[InvoiceQuestion]:
    """Returns a rule about questions by key."""
    return RejectionRule(code, lambda question: question.kind == OF_KEY and broken(question))


DISTRIBUTION_RULES: tuple[RejectionRule[InvoiceQuestion], ...] = (
    *NSU_RULES,
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


class InvoiceDistribution(DistributionService[InvoiceQuestion]):
    """Hands out documents by their keys too."""

    def entries_of(self, question: InvoiceQuestion) -> ServiceAnswer:
        """Returns the next page, the entry with an NSU, or a document by its key."""
        if question.kind != OF_KEY:
            return super().entries_of(question)
        entries = [_of_key(question, question.document)] if question.document else []
        return answer_with(question, entries, 0)


def _of_key(question: InvoiceQuestion, document: StoredDocument) -> DistributionEntry:
    """A document with its NSU, if it has one; its summary until the recipient has manifested."""
    is_recipient = question.parties is not None and question.taxpayer not in question.parties.others
    if is_recipient and not is_released(document, Ledger(question.context.store)):
        invoice = group_of(next(etree.fromstring(document.xml).iterchildren("{*}infNFe")))
        schema, xml = INVOICE_SUMMARY, invoice_summary(document, invoice)
    else:
        schema, xml = INVOICE, authorized_document(question.dialect, document.xml, document.protocol_xml)
    existing = question.sequence.of_key(question.taxpayer, document.access_key, schema)
    return DistributionEntry(
        nsu=existing[0].nsu if existing else 0,
        schema=schema,
        xml=xml.encode(),
        access_key=document.access_key,
        created_at=document.received_at,
    )


DISTRIBUTION = InvoiceDistribution(InvoiceQuestion, rules=DISTRIBUTION_RULES)
