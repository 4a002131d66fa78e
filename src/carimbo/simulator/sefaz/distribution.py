"""The distribution services of the national environment: documents of interest page by page, by NSU.

A careless client is blocked for an hour (656), as by NT 2014.002, 3.11.4: each taxpayer has one place in its
sequence, whatever program asks, and must wait when it has read everything.
"""

import gzip
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import ClassVar, Generic, TypeVar

from carimbo.simulator.distribution_sequence import DistributionEntry, DistributionSequence
from carimbo.simulator.group import Group, group_of
from carimbo.simulator.identifiers import is_cnpj, is_cpf, tax_id_base
from carimbo.simulator.limits import count_use, limit_reached
from carimbo.simulator.rules import AuthorityVerdict, Finding, RejectionRule, codes_of, first_broken
from carimbo.simulator.sefaz.answers import AnsweringAuthority, ServiceAnswer, distribution_answer
from carimbo.simulator.sefaz.call import Message, ServiceCall, ServiceQuestion
from carimbo.simulator.sefaz.distribution_reader import DistributionReader, DistributionReaders

AFTER, AT = "distNSU", "consNSU"
"""The kinds of questions by NSU."""
SINGLE_QUESTIONS = 20
"""Questions for one document, by NSU or by key, that a taxpayer has in an hour."""
_OVERUSE = "656"
_OTHER_NSU = "(Deve ser utilizado o ultNSU nas solicitacoes subsequentes. Tente apos 1 hora)"
_TOO_SOON = (
    "(Deve ser aguardado 1 hora para efetuar nova solicitacao caso nao existam mais documentos a serem"
    " pesquisados. Tente apos 1 hora)"
)
_TOO_MANY = f"(Ultrapassou o limite de {SINGLE_QUESTIONS} consultas por hora)"
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
    def reader(self) -> DistributionReader:
        """The taxpayer as this service remembers it."""
        return self._readers.get(self.taxpayer)

    def remember(self, reader: DistributionReader) -> None:
        """Stores what this service remembers of the taxpayer, which has asked now."""
        self._readers.keep(self.taxpayer, replace(reader, asked_at=self.context.now))

    @property
    def single_questions(self) -> str:
        """The subject under which questions for one document are counted."""
        return f"consultas no ambiente {self.service_path.environment}"

    @property
    def next_nsu(self) -> int:
        """The `ultNSU` with which the taxpayer must continue."""
        last_nsu = self.reader.last_nsu
        if last_nsu is not None:
            return last_nsu
        return min(self.nsu, self.sequence.highest(self.taxpayer)) if self.kind == AFTER else 0

    @property
    def _readers(self) -> DistributionReaders:
        return DistributionReaders(
            self.context.store, self.service_path.environment, self.service_path.family
        )

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


def after_another_nsu(question: DistributionQuestion) -> Finding:
    """NT 2014.002, 3.11.4: an `ultNSU` other than the last one that was returned to the taxpayer."""
    last_nsu = question.reader.last_nsu
    if question.kind != AFTER or last_nsu in (None, question.nsu) or not question.context.controls.limits:
        return None
    return _OTHER_NSU


def too_many_single_questions(question: DistributionQuestion) -> Finding:
    """NT 2014.002, 3.11.4: questions by NSU and by key, counted together."""
    is_beyond = question.kind != AFTER and limit_reached(
        question.context, question.taxpayer, question.service, question.single_questions, SINGLE_QUESTIONS
    )
    return _TOO_MANY if is_beyond else None


def asked_while_blocked(question: DistributionQuestion) -> Finding:
    """NT 2014.002, 3.11.4: any question within an hour of a refusal for overuse."""
    context = question.context
    return _TOO_SOON if context.controls.limits and question.reader.is_blocked(context.now) else None


def asked_too_soon(question: DistributionQuestion) -> Finding:
    """NT 2014.002, 3.11.4: more documents within an hour of the answer that there are no more."""
    context = question.context
    is_limited = question.kind == AFTER and context.controls.limits
    return _TOO_SOON if is_limited and question.reader.must_wait(context.now) else None


def beyond_the_last(question: DistributionQuestion) -> bool:
    """MOC 7.0, H06."""
    is_by_number = question.kind in (AFTER, AT)
    return is_by_number and question.nsu > question.sequence.highest(question.taxpayer)


_SENDER_RULES: tuple[RejectionRule[DistributionQuestion], ...] = (
    RejectionRule("489", wrong_company),
    RejectionRule("490", wrong_person),
    RejectionRule("593", certificate_of_another_company),
    RejectionRule("472", certificate_of_another_person),
)
_SENDER_CODES = codes_of(_SENDER_RULES)
NSU_RULES: tuple[RejectionRule[DistributionQuestion], ...] = (
    *_SENDER_RULES,
    RejectionRule(_OVERUSE, after_another_nsu),
    RejectionRule(_OVERUSE, too_many_single_questions),
    RejectionRule(_OVERUSE, asked_while_blocked),
    RejectionRule(_OVERUSE, asked_too_soon),
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
        refusal = first_broken(self.rules, question, call.context.controls.rules_off)
        if refusal is None or refusal.code not in _SENDER_CODES:
            _count(question, is_overuse=refusal is not None and refusal.code == _OVERUSE)
        return self.refuse(call, refusal) if refusal else self.entries_of(question)

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
        numbers = (min(question.nsu, highest), highest)
        if verdict.code == _OVERUSE:
            numbers = (question.next_nsu, 0)
        xml = distribution_answer(AnsweringAuthority.of(question), verdict, *numbers)
        return ServiceAnswer(xml, verdict.code)

    def refuse_message(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers with any code."""
        return self.refuse(call, verdict)

    def subject(self, message: Message) -> str:
        """Returns the taxpayer and the kind of question."""
        content = group_of(message.root)
        texts = (content.text("CNPJ") or content.text("CPF"), *content.groups)
        return " ".join(filter(None, texts))


def _count(question: DistributionQuestion, *, is_overuse: bool) -> None:
    """Remembers that a taxpayer has asked. Overuse blocks it for an hour from now, even if it was blocked."""
    reader = question.reader
    question.remember(replace(reader, blocked_at=question.context.now) if is_overuse else reader)
    if not is_overuse and question.kind != AFTER:
        count_use(question.context, question.taxpayer, question.service, question.single_questions)


def _page(question: DistributionQuestion) -> ServiceAnswer:
    """The next page after an NSU, from which the taxpayer must continue."""
    context = question.context
    limit = context.controls.distribution_page
    entries = question.sequence.after(question.taxpayer, question.nsu, question.since, limit)
    highest = question.sequence.highest(question.taxpayer)
    last_nsu = entries[-1].nsu if entries else highest
    finished_at = context.now if last_nsu == highest else None
    question.remember(replace(question.reader, last_nsu=last_nsu, finished_at=finished_at))
    return answer_with(question, entries, last_nsu)


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
