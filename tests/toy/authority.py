"""The authority of the toys: a register in memory that judges requests."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count

from lxml import etree

from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.outcome import (
    Authorized,
    Available,
    Canceled,
    Cause,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Rejected,
    Unavailable,
    Unknown,
)
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.fiscal.xml_reading import read_xml
from toy import codes

OUT = Unavailable(code=codes.OUT_CODE, message="Serviço paralisado", outage=Outage.SHORT)
NO_ANSWER = NotJudged(cause=Cause.TIMEOUT, detail="no answer")
NOT_ACCEPTED = NotJudged(cause=Cause.CERTIFICATE_NOT_ACCEPTED, detail="certificate", may_have_arrived=False)
UNKNOWN = Unknown(code=codes.UNKNOWN_CODE, message="Não consta na base de dados")
WITHOUT_EVENT = Unknown(code=codes.AUTHORIZED_CODE, message="Autorizado, sem este evento")
_DIGEST = "{http://www.w3.org/2000/09/xmldsig#}DigestValue"
_ASSIGNED_KEY_LENGTH = 50

RegisterKey = tuple[str, ...]
"""Identifies an entry of the register: environment, and key or numbers."""


@dataclass(frozen=True)
class Entry:
    """A request in the journal, and the code of its answer."""

    service: str
    key: str
    code: str | None
    environment: str


class Message:
    """A signed message, read by the names of its XML."""

    def __init__(self, xml: bytes) -> None:
        self._root: etree._Element = read_xml(xml)

    def text(self, tag: str) -> str:
        return self._root.findtext(f".//{{*}}{tag}") or ""

    @property
    def digest(self) -> str:
        return self._root.findtext(f".//{_DIGEST}") or ""


@dataclass
class Register:
    """Keeps documents, events and voided numbers; notes and switches decide about its answers."""

    journal: list[Entry] = field(default_factory=list)
    is_out: bool = False
    losing: set[str] = field(default_factory=set)
    """The companies (CNPJ) whose next answer is lost, unless it is the answer to a consult."""
    is_too_late: bool = False
    """Whether every event is refused as too late."""
    unaccepted: set[bytes] = field(default_factory=set)
    """Certificates (DER) that are refused in every request."""
    _documents: dict[RegisterKey, Authorized | Canceled] = field(default_factory=dict)
    _requests: dict[RegisterKey, str] = field(default_factory=dict)
    """The key under which a document was sent, by its own key."""
    _numbers: dict[RegisterKey, str] = field(default_factory=dict)
    _events: dict[RegisterKey, Authorized] = field(default_factory=dict)
    _inutilized: dict[RegisterKey, Authorized] = field(default_factory=dict)
    _left_waiting: set[str] = field(default_factory=set)
    """Documents whose first request got no answer."""
    _protocols: Iterator[int] = field(default_factory=lambda: count(1))

    async def send(self, sender: AuthorityCredentials, document: SignedDocument) -> Outcome:
        """Judges a document."""
        message = Message(document.xml)
        if message.text("notes") == codes.HANGING and document.access_key not in self._left_waiting:
            self._left_waiting.add(document.access_key)
            await asyncio.Event().wait()
        outcome = self._closed(sender, message.text("notes")) or self._judged(sender, document, message)
        return self._answered("send", sender, document.access_key, outcome, message.text("notes"))

    async def consult(self, sender: AuthorityCredentials, access_key: str) -> Outcome:
        """Returns the document under a key."""
        outcome: Outcome = (
            self._closed(sender) or self._documents.get((sender.environment, access_key)) or UNKNOWN
        )
        self._note("consult", sender, access_key, outcome)
        return outcome

    async def status(
        self, sender: AuthorityCredentials, model: str, state: str, *, authorizer: str | None = None
    ) -> Available | Unavailable | NotJudged:
        """Returns whether the authority is available."""
        return self._closed(sender) or Available(code="107", message="Serviço em operação")

    async def register_event(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Judges an event."""
        message = Message(signed)
        outcome = self._closed(sender) or self._judged_event(sender, message)
        return self._answered("register_event", sender, message.text("key"), outcome)

    async def consult_event(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Returns whether it has an event."""
        message = Message(signed)
        outcome: Outcome = (
            self._closed(sender) or self._events.get(_event_key(sender, message)) or WITHOUT_EVENT
        )
        self._note("consult_event", sender, message.text("key"), outcome)
        return outcome

    async def inutilize(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Judges an inutilization."""
        message = Message(signed)
        outcome = self._closed(sender) or self._judged_range(sender, message)
        return self._answered("inutilize", sender, message.text("issuer"), outcome)

    def requests_about(self, access_key: str) -> list[Entry]:
        """Returns the requests about a document in order, by the key that we gave it."""
        return [entry for entry in self.journal if entry.key == access_key]

    def digest_of(self, environment: str, access_key: str) -> str | None:
        """Returns the digest of the document under a key."""
        held = self._documents[environment, access_key]
        authorization = held.authorization if isinstance(held, Canceled) else held
        return authorization.digest if authorization else None

    @contextmanager
    def out_of_service(self) -> Iterator[None]:
        """Puts the authority out of service for the length of a block."""
        self.is_out = True
        try:
            yield
        finally:
            self.is_out = False

    def _closed(self, sender: AuthorityCredentials, note: str = "") -> Unavailable | NotJudged | None:
        if sender.certificate.certificate_der in self.unaccepted:
            return NOT_ACCEPTED
        return OUT if self.is_out or note == codes.UNANSWERED else None

    def _judged(self, sender: AuthorityCredentials, document: SignedDocument, message: Message) -> Outcome:
        key = (sender.environment, document.access_key)
        numbers = (*_series(sender, message, document.access_key), message.text("number"))
        if message.text("notes") == codes.REFUSED:
            return _refused(codes.REFUSAL_CODE, "Rejeição: a observação pede a recusa")
        if key in self._documents:
            return Duplicate(code=codes.TAKEN_CODE, message="Duplicidade")
        if numbers in self._inutilized:
            return replace(
                _refused(codes.INUTILIZED_BEFORE_CODE, "Rejeição: número inutilizado"), spends_number=True
            )
        if numbers in self._numbers:
            other = self._numbers[numbers]
            return Duplicate(code=codes.OTHER_KEY_CODE, message="Duplicidade, outra chave", other_key=other)
        self._numbers[numbers] = document.access_key
        authorized = self._authorized(document, message)
        self._documents[key] = authorized
        self._requests[sender.environment, authorized.access_key or ""] = document.access_key
        return authorized

    def _authorized(self, document: SignedDocument, message: Message) -> Authorized:
        receipt = self._receipt(codes.AUTHORIZED_CODE, "Autorizado o uso", message, document.access_key)
        if not document.access_key.startswith("DPS"):
            return replace(receipt, access_key=document.access_key)
        number = int(receipt.protocol)
        key = f"{number:0{_ASSIGNED_KEY_LENGTH}d}"
        xml = _receipt_xml(receipt.protocol, key, number)
        return replace(receipt, access_key=key, number=number, protocol_xml=xml)

    def _judged_event(self, sender: AuthorityCredentials, message: Message) -> Outcome:
        key = self._requests.get((sender.environment, message.text("key")), message.text("key"))
        document = self._documents.get((sender.environment, key))
        event_key = _event_key(sender, message)
        if message.text("words") == codes.REFUSED or document is None:
            return _refused(codes.REFUSAL_CODE, "Rejeição: evento recusado")
        if isinstance(document, Canceled) and event_key not in self._events:
            return Canceled(code=codes.CANCELED_CODE, message="Documento já cancelado")
        if event_key in self._events:
            return Duplicate(code=codes.REPEATED_EVENT_CODE, message="Duplicidade de evento")
        if isinstance(document, Authorized) and document.protocol != message.text("protocol"):
            return _refused(codes.PROTOCOL_CODE, "Rejeição: Protocolo difere")
        if self.is_too_late:
            return _refused(codes.LATE_CODE, "Rejeição: fora do prazo")
        event = self._receipt(codes.REGISTERED_CODE, "Evento registrado", message, message.text("key"))
        self._events[event_key] = event
        if message.text("kind") == "cancellation" and isinstance(document, Authorized):
            self._documents[sender.environment, key] = _canceled(document, event)
        return event

    def _judged_range(self, sender: AuthorityCredentials, message: Message) -> Outcome:
        if message.text("words") == codes.REFUSED:
            return _refused(codes.REFUSAL_CODE, "Rejeição: faixa recusada")
        first, last = int(message.text("first")), int(message.text("last"))
        places = [(*_series(sender, message, ""), str(number)) for number in range(first, last + 1)]
        if all(place in self._inutilized for place in places):
            before = self._inutilized[places[0]]
            return replace(before, code=codes.REPEATED_RANGE_CODE, message="Já registrada")
        if any(place in self._inutilized or place in self._numbers for place in places):
            return _refused(codes.INUTILIZED_BEFORE_CODE, "Rejeição: número da faixa já usado")
        receipt = self._receipt(codes.INUTILIZED_CODE, "Inutilização homologada", message, "")
        self._inutilized.update(dict.fromkeys(places, receipt))
        return receipt

    def _receipt(self, code: str, words: str, message: Message, key: str) -> Authorized:
        protocol = f"{next(self._protocols):015d}"
        return Authorized(
            code=code,
            message=words,
            protocol=protocol,
            authorized_at=datetime.now(UTC),
            protocol_xml=_receipt_xml(protocol, key, int(message.text("number") or 0)),
            digest=message.digest,
        )

    def _answered(
        self, service: str, sender: AuthorityCredentials, key: str, outcome: Outcome, note: str = ""
    ) -> Outcome:
        """Adds an answer to the journal, and loses it where a note or the switch says so."""
        if outcome is NOT_ACCEPTED:
            return outcome
        self._note(service, sender, key, outcome)
        if sender.tax_id in self.losing:
            self.losing.remove(sender.tax_id)
            return NO_ANSWER
        return NO_ANSWER if note == codes.LOSES_ANSWER and isinstance(outcome, Authorized) else outcome

    def _note(self, service: str, sender: AuthorityCredentials, key: str, outcome: Outcome) -> None:
        self.journal.append(Entry(service, key, outcome.code, sender.environment))


REGISTER = Register()
"""The only register: the API and the worker of a process use the same authority."""


def _series(sender: AuthorityCredentials, message: Message, key: str) -> RegisterKey:
    family = "toynote" if key.startswith("DPS") else "toy"
    return family, sender.environment, message.text("issuer"), message.text("series")


def _event_key(sender: AuthorityCredentials, message: Message) -> RegisterKey:
    return sender.environment, message.text("key"), message.text("kind"), message.text("sequence")


def _refused(code: str, message: str) -> Rejected:
    return Rejected(code=code, message=message, answer_xml=f"<answer><code>{code}</code></answer>".encode())


def _canceled(document: Authorized, event: Authorized) -> Canceled:
    return Canceled(
        code=codes.CANCELED_CODE,
        message="Cancelamento homologado",
        access_key=document.access_key,
        protocol=event.protocol,
        canceled_at=event.authorized_at,
        cancellation_xml=event.protocol_xml,
        authorization=document,
    )


def _receipt_xml(protocol: str, key: str, number: int) -> bytes:
    content = f"<protocol>{protocol}</protocol><key>{key}</key><number>{number}</number>"
    return f"<receipt>{content}</receipt>".encode()
