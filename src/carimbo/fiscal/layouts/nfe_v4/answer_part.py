"""Parts of an authority's answer, found by official name; what is new or odd in it is passed over."""

import re
from copy import deepcopy
from dataclasses import dataclass

from lxml import etree

from carimbo.fiscal.layouts.answer_part import AnswerPart
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.outcome import NotJudged, unexpected
from carimbo.fiscal.soap import open_envelope

ACCESS_KEY = re.compile(r"[0-9]{6}[0-9A-Z]{12}[0-9]{26}")
# 17 digits are São Paulo's, for NFC-e.
PROTOCOL = re.compile(r"[0-9]{17}|[0-9]{15}")
RECEIPT = re.compile(r"[0-9]{15}")

# Four digits came with the rules of the tax reform (NT 2025.002).
_CODE = re.compile(r"[0-9]{3,4}")


@dataclass(frozen=True, slots=True)
class Part(AnswerPart):
    """One element of an answer."""

    namespace = NAMESPACE

    def standing_alone(self) -> bytes:
        """The element as XML with its own namespace and none of the envelope's, ready to be embedded."""
        # A copy takes along the declarations that it uses; those of its own it keeps, as it may be signed.
        return etree.tostring(deepcopy(self.element), encoding="utf-8", with_tail=False)

    @property
    def code(self) -> str:
        """The authority's code, `cStat`; empty if there is none that can be read."""
        return self.matching("cStat", _CODE) or ""

    @property
    def message(self) -> str:
        """The authority's own words, `xMotivo`."""
        return self.text("xMotivo")

    @property
    def access_key(self) -> str | None:
        """The document that the part names, `chNFe`."""
        return self.matching("chNFe", ACCESS_KEY)

    def may_be_of(self, access_key: str | None) -> bool:
        """Tell whether the part can be about a document: one that names none can, as refusals need not."""
        return access_key is None or self.text("chNFe") in ("", access_key)


def find_answer(body: bytes, tag: str) -> Part | NotJudged:
    """Find the message of this name in the body of a response."""
    message = open_envelope(body)
    if isinstance(message, NotJudged):
        return message
    found = next(message.iter(Part.qualified(tag)), None)
    return unexpected(f"{message.tag} em vez de {tag}") if found is None else Part(found)


def find_judged_answer(body: bytes, tag: str, access_key: str | None = None) -> Part | NotJudged:
    """Find the message of this name, with a code to judge by and about no other document than this."""
    answer = find_answer(body, tag)
    if isinstance(answer, Part) and not answer.may_be_of(access_key):
        return unexpected(f"{tag} de outro documento")
    return answer if isinstance(answer, NotJudged) else with_code(answer)


def with_code(part: Part | None) -> Part | NotJudged:
    """Let a part through only if it has a code to judge by."""
    if part is None:
        return unexpected("resposta incompleta")
    return part if part.code else unexpected(f"cStat ausente ou ilegível: {part.text('cStat')[:20]!r}")
