"""An event of an NF-e or NFC-e that is judged, with the document that it is about."""

import re
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.nfe.event_types import CANCELLATION, SUBSTITUTION
from carimbo.simulator.sefaz.event import JudgedEvent
from carimbo.simulator.sefaz.rules.message import schema_fault

# e110112_v1.00.xsd (NT 2018.004), which no package at hand has.
_SUBSTITUTION = {
    "descEvento": r"Cancelamento por substitui(?:cao|ção)",
    "cOrgaoAutor": r"[0-9]{2}",
    "tpAutor": r"[0-9]",
    "verAplic": r"\S.{0,18}\S|\S",
    "nProt": r"[0-9]{15}(?:[0-9]{2})?",
    "xJust": r"[!-ÿ][ -ÿ]{13,253}[!-ÿ]",
    "chNFeRef": r"[0-9]{6}[0-9A-Z]{12}[0-9]{26}",
}
_PLAIN_CANCELLATION = (
    f'<detEvento xmlns="{NAMESPACE}" versao="1.00"><descEvento>Cancelamento</descEvento>'
    f"<nProt>{'0' * 15}</nProt><xJust>{'x' * 15}</xJust></detEvento>"
)
_AT_DETAIL = "evento/infEvento/detEvento"


@dataclass(frozen=True)
class EventCase(JudgedEvent):
    """One `evento`; it is the root of a tree of its own."""

    dialect = DIALECT

    @cached_property
    def replacement(self) -> StoredDocument | None:
        """The document that takes the place of a canceled one."""
        return self.ledger.document(self.place.environment, self.detail.text("chNFeRef"))

    @cached_property
    def schema_fault(self) -> str:
        """What is wrong with its form; the detail of a substitution is checked without an XSD."""
        if self.type is not SUBSTITUTION:
            return schema_fault(self, self.element, self.type.schema) or ""
        plain = self._as_cancellation()
        return schema_fault(self, plain, Schema.NFE_CANCELLATION) or self._fault_of_substitution()

    def _as_cancellation(self) -> etree._Element:
        """Returns the event as a plain cancellation, whose XSD has what the two types share."""
        plain = deepcopy(self.element)
        for content in plain.iterchildren("{*}infEvento"):
            for child in content.iterchildren("{*}tpEvento"):
                child.text = CANCELLATION.code
            for child in content.iterchildren("{*}detEvento"):
                content.replace(child, etree.fromstring(_PLAIN_CANCELLATION))
        return plain

    def _fault_of_substitution(self) -> str:
        detail, texts = self.detail, dict(self.detail.texts)
        if list(texts) != list(_SUBSTITUTION) or detail.attributes.get("versao") != DIALECT.event_version:
            return f"[{_AT_DETAIL}: elemento inesperado, repetido ou ausente]"
        wrong = (tag for tag, pattern in _SUBSTITUTION.items() if not re.fullmatch(pattern, texts[tag]))
        tag = next(wrong, "")
        return f"[{_AT_DETAIL}/{tag}: formato inválido]" if tag else ""


def invoice_of(document: StoredDocument, event: EventCase) -> Case:
    """Returns a document that is kept, opened again."""
    return Case(etree.fromstring(document.xml), event.place, event.world)
