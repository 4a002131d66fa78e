"""Rules about every message of NF-e and NFC-e, in the order of MOC 7.0 (groups A to D)."""

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
    too_large,
)
from carimbo.simulator.xml_messages import local_name

_LOT = "enviNFe"
_ENVIRONMENT_OF_RANGE = "{*}infInut/{*}tpAmb"


def is_lot(call: ServiceCall) -> bool:
    """Returns whether a message is a lot of documents."""
    return local_name(call.root) == _LOT


def is_no_lot(call: ServiceCall) -> bool:
    """Returns whether a message is not a lot of documents."""
    return not is_lot(call)


def range_of_other_environment(call: ServiceCall) -> bool:
    """MOC 7.0, I02: an inutilization has its environment in the signed part."""
    environment = call.root.findtext(_ENVIRONMENT_OF_RANGE)
    return bool(environment) and environment != call.service_path.environment


FORM_RULES: tuple[RejectionRule[ServiceCall], ...] = (
    RejectionRule("214", too_large),
    RejectionRule("402", other_encoding),
    RejectionRule("404", prefixed),
    RejectionRule("588", edited),
    RejectionRule("239", other_version),
    schema_rule("225", is_lot),
    schema_rule(SCHEMA, is_no_lot),
    RejectionRule("252", lambda call: other_environment(call) or range_of_other_environment(call)),
)
MESSAGE_RULES: tuple[RejectionRule[ServiceCall], ...] = (*SENDER_RULES, *FORM_RULES)
"""For every service."""
