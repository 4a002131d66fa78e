"""Received files of NF-e and CT-e: documents with their protocols, and registered events."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.layouts.received_part import NAME_LENGTH, ReceivedPart
from carimbo.fiscal.layouts.sefaz.answer_part import PROTOCOL
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.receiving import (
    ReceivedDocument,
    ReceivedEvent,
    ReceivedParty,
    Role,
    Situation,
    UnreadFile,
)
from carimbo.fiscal.tables.statuses import Action

EVENT_CODE = re.compile(r"[0-9]{6}")
SEQUENCE_DIGITS = 3
_SITUATIONS = {
    Action.AUTHORIZED: Situation.AUTHORIZED,
    Action.AUTHORIZED_LATE: Situation.AUTHORIZED,
    Action.DENIED: Situation.DENIED,
}
_REGISTERED = frozenset({Action.EVENT_REGISTERED, Action.CANCELED_LATE})


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """A kind of document with its protocol, by the tags of its file."""

    dialect: Dialect
    document_type: str
    model: str
    root: str
    """As `nfeProc`."""
    document: str
    """As `NFe`."""
    content: str
    """As `infNFe`."""

    def content_in(self, root: ReceivedPart) -> ReceivedPart:
        """Returns the content of the document, which must have a protocol; raises `UnreadFile`."""
        if root.tag == self.document or (root.tag == self.root and self._protocol_in(root) is None):
            tag = self.dialect.protocol_tag
            raise UnreadFile(
                f"Falta ao XML o protocolo de autorização ({tag}): envie o arquivo completo ({self.root})."
            )
        root.require_tag(self.root)
        return root.required_part(f"{self.document}/{self.content}")

    def read(self, root: ReceivedPart, *, role: Role, amount: Decimal) -> ReceivedDocument:
        """Reads what documents of all kinds have; raises `UnreadFile`."""
        content, protocol = self.content_in(root), self._protocol_in(root)
        key, issuer = content.key_in_id(self.dialect.stem), content.required_part("emit")
        if key.model != self.model:
            raise UnreadFile(f"O documento é do modelo {key.model}, e não do modelo {self.model}.")
        if protocol is None or protocol.access_key(self.dialect.key_tag) != key:
            raise UnreadFile("O protocolo do XML é de outro documento.")
        action = self.dialect.action_of(protocol.required_text("cStat"))
        if action not in _SITUATIONS:
            raise UnreadFile("O protocolo do XML não é de uma autorização.")
        return ReceivedDocument(
            type=self.document_type,
            access_key=key,
            number=key.number,
            series=key.series,
            issuer_tax_id=issuer.required_tax_id(),
            issuer_name=issuer.required_text("xNome")[:NAME_LENGTH],
            role=role,
            amount=amount,
            issued_at=content.required_moment("ide/dhEmi"),
            authorized_at=protocol.required_moment("dhRecbto"),
            protocol=protocol.text("nProt", PROTOCOL),
            situation=_SITUATIONS[action],
            is_full=True,
        )

    def _protocol_in(self, root: ReceivedPart) -> ReceivedPart | None:
        return _registration(root, self.dialect.protocol_tag, "infProt")


def read_event(
    dialect: Dialect,
    root: ReceivedPart,
    situations: Mapping[str, Situation],
    detail_path: str,
    text_of: Callable[[ReceivedPart], str | None],
) -> ReceivedEvent:
    """Reads an event with its registration; raises `UnreadFile`.

    Types of events differ in the situation that follows, and in the path and the text of their details.
    """
    root.require_tag(dialect.event_archive_tag)
    event = root.required_part(f"{dialect.event_tag}/infEvento")
    registration = _registration(root, dialect.event_answer_tag, "infEvento")
    if registration is None or dialect.action_of(registration.required_text("cStat")) not in _REGISTERED:
        raise UnreadFile(f"Falta ao XML o registro do evento ({dialect.event_answer_tag}).")
    key = event.access_key(dialect.key_tag)
    if registration.text(dialect.key_tag) not in (None, key):
        raise UnreadFile("O registro do XML é de um evento de outro documento.")
    code, detail = event.required_text("tpEvento", EVENT_CODE), event.part(detail_path)
    description = (detail and detail.text("descEvento")) or registration.text("xEvento") or code
    return ReceivedEvent(
        access_key=key,
        code=code,
        description=description[:NAME_LENGTH],
        sequence=event.required_integer("nSeqEvento", SEQUENCE_DIGITS),
        author_tax_id=event.tax_id(),
        protocol=registration.text("nProt", PROTOCOL),
        occurred_at=event.required_moment("dhEvento"),
        registered_at=registration.moment("dhRegEvento"),
        situation=situations.get(code),
        text=text_of(detail) if detail else None,
    )


def read_party(role: str, party: ReceivedPart) -> ReceivedParty:
    """Reads a party; city and state are in an inner address (`enderEmit`), or beside the name."""
    address = next((part for part in party.parts("*") if part.tag.startswith("ender")), party)
    return ReceivedParty(
        role=role,
        tax_id=party.tax_id(),
        name=party.text("xNome"),
        state_registration=party.text("IE"),
        city=address.text("xMun"),
        state=address.text("UF"),
    )


def _registration(root: ReceivedPart, tag: str, content: str) -> ReceivedPart | None:
    """Returns what the authority says about a document or event; some authorities wrap it twice."""
    return root.part(f"{tag}/{tag}/{content}") or root.part(f"{tag}/{content}")
