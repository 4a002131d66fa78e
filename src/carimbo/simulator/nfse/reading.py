"""What a POST brings: JSON, in it XML, and what is wrong with either before a rule is asked."""

import json
from typing import Any

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.xml_reading import UnreadableXml, read_xml
from carimbo.simulator.http import JSON, Request
from carimbo.simulator.nfse.call import NAMESPACE, Call, Posted
from carimbo.simulator.nfse.packing import unpacked
from carimbo.simulator.nfse.rules.message import ENCODING_RULES, MESSAGE_RULES
from carimbo.simulator.rule import Refusal, first_broken
from carimbo.simulator.xsd_faults import first_fault

NOT_PACKED, NOT_WELL_FORMED, NOT_HANDLED, NOT_BY_THE_XSD = "E1225", "E1226", "E1242", "E1235"
"""Without these nothing could be judged, so they are no rules that can be off."""


def is_json(request: Request) -> bool:
    """Tell whether a body says that it is JSON."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == JSON


def packed_in(request: Request, field: str) -> str | None:
    """The text of a field of the body; None if the body is no JSON, or has no such text."""
    try:
        body: Any = json.loads(request.body)
    except (ValueError, RecursionError):
        return None
    found = body.get(field) if isinstance(body, dict) else None
    return found if isinstance(found, str) and found else None


def opened(packed: str) -> Posted:
    """What was packed, as far as it can be opened."""
    xml = unpacked(packed)
    if xml is None:
        return Posted()
    try:
        return Posted(xml, read_xml(xml))
    except UnreadableXml:
        return Posted(xml)


def message_of(call: Call, tag: str, schema: Schema) -> etree._Element | Refusal:
    """What was posted, or the first thing that keeps it from being judged, which hides all others."""
    posted, off = call.posted, call.world.controls.rules_off
    if not posted.xml:
        return Refusal(NOT_PACKED)
    if posted.root is None:
        return first_broken(ENCODING_RULES, posted, off) or Refusal(NOT_WELL_FORMED)
    if posted.root.tag != f"{{{NAMESPACE}}}{tag}":
        return Refusal(NOT_HANDLED)
    if broken := first_broken(MESSAGE_RULES, posted, off):
        return broken
    fault = _aside(posted.root) or first_fault(call.world.xsds.of(schema), posted.root)
    return Refusal(NOT_BY_THE_XSD, fault) if fault else posted.root


def _aside(root: etree._Element) -> str | None:
    """Comments and instructions, which no XSD forbids and no signature covers."""
    found = next(root.iter(etree.Comment, etree.ProcessingInstruction), None)
    return None if found is None else "comentário ou instrução de processamento"
