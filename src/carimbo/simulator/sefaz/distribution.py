"""The distribution services of the national environment: documents of interest page by page, by NSU."""

import gzip
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import ClassVar, Generic, TypeVar

from carimbo.simulator.group import Group, group_of
from carimbo.simulator.identifiers import is_cnpj, is_cpf, tax_id_base
from carimbo.simulator.rules import AuthorityVerdict, RejectionRule, first_broken
from carimbo.simulator.sefaz.answers import AnsweringAuthority, ServiceAnswer, distribution_answer
from carimbo.simulator.sefaz.call import Message, ServiceCall, ServiceQuestion
from carimbo.simulator.sefaz.distribution_sequence import DistributionEntry, DistributionSequence
from carimbo.simulator.sefaz.limits import count_use, limit_reached

AFTER, AT = "distNSU", "consNSU"
"""The kinds of questions by NSU."""
_KEPT = timedelta(days=90)
_NSU = re.compile(r"[0-9]{1,15}")
_NO_DOCUMENT, _DOCUMENT_FOUND = AuthorityVerdict("137"), AuthorityVerdict("138")


@dataclass(frozen=True)
class DistributionQuestion(ServiceQuestion):
    """One `distDFeInt`, which is valid against its XSD; each family has a subclass with its service."""

    service: ClassVar[str]
    """The official name of the service."""

    @cached_property
    def content(self) -> Group:
        """The content of the question."""
        return group_of(self.call.root)

    @cached_property
    def sequence(self) -> DistributionSequence:
        """The sequence of documents in this environment."""
        return DistributionSequence(
            self.context.store, self.service_path.environment, self.service_path.family
        )

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
    def since(self) -> datetime:
        """Older documents are not kept."""
        return self.context.now - _KEPT


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
        question.context, question.taxpayer, question.service, nothing_after(question.nsu), 1
    )


def nothing_after(nsu: int) -> str:
    """Returns the subject under which an answer without documents is counted."""
    return f"nada após {nsu}"


def beyond_the_last(question: DistributionQuestion) -> bool:
    """MOC 7.0, H06."""
    is_by_number = question.kind in (AFTER, AT)
    return is_by_number and question.nsu > question.sequence.highest(question.taxpayer)


NSU_RULES: tuple[RejectionRule[DistributionQuestion], ...] = (
    RejectionRule("489", wrong_company),
    RejectionRule("490", wrong_person),
    RejectionRule("593", certificate_of_another_company),
    RejectionRule("472", certificate_of_another_person),
    RejectionRule("656", asked_too_soon),
    RejectionRule("589", beyond_the_last),
)
"""The codes are those of NF-e in every family."""

QuestionT = TypeVar("QuestionT", bound=DistributionQuestion)


@dataclass(frozen=True)
class DistributionService(Generic[QuestionT]):
    """Hands out documents and events of interest to a taxpayer."""

    read: type[QuestionT]
    rules: tuple[RejectionRule[QuestionT], ...]

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Judges the question and answers it."""
        question = self.read(call)
        if refusal := first_broken(self.rules, question, call.context.controls.rules_off):
            return self.refuse(call, refusal)
        return self.entries_of(question)

    def entries_of(self, question: QuestionT) -> ServiceAnswer:
        """Returns the next page, or the entry with an NSU."""
        if question.kind == AFTER:
            return _page(question)
        entries = question.sequence.at(question.taxpayer, question.nsu, question.since)
        return answer_with(question, entries, question.nsu)

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers without documents, with the numbers from which to continue."""
        question = self.read(call)
        highest = question.sequence.highest(question.taxpayer)
        xml = distribution_answer(
            AnsweringAuthority.of(question), verdict, min(question.nsu, highest), highest
        )
        return ServiceAnswer(xml, verdict.code)

    def refuse_message(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers with any code."""
        return self.refuse(call, verdict)

    def subject(self, message: Message) -> str:
        """Returns the taxpayer and the kind of question."""
        content = group_of(message.root)
        texts = (content.text("CNPJ") or content.text("CPF"), *content.groups)
        return " ".join(filter(None, texts))


def _page(question: DistributionQuestion) -> ServiceAnswer:
    """The next page after an NSU; counts answers without documents."""
    entries = question.sequence.after(question.taxpayer, question.nsu, question.since)
    if entries:
        return answer_with(question, entries, entries[-1].nsu)
    highest = question.sequence.highest(question.taxpayer)
    count_use(question.context, question.taxpayer, question.service, nothing_after(question.nsu))
    return answer_with(question, entries, highest)


def answer_with(
    question: DistributionQuestion, entries: Sequence[DistributionEntry], last_nsu: int
) -> ServiceAnswer:
    """Returns an answer with documents, or with none."""
    verdict = _DOCUMENT_FOUND if entries else _NO_DOCUMENT
    highest = question.sequence.highest(question.taxpayer)
    documents = "".join(map(_zipped, entries))
    xml = distribution_answer(AnsweringAuthority.of(question), verdict, last_nsu, highest, documents)
    return ServiceAnswer(xml, verdict.code)


def _zipped(entry: DistributionEntry) -> str:
    """`docZip`; the same document always gives the same text."""
    number = f'NSU="{entry.nsu:015d}" ' if entry.nsu else ""
    content = b64encode(gzip.compress(entry.xml, mtime=0)).decode()
    return f'<docZip {number}schema="{entry.schema}">{content}</docZip>'
