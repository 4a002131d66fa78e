"""The lot of events, before they are looked at (MOC 7.0, table 5-32)."""

import re
from collections.abc import Iterator

from lxml import etree

from carimbo.simulator.nfe.dialect import NAMESPACE
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.sefaz.call import Call

_MOST = 20
_LOT = re.compile(r"[0-9]{1,15}")


def events_of(root: etree._Element) -> Iterator[etree._Element]:
    """Every `evento` of a lot."""
    return root.iterchildren(f"{{{NAMESPACE}}}evento")


def misformed_lot(call: Call) -> Finding:
    """MOC 7.0, D01: what is inside an event is judged event by event."""
    root = call.root
    if root.tag != f"{{{NAMESPACE}}}envEvento":
        return "[envEvento: elemento ausente]"
    if not _LOT.fullmatch(root.findtext(f"{{{NAMESPACE}}}idLote") or ""):
        return "[envEvento/idLote: formato inválido]"
    events = list(events_of(root))
    if not 1 <= len(events) <= _MOST or len(root) != len(events) + 1:
        return "[envEvento/evento: elemento inesperado, repetido ou ausente]"
    return None


EVENT_LOT_RULES: tuple[Rule[Call], ...] = (Rule("215", misformed_lot),)
