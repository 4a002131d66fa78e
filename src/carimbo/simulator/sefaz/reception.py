"""Documents that are sent to be authorised: judged one by one, and kept if nothing is wrong with them."""

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from sqlite3 import IntegrityError
from typing import Generic, TypeVar

from lxml import etree

from carimbo.simulator.family import World
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.place import Place
from carimbo.simulator.rule import Refusal, Rule, first_broken
from carimbo.simulator.sefaz import answers
from carimbo.simulator.sefaz.answers import Answer, Authority, Verdict
from carimbo.simulator.sefaz.call import Call, Message
from carimbo.simulator.sefaz.details import with_details
from carimbo.simulator.sefaz.document import JudgedDocument
from carimbo.simulator.sefaz.protocols import next_protocol
from carimbo.simulator.sefaz.rules.register import remember_rejection

DocumentT = TypeVar("DocumentT", bound=JudgedDocument)
_AUTHORIZED = Verdict("100")


def authorize(document: JudgedDocument) -> Verdict:
    """Returns the verdict on a document that breaks no rule."""
    return _AUTHORIZED


def do_nothing(document: JudgedDocument, stored: StoredDocument) -> None:
    """Does nothing after an authorization."""


@dataclass(frozen=True)
class Register(Generic[DocumentT]):
    """Judges the documents of a family, and keeps those that it authorises."""

    read: Callable[[etree._Element, Place, World], DocumentT]
    rules: tuple[Rule[DocumentT], ...]
    verdict: Callable[[DocumentT], Verdict] = authorize
    """Decides between authorizations, such as those in time and those that are late."""
    authorized: Callable[[DocumentT, StoredDocument], None] = do_nothing
    """Called after a document was kept."""

    def refusal_of(self, document: DocumentT) -> Refusal | None:
        """Returns the first rule that a document breaks; None if it is accepted."""
        return first_broken(self.rules, document, document.world.controls.rules_off)

    def answer(self, call: Call, element: etree._Element) -> Answer:
        """Judges a document of a call; the answer is its protocol."""
        alone = deepcopy(element)
        alone.tail = None
        document = self.read(alone, call.place, call.world)
        authority = Authority.of(document)
        if refusal := self.refusal_of(document):
            remember_rejection(document)
            xml = answers.protocol(authority, refusal, document.access_key, digest=document.digest)
            return Answer(xml, refusal.code)
        verdict = self.verdict(document)
        number = next_protocol(document, document.text("ide/cUF"))
        xml = answers.protocol(authority, verdict, document.access_key, number, document.digest)
        self._keep(document, verdict, number, xml)
        return Answer(xml, verdict.code)

    def _keep(self, document: DocumentT, verdict: Verdict, number: str, protocol: str) -> None:
        stored = StoredDocument(
            environment=document.place.environment,
            access_key=document.access_key,
            authorizer=document.place.authorizer,
            issuer=document.author,
            recipient=document.recipient,
            series=document.series,
            number=document.number,
            issued_at=document.issued_at,
            received_at=document.world.now,
            code=verdict.code,
            protocol=number,
            digest=document.digest,
            xml=etree.tostring(document.element, encoding="utf-8"),
            protocol_xml=protocol.encode(),
        )
        # A number that is taken gets here only with the rules 204 and 539 off: the first document stays.
        with suppress(IntegrityError):
            document.ledger.keep_document(stored, document.dialect.number_id(document.access_key))
        self.authorized(document, stored)


def refused(call: Call, access_key: str, verdict: Verdict) -> Answer:
    """Writes the protocol of a document that is refused without being judged."""
    xml = answers.protocol(Authority.of(call), with_details(call, verdict, access_key), access_key)
    return Answer(xml, verdict.code)


def key_in(message: Message, element: etree._Element) -> str:
    """Returns the key of a document of a message as its Id has it; empty if there is none."""
    dialect = message.dialect
    signed = element.find(dialect.tag(dialect.content_tag))
    return "" if signed is None else signed.get("Id", "")[len(dialect.stem) :]


@dataclass(frozen=True)
class SingleReception(Generic[DocumentT]):
    """The service that takes one document and answers with its protocol: CT-e and MDF-e have no lots."""

    register: Register[DocumentT]
    answer_tag: str
    """`retCTe`, `retMDFe`."""

    def answer(self, call: Call) -> Answer:
        """Judges the document."""
        return self._enclosed(call, self.register.answer(call, call.root))

    def refuse(self, call: Call, verdict: Verdict) -> Answer:
        """Refuses the document without judging it."""
        return self._enclosed(call, refused(call, self.subject(call), verdict))

    def refuse_message(self, call: Call, verdict: Verdict) -> Answer:
        """Refuses the message: there is no protocol."""
        authority, state_code = Authority.of(call), self._state_code(call)
        result = authority.result(verdict)
        return Answer(answers.reception_answer(authority, self.answer_tag, result, state_code), verdict.code)

    def subject(self, message: Message) -> str:
        """Returns the key of the document."""
        return key_in(message, message.root)

    def _enclosed(self, call: Call, judged: Answer) -> Answer:
        authority, state_code = Authority.of(call), self._state_code(call)
        result = {"cStat": judged.code, "xMotivo": judged.message}
        xml = answers.reception_answer(authority, self.answer_tag, result, state_code, judged.xml)
        return Answer(xml, judged.code)

    def _state_code(self, call: Call) -> str:
        return Authority.of(call).state(self.subject(call)[:2]).ibge
