"""Rules about every message of CT-e and CT-e OS, in the order of MOC CT-e 4.00 (groups A to D)."""

import re

from lxml import etree

from carimbo.simulator.cte.dialect import NAMESPACE
from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.call import ServiceCall
from carimbo.simulator.sefaz.rules.message import (
    SCHEMA,
    SENDER_RULES,
    edited,
    other_encoding,
    other_environment,
    other_version,
    prefixed,
    schema_rule,
    signature_rules,
    too_large,
)
from carimbo.simulator.xml_messages import local_name

_SIGNATURE_NAMESPACE = "http://www.w3.org/2000/09/xmldsig#"
_NAMESPACES = frozenset({NAMESPACE.encode(), _SIGNATURE_NAMESPACE.encode()})
_DECLARED = re.compile(rb"xmlns\s*=\s*[\"']([^\"']*)[\"']")
_FOREIGN = etree.XPath(
    f"boolean(//*[namespace-uri() != '{NAMESPACE}' and namespace-uri() != '{_SIGNATURE_NAMESPACE}'])"
)
_DOCUMENTS = frozenset({"CTe", "CTeOS"})


def foreign_namespace(call: ServiceCall) -> bool:
    """MOC CT-e, 598: an element of another namespace; elements without a prefix declare theirs."""
    declared = set(_DECLARED.findall(call.text))
    return not (declared and declared <= _NAMESPACES) and bool(_FOREIGN(call.root))


def unsupported_version(call: ServiceCall) -> bool:
    """MOC CT-e, 239; a document has its version in the signed part."""
    if local_name(call.root) not in _DOCUMENTS:
        return other_version(call)
    signed = call.root.find(call.dialect.tag(call.dialect.content_tag))
    return signed is not None and signed.get("versao") != call.dialect.version


MESSAGE_RULES: tuple[RejectionRule[ServiceCall], ...] = (
    *SENDER_RULES,
    RejectionRule("214", too_large),
    RejectionRule("402", other_encoding),
    RejectionRule("404", prefixed),
    RejectionRule("598", foreign_namespace),
    RejectionRule("599", edited),
    RejectionRule("239", unsupported_version),
    schema_rule(SCHEMA),
    RejectionRule("252", other_environment),
)
"""For every service."""

SIGNATURE_RULES = signature_rules("202")
