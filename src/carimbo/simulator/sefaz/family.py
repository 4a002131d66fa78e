"""A SEFAZ family for the site: SOAP calls are opened, judged as messages, and answered by their services."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from lxml import etree

from carimbo.simulator import soap, wsdl
from carimbo.simulator.family import Heard, Said, World
from carimbo.simulator.http import Reply, Request
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.place import Place
from carimbo.simulator.rule import Rule, first_broken
from carimbo.simulator.sefaz.answers import Answer, Verdict, authorized_document
from carimbo.simulator.sefaz.call import Call, Message
from carimbo.simulator.sefaz.dialect import OUT_OF_SERVICE, Dialect
from carimbo.simulator.sefaz.key_parts import MODEL
from carimbo.simulator.sefaz.services import Service, Services
from carimbo.simulator.trust import credential_of

_KEY = re.compile(r"[0-9A-Z]{44}")
# The Id of an event has 54 or 55 characters; whatever is longer is none, and the journal need not hold it.
_LONGEST_SUBJECT = 100
_MOST_KEYS = 50
"""Of a lot, as its XSD has it."""
_METHODS = frozenset({"POST"})


@dataclass(frozen=True, slots=True)
class OpenedCall:
    """A call of a service whose envelope was opened."""

    service: Service
    opened: soap.Opened


@dataclass(frozen=True)
class SefazFamily:
    """The documents of one model."""

    name: str
    """The part of the path: `nfe`."""
    dialect: Dialect
    services: Services
    message_rules: tuple[Rule[Call], ...]
    """The rules of every message, whatever its service."""
    codes: frozenset[str]
    """The codes of every rule."""

    @property
    def model(self) -> str:
        """`55`."""
        return self.dialect.models[self.name]

    @property
    def methods(self) -> frozenset[str]:
        """SOAP comes by POST alone."""
        return _METHODS

    def describe(self, place: Place, address: str) -> Reply | None:
        """Returns the WSDL of a service."""
        service = self.services.at(place, self.model)
        return wsdl.description(service.description, address) if service else None

    def hear(self, place: Place, request: Request) -> Heard | Said | None:
        """Opens the envelope; a fault if there is none, or not the service's own."""
        service = self.services.at(place, self.model)
        if service is None:
            return None
        try:
            opened = soap.open_request(request.body, service.wrapping)
        except soap.SoapFault as reason:
            return Said(soap.fault(str(reason), reason.version), "", str(reason))
        noted = list(opened.root.iter(*self._noted_tags))
        message = Message(dialect=self.dialect, root=opened.root)
        return Heard(
            service=service.name,
            subject=service.handler.subject(message)[:_LONGEST_SUBJECT],
            texts=self._texts(noted),
            message=OpenedCall(service, opened),
            keys=self._keys(noted),
            parts=self._parts(noted),
        )

    def answer(self, place: Place, heard: Heard, request: Request, world: World) -> Said:
        """Judges the message, and then what it asks for."""
        opened_call = cast(OpenedCall, heard.message)
        handler, damage = opened_call.service.handler, opened_call.opened.damage
        call = self._call(opened_call, place, world, request.certificate)
        if damage:
            answer = handler.refuse_message(call, Verdict(self.dialect.damages[damage]))
        elif refusal := first_broken(self.message_rules, call, world.controls.rules_off):
            answer = handler.refuse_message(call, refusal)
        else:
            answer = handler.answer(call)
        return _said(opened_call, answer)

    def refuse(self, place: Place, heard: Heard, code: str, world: World) -> Said:
        """Answers with a code: about what is asked for, or about the whole message in an outage."""
        opened_call = cast(OpenedCall, heard.message)
        handler, call = opened_call.service.handler, self._call(opened_call, place, world)
        refuse = handler.refuse_message if code in OUT_OF_SERVICE else handler.refuse
        return _said(opened_call, refuse(call, Verdict(code)))

    def refuses_with(self, code: str) -> bool:
        """Returns whether a code refuses; from 200 on all do (MOC 7.0, 5.1.1), except the denials of old."""
        return self.dialect.can_refuse_with(code)

    def fail(self) -> Reply:
        """Returns a SOAP fault."""
        return soap.server_fault()

    def hand_out(self, document: StoredDocument) -> bytes | None:
        """Returns a document of this model with its protocol."""
        if not _KEY.fullmatch(document.access_key) or document.access_key[MODEL] != self.model:
            return None
        return authorized_document(self.dialect, document.xml, document.protocol_xml).encode()

    def _call(
        self, opened_call: OpenedCall, place: Place, world: World, certificate: bytes | None = None
    ) -> Call:
        opened = opened_call.opened
        return Call(
            dialect=self.dialect,
            root=opened.root,
            text=opened.text,
            schema=opened_call.service.schema,
            sender=credential_of(certificate) if certificate else None,
            place=place,
            world=world,
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
    def _noted_tags(self) -> tuple[str, ...]:
        """The elements that the journal and the triggers look at."""
        free_texts = map(self.dialect.tag, self.dialect.free_texts)
        return (*self._party_tags, self._document_tag, self._event_tag, self._key_tag, *free_texts)

    def _texts(self, noted: Sequence[etree._Element]) -> tuple[str, ...]:
        """Returns the texts that people write freely: names of parties, descriptions, notes, reasons."""
        not_free, name = (self._document_tag, self._event_tag, self._key_tag), self.dialect.tag("xNome")
        texts = (
            element.findtext(name) if element.tag in self._party_tags else element.text
            for element in noted
            if element.tag not in not_free
        )
        return tuple(filter(None, texts))

    def _keys(self, noted: Sequence[etree._Element]) -> tuple[str, ...]:
        """Returns the keys of documents that are sent, asked about or named, each once."""
        document, key, stem = self._document_tag, self._key_tag, len(self.dialect.stem)
        keys = [
            element.get("Id", "")[stem:] if element.tag == document else element.text or ""
            for element in noted
            if element.tag in (document, key)
        ]
        return tuple(dict.fromkeys(filter(_KEY.fullmatch, keys)))[:_MOST_KEYS]

    def _parts(self, noted: Sequence[etree._Element]) -> tuple[str, ...]:
        """Returns the documents and events of a lot, by the subject that each would have alone."""
        signed = (self._document_tag, self._event_tag)
        ids = (element.get("Id", "") for element in noted if element.tag in signed)
        parts = (part.removeprefix(self.dialect.stem)[:_LONGEST_SUBJECT] for part in ids)
        return tuple(filter(None, parts))[:_MOST_KEYS]


def _said(opened_call: OpenedCall, answer: Answer) -> Said:
    reply = soap.answer(opened_call.opened.version, opened_call.service.wrapping, answer.xml)
    return Said(reply, answer.code, answer.message)
