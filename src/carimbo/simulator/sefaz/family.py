"""A SEFAZ family: opens SOAP calls, judges their messages, and passes them to the services."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from lxml import etree

from carimbo.simulator.family import CallReply, IncomingCall, RequestContext, ServicePath
from carimbo.simulator.http import Reply, Request
from carimbo.simulator.identifiers import KEY_MODEL
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.rules import AuthorityVerdict, RejectionRule, first_broken
from carimbo.simulator.sefaz import soap
from carimbo.simulator.sefaz.answers import ServiceAnswer, authorized_document
from carimbo.simulator.sefaz.call import Message, ServiceCall
from carimbo.simulator.sefaz.dialect import OUT_OF_SERVICE, FamilyDialect
from carimbo.simulator.sefaz.services import SimulatedService, SimulatedServices, wsdl_reply
from carimbo.simulator.trust import judged_certificate

_KEY = re.compile(r"[0-9A-Z]{44}")
# The Id of an event has 54 or 55 characters; longer ones are invalid, and the journal cuts them.
_MAX_SUBJECT_LENGTH = 100
_MAX_KEYS = 50
"""Of a lot, by its XSD."""
_METHODS = frozenset({"POST"})


@dataclass(frozen=True, slots=True)
class OpenedCall:
    """A call of a service with its opened envelope."""

    service: SimulatedService
    opened: soap.OpenedMessage


@dataclass(frozen=True)
class SimulatedSefazFamily:
    """The documents of one model."""

    name: str
    """The part of the path: `nfe`."""
    dialect: FamilyDialect
    services: SimulatedServices
    message_rules: tuple[RejectionRule[ServiceCall], ...]
    """The rules of every message, in all services."""
    codes: frozenset[str]
    """The codes of all rules."""

    @property
    def model(self) -> str:
        """`55`."""
        return self.dialect.models[self.name]

    @property
    def methods(self) -> frozenset[str]:
        """SOAP uses POST only."""
        return _METHODS

    def describe(self, service_path: ServicePath, address: str) -> Reply | None:
        """Returns the WSDL of a service."""
        service = self.services.at(service_path, self.model)
        return wsdl_reply(service.description, address) if service else None

    def read_call(self, service_path: ServicePath, request: Request) -> IncomingCall | CallReply | None:
        """Opens the envelope; a fault if there is none, or not that of the service."""
        service = self.services.at(service_path, self.model)
        if service is None:
            return None
        try:
            opened = soap.open_request(request.body, service.wrapping)
        except soap.SoapFault as reason:
            return CallReply(soap.fault(str(reason), reason.version), "", str(reason))
        elements = list(opened.root.iter(*self._journal_tags))
        message = Message(dialect=self.dialect, root=opened.root)
        return IncomingCall(
            service=service.name,
            subject=service.handler.subject(message)[:_MAX_SUBJECT_LENGTH],
            texts=self._texts(elements),
            message=OpenedCall(service, opened),
            keys=self._keys(elements),
            parts=self._parts(elements),
        )

    def answer(
        self, service_path: ServicePath, incoming: IncomingCall, request: Request, context: RequestContext
    ) -> CallReply:
        """Judges the message, and then its content."""
        opened_call = cast(OpenedCall, incoming.message)
        handler, damage = opened_call.service.handler, opened_call.opened.damage
        call = self._call(opened_call, service_path, context, request.certificate)
        if damage:
            answer = handler.refuse_message(call, AuthorityVerdict(self.dialect.damages[damage]))
        elif refusal := first_broken(self.message_rules, call, context.controls.rules_off):
            answer = handler.refuse_message(call, refusal)
        else:
            answer = handler.answer(call)
        return _call_reply(opened_call, answer)

    def refuse(
        self, service_path: ServicePath, incoming: IncomingCall, code: str, context: RequestContext
    ) -> CallReply:
        """Answers with a code: about the content, or about the whole message in an outage."""
        opened_call = cast(OpenedCall, incoming.message)
        handler, call = opened_call.service.handler, self._call(opened_call, service_path, context)
        refuse = handler.refuse_message if code in OUT_OF_SERVICE else handler.refuse
        return _call_reply(opened_call, refuse(call, AuthorityVerdict(code)))

    def can_refuse_with(self, code: str) -> bool:
        """Returns whether a code is a rejection: all from 200 on (MOC 7.0, 5.1.1), except former denials."""
        return self.dialect.can_refuse_with(code)

    def fail(self) -> Reply:
        """Returns a SOAP fault."""
        return soap.server_fault()

    def archived_document(self, document: StoredDocument) -> bytes | None:
        """Returns a document of this model with its protocol."""
        if not _KEY.fullmatch(document.access_key) or document.access_key[KEY_MODEL] != self.model:
            return None
        return authorized_document(self.dialect, document.xml, document.protocol_xml).encode()

    def _call(
        self,
        opened_call: OpenedCall,
        service_path: ServicePath,
        context: RequestContext,
        certificate: bytes | None = None,
    ) -> ServiceCall:
        opened = opened_call.opened
        return ServiceCall(
            dialect=opened_call.service.dialect,
            root=opened.root,
            text=opened.text,
            schema=opened_call.service.schema,
            sender=judged_certificate(certificate) if certificate else None,
            service_path=service_path,
            context=context,
            envelope_encoding=opened.encoding,
            needs_header=opened_call.service.has_header,
            header=opened.header,
        )

    @cached_property
    def _document_tag(self) -> str:
        return self.dialect.tag(self.dialect.content_tag)

    @cached_property
    def _key_tag(self) -> str:
        return self.dialect.tag(self.dialect.key_tag)

    @cached_property
    def _event_tag(self) -> str:
        return self.dialect.tag("infEvento")

    @cached_property
    def _party_tags(self) -> tuple[str, ...]:
        return tuple(map(self.dialect.tag, self.dialect.named_parties))

    @cached_property
    def _journal_tags(self) -> tuple[str, ...]:
        """The elements that the journal and the triggers use."""
        free_texts = map(self.dialect.tag, self.dialect.free_texts)
        return (*self._party_tags, self._document_tag, self._event_tag, self._key_tag, *free_texts)

    def _texts(self, elements: Sequence[etree._Element]) -> tuple[str, ...]:
        """Free texts: names of parties, descriptions, notes, reasons."""
        not_free, name = (self._document_tag, self._event_tag, self._key_tag), self.dialect.tag("xNome")
        texts = (
            element.findtext(name) if element.tag in self._party_tags else element.text
            for element in elements
            if element.tag not in not_free
        )
        return tuple(filter(None, texts))

    def _keys(self, elements: Sequence[etree._Element]) -> tuple[str, ...]:
        """The keys of documents in the message, each once."""
        document, key, stem = self._document_tag, self._key_tag, len(self.dialect.stem)
        keys = [
            element.get("Id", "")[stem:] if element.tag == document else element.text or ""
            for element in elements
            if element.tag in (document, key)
        ]
        return tuple(dict.fromkeys(filter(_KEY.fullmatch, keys)))[:_MAX_KEYS]

    def _parts(self, elements: Sequence[etree._Element]) -> tuple[str, ...]:
        """The documents and events of a lot, each by the subject that it would have alone."""
        signed = (self._document_tag, self._event_tag)
        ids = (element.get("Id", "") for element in elements if element.tag in signed)
        parts = (part.removeprefix(self.dialect.stem)[:_MAX_SUBJECT_LENGTH] for part in ids)
        return tuple(filter(None, parts))[:_MAX_KEYS]


def _call_reply(opened_call: OpenedCall, answer: ServiceAnswer) -> CallReply:
    reply = soap.answer(opened_call.opened.version, opened_call.service.wrapping, answer.xml)
    return CallReply(reply, answer.code, answer.message)
