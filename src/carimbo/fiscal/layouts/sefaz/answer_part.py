"""Parts of a SEFAZ authority's answer, found by official name; unknown elements are ignored."""

import re
from copy import deepcopy
from dataclasses import dataclass
from typing import Self

from lxml import etree

from carimbo.fiscal.layouts.answer_part import AnswerPart
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.layouts.soap import open_envelope
from carimbo.fiscal.outcome import NotJudged, unexpected
from carimbo.fiscal.tables.statuses import Action

ACCESS_KEY = re.compile(r"[0-9]{6}[0-9A-Z]{12}[0-9]{26}")
# 17 digits are São Paulo's, for NFC-e.
PROTOCOL = re.compile(r"[0-9]{17}|[0-9]{15}")
RECEIPT = re.compile(r"[0-9]{15}")

# Four digits came with the rules of the tax reform (NT 2025.002).
_CODE = re.compile(r"[0-9]{3,4}")


@dataclass(frozen=True, slots=True)
class SefazPart(AnswerPart):
    """One element of an answer."""

    dialect: Dialect

    @property
    def namespace(self) -> str:
        """The namespace of the family's messages."""
        return self.dialect.namespace

    def at(self, element: etree._Element) -> Self:
        """Wraps another element of the same answer."""
        return type(self)(element, self.dialect)

    def wrapped(self, tag: str) -> list[Self]:
        """Returns every part of this name, taken out of a part of the same name around it.

        The XSDs of CT-e and MDF-e allow any content in protocols and events, and some authorities answer with
        a second wrapper inside the first.
        """
        return [part for outer in self.parts(tag) for part in outer.parts(tag) or [outer]]

    def to_xml(self) -> bytes:
        """Returns the element as XML with its own namespace and none of the envelope's."""
        # A copy has the namespaces that it uses; its own declarations stay, because it can be signed.
        return etree.tostring(deepcopy(self.element), encoding="utf-8", with_tail=False)

    @property
    def code(self) -> str:
        """The authority's code, `cStat`; empty if there is none that can be read."""
        return self.matching("cStat", _CODE) or ""

    @property
    def action(self) -> Action | None:
        """The meaning of the code; None if the table of codes lacks it."""
        return self.dialect.action_of(self.code)

    @property
    def message(self) -> str:
        """The authority's own text, `xMotivo`."""
        return self.text("xMotivo")

    @property
    def access_key(self) -> str | None:
        """The key of the document that the part names."""
        return self.matching(self.dialect.key_tag, ACCESS_KEY)

    def can_be_about(self, access_key: str | None) -> bool:
        """Returns whether the part can be about a document; refusals need not name their document."""
        return access_key is None or self.text(self.dialect.key_tag) in ("", access_key)


def find_answer(dialect: Dialect, body: bytes, tag: str) -> SefazPart | NotJudged:
    """Finds the message of this name in the body of a response."""
    message = open_envelope(body)
    if isinstance(message, NotJudged):
        return message
    answer = next(message.iter(f"{{{dialect.namespace}}}{tag}"), None)
    return unexpected(f"{message.tag} em vez de {tag}") if answer is None else SefazPart(answer, dialect)


def find_judged_answer(
    dialect: Dialect, body: bytes, tag: str, access_key: str | None = None
) -> SefazPart | NotJudged:
    """Finds the message of this name, which must have a code and be about no other document."""
    answer = find_answer(dialect, body, tag)
    if isinstance(answer, SefazPart) and not answer.can_be_about(access_key):
        return unexpected(f"{tag} de outro documento")
    return answer if isinstance(answer, NotJudged) else with_code(answer)


def with_code(part: SefazPart | None) -> SefazPart | NotJudged:
    """Returns the part if it has a readable code."""
    if part is None:
        return unexpected("resposta incompleta")
    return part if part.code else unexpected(f"cStat ausente ou ilegível: {part.text('cStat')[:20]!r}")
