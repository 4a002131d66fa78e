"""Receives documents for authorization: judges each one, and stores those that break no rule."""

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from sqlite3 import IntegrityError
from typing import Generic, TypeVar

from lxml import etree

from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.rules import AuthorityVerdict, RejectionRule, first_broken
from carimbo.simulator.sefaz import answers
from carimbo.simulator.sefaz.answers import (
    AnsweringAuthority,
    ServiceAnswer,
    next_protocol,
    with_sample_detail,
)
from carimbo.simulator.sefaz.call import Message, ServiceCall
from carimbo.simulator.sefaz.judged import JudgedDocument
from carimbo.simulator.sefaz.rules.documents import count_rejection

DocumentT = TypeVar("DocumentT", bound=JudgedDocument)
_AUTHORIZED = AuthorityVerdict("100")


def authorization_verdict(document: JudgedDocument) -> AuthorityVerdict:
    """Returns the verdict on a document that breaks no rule."""
    return _AUTHORIZED


def do_nothing(document: JudgedDocument, stored: StoredDocument) -> None:
    """Does nothing after an authorization."""


@dataclass(frozen=True)
class DocumentRegister(Generic[DocumentT]):
    """Judges the documents of a family, and stores those that it authorizes."""

    read: Callable[[etree._Element, ServicePath, RequestContext], DocumentT]
    rules: tuple[RejectionRule[DocumentT], ...]
    verdict: Callable[[DocumentT], AuthorityVerdict] = authorization_verdict
    """Chooses between authorizations, for example in time and late."""
    authorized: Callable[[DocumentT, StoredDocument], None] = do_nothing
    """Called after a document is stored."""

    def refusal_of(self, document: DocumentT) -> AuthorityVerdict | None:
        """Returns the verdict of the first rule that a document breaks; None if it breaks none."""
        return first_broken(self.rules, document, document.context.controls.rules_off)

    def answer(self, call: ServiceCall, element: etree._Element) -> ServiceAnswer:
        """Judges a document of a call; the answer is its protocol."""
        alone = deepcopy(element)
        alone.tail = None
        document = self.read(alone, call.service_path, call.context)
        authority = AnsweringAuthority.of(document)
        if refusal := self.refusal_of(document):
            count_rejection(document)
            xml = answers.protocol(authority, refusal, document.access_key, digest=document.digest)
            return ServiceAnswer(xml, refusal.code)
        verdict = self.verdict(document)
        number = next_protocol(document, document.text("ide/cUF"))
        xml = answers.protocol(authority, verdict, document.access_key, number, document.digest)
        self._keep(document, verdict, number, xml)
        return ServiceAnswer(xml, verdict.code)

    def _keep(self, document: DocumentT, verdict: AuthorityVerdict, number: str, protocol: str) -> None:
        stored = StoredDocument(
            environment=document.service_path.environment,
            access_key=document.access_key,
            authorizer=document.service_path.authorizer,
            issuer=document.author,
            recipient=document.recipient,
            series=document.series,
            number=document.number,
            issued_at=document.issued_at,
            received_at=document.context.now,
            code=verdict.code,
            protocol=number,
            digest=document.digest,
            xml=etree.tostring(document.element, encoding="utf-8"),
            protocol_xml=protocol.encode(),
        )
        # A duplicate gets here only if the rules 204 and 539 are off: the first document stays.
        with suppress(IntegrityError):
            document.ledger.keep_document(stored, document.dialect.number_id(document.access_key))
        self.authorized(document, stored)


def refusal_protocol(call: ServiceCall, access_key: str, verdict: AuthorityVerdict) -> ServiceAnswer:
    """Returns the protocol of a document that is refused without being judged."""
    xml = answers.protocol(
        AnsweringAuthority.of(call), with_sample_detail(call, verdict, access_key), access_key
    )
    return ServiceAnswer(xml, verdict.code)


def access_key_in(message: Message, element: etree._Element) -> str:
    """Returns the key of a document in a message, from its Id; empty if there is none."""
    dialect = message.dialect
    signed = element.find(dialect.tag(dialect.content_tag))
    return "" if signed is None else signed.get("Id", "")[len(dialect.stem) :]


@dataclass(frozen=True)
class SingleReception(Generic[DocumentT]):
    """The service that takes one document and answers with its protocol: CT-e and MDF-e have no lots."""

    register: DocumentRegister[DocumentT]
    answer_tag: str
    """`retCTe`, `retMDFe`."""

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Judges the document."""
        return self._enclosed(call, self.register.answer(call, call.root))

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Refuses the document without judging it."""
        return self._enclosed(call, refusal_protocol(call, self.subject(call), verdict))

    def refuse_message(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Refuses the message, without a protocol."""
        authority, state_code = AnsweringAuthority.of(call), self._state_code(call)
        result = authority.result_fields(verdict)
        return ServiceAnswer(
            answers.reception_answer(authority, self.answer_tag, result, state_code), verdict.code
        )

    def subject(self, message: Message) -> str:
        """Returns the key of the document."""
        return access_key_in(message, message.root)

    def _enclosed(self, call: ServiceCall, judged: ServiceAnswer) -> ServiceAnswer:
        authority, state_code = AnsweringAuthority.of(call), self._state_code(call)
        result = {"cStat": judged.code, "xMotivo": judged.message}
        xml = answers.reception_answer(authority, self.answer_tag, result, state_code, judged.xml)
        return ServiceAnswer(xml, judged.code)

    def _state_code(self, call: ServiceCall) -> str:
        return AnsweringAuthority.of(call).state(self.subject(call)[:2]).ibge
