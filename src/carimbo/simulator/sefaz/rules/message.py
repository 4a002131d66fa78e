"""The message: its size, its encoding, its form and its version (MOC 7.0, groups B to D)."""

import re
from collections.abc import Callable
from copy import deepcopy

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.element_names import is_prefixed, local_name
from carimbo.simulator.rule import Finding, Refusal, Rule
from carimbo.simulator.sefaz.call import UTF_8, Call, Received
from carimbo.simulator.sefaz.dialect import LONGEST_MESSAGE, Dialect
from carimbo.simulator.xsd_faults import first_fault

SCHEMA = "215"
"""The code of most messages that break their XSD, in every family."""

_EDITED = etree.XPath("boolean(//text()[not(normalize-space()) and ../*])")
# Looking at every node takes long; where none of these is there is nothing to look for.
_SIGN_OF_AN_ASIDE = re.compile(rb"<(?:!--|\?)")
_SIGN_OF_EDITING = re.compile(rb">(?:[ \n\t]|&#13;)")


def too_large(call: Call) -> bool:
    """MOC 7.0, B01."""
    return len(call.text) > call.dialect.largest_message


def other_encoding(call: Call) -> bool:
    """MOC 7.0, D03."""
    return call.envelope_encoding != UTF_8


def prefixed(call: Call) -> bool:
    """MOC 7.0, D02."""
    return is_prefixed(call.text, call.root)


def edited(call: Call) -> bool:
    """MOC 7.0, D01e: white space between tags; what is around the message belongs to its envelope."""
    return bool(_SIGN_OF_EDITING.search(call.text)) and bool(_EDITED(call.root))


def other_version(call: Call) -> bool:
    """MOC 7.0, group C: a version of the layout that the service does not know."""
    return call.root.get("versao") not in _versions(call.dialect, call.root)


def other_environment(call: Call) -> bool:
    """MOC 7.0, B24-10 and the like: documents and events have environments of their own."""
    environment = call.text_at("tpAmb")
    return bool(environment) and environment != call.place.environment


def header_missing(call: Call) -> bool:
    """MOC MDF-e, 242."""
    return call.needs_header and call.header is None


def header_without_state(call: Call) -> bool:
    """MOC MDF-e, 409."""
    return call.header is not None and not call.header.findtext("{*}cUF")


def header_without_version(call: Call) -> bool:
    """MOC MDF-e, 411."""
    return call.header is not None and not call.header.findtext("{*}versaoDados")


def schema_rule(code: str, where: Callable[[Call], bool] | None = None) -> Rule[Call]:
    """Makes the rule that a message is as its XSD wants it (MOC 7.0, D01)."""

    def misformed(call: Call) -> Finding:
        if _SIGN_OF_AN_ASIDE.search(call.text):
            return f"[{local_name(call.root)}: comentário ou instrução de processamento]"
        return schema_fault(call, call.root, call.schema, code)

    return Rule(code, misformed, where)


def schema_fault(
    received: Received, root: etree._Element, schema: Schema | None, code: str = SCHEMA
) -> str | None:
    """Returns the first fault in brackets, as much of it as has room after the official text of a code."""
    if schema is None:
        return None
    dialect = received.dialect
    fault = first_fault(received.world.xsds.of(schema), _as_the_xsd_knows_it(dialect, root))
    if fault is None:
        return None
    room = LONGEST_MESSAGE - len(f"{dialect.text_of(Refusal(code))} []")
    return f"[{fault[-room:]}]"


def _versions(dialect: Dialect, root: etree._Element) -> tuple[str, ...]:
    return dialect.versions.get(local_name(root)) or (dialect.version,)


def _as_the_xsd_knows_it(dialect: Dialect, root: etree._Element) -> etree._Element:
    """Returns a message with the version of its XSD: the others differ in their number alone."""
    first, *others = _versions(dialect, root)
    if root.get("versao") not in others:
        return root
    older = deepcopy(root)
    older.set("versao", first)
    return older
