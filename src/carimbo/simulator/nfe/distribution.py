"""NFeDistribuicaoDFe: what concerns a taxpayer, page by page (MOC 7.0, 5.7; NT 2014.002)."""

import gzip
from base64 import b64encode
from collections.abc import Sequence

from lxml import etree

from carimbo.simulator.group import group_of
from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.interests import INVOICE, INVOICE_SUMMARY, Interest, is_released
from carimbo.simulator.nfe.rules.distribution import (
    AFTER,
    AT,
    DISTRIBUTION_RULES,
    OF_KEY,
    SERVICE,
    DistributionQuestion,
    nothing_after,
)
from carimbo.simulator.nfe.summaries import invoice_summary
from carimbo.simulator.rule import first_broken
from carimbo.simulator.sefaz.answers import Answer, Authority, Verdict, authorized_document
from carimbo.simulator.sefaz.call import Call, Message
from carimbo.simulator.sefaz.limits import spend

_NOTHING, _FOUND = Verdict("137"), Verdict("138")


def answer(call: Call) -> Answer:
    """Hand out documents of interest."""
    case = DistributionQuestion(call)
    if refusal := first_broken(DISTRIBUTION_RULES, case, call.world.controls.rules_off):
        return refuse(call, refusal)
    if case.kind == AFTER:
        return _page(case)
    if case.kind == AT:
        found = case.interests.at(case.taxpayer, case.nsu, case.since)
        return _said(case, found, case.nsu)
    spend(case.world, case.taxpayer, SERVICE, OF_KEY)
    return _said(case, [_of_key(case, case.document)] if case.document else [], 0)


def refuse(call: Call, verdict: Verdict) -> Answer:
    """Answer without documents; the numbers tell where to go on."""
    case = DistributionQuestion(call)
    highest = case.interests.highest(case.taxpayer)
    said = answers.distribution_answer(Authority.of(case), verdict, min(case.nsu, highest), highest)
    return Answer(said, verdict.code)


refuse_message = refuse


def subject(message: Message) -> str:
    """Returns the taxpayer whose sequence it is, and the question."""
    asked = group_of(message.root)
    texts = (asked.text("CNPJ") or asked.text("CPF"), *asked.groups)
    return " ".join(filter(None, texts))


def _page(case: DistributionQuestion) -> Answer:
    """What came after the last that the taxpayer has; when there is nothing, that is remembered."""
    found = case.interests.after(case.taxpayer, case.nsu, case.since)
    if found:
        return _said(case, found, found[-1].nsu)
    highest = case.interests.highest(case.taxpayer)
    spend(case.world, case.taxpayer, SERVICE, nothing_after(case.nsu))
    return _said(case, found, highest)


def _of_key(case: DistributionQuestion, document: StoredDocument) -> Interest:
    """A document, or its summary for a recipient that said nothing yet; with its number, if it has one."""
    is_recipient = case.parties is not None and case.taxpayer not in case.parties.others
    if is_recipient and not is_released(document, Ledger(case.world.store)):
        invoice = group_of(next(etree.fromstring(document.xml).iterchildren("{*}infNFe")))
        schema, xml = INVOICE_SUMMARY, invoice_summary(document, invoice)
    else:
        schema, xml = INVOICE, authorized_document(case.dialect, document.xml, document.protocol_xml)
    known = case.interests.of_key(case.taxpayer, document.access_key, schema)
    return Interest(known[0].nsu if known else 0, schema, xml.encode())


def _said(case: DistributionQuestion, found: Sequence[Interest], last_nsu: int) -> Answer:
    verdict = _FOUND if found else _NOTHING
    highest = case.interests.highest(case.taxpayer)
    documents = "".join(map(_zipped, found))
    said = answers.distribution_answer(Authority.of(case), verdict, last_nsu, highest, documents)
    return Answer(said, verdict.code)


def _zipped(interest: Interest) -> str:
    """`docZip`; the same document is always the same text."""
    number = f'NSU="{interest.nsu:015d}" ' if interest.nsu else ""
    content = b64encode(gzip.compress(interest.xml, mtime=0)).decode()
    return f'<docZip {number}schema="{interest.schema}">{content}</docZip>'
