"""The rules of every message of NF-e and NFC-e, in the order of the MOC 7.0 (groups A to D)."""

from carimbo.simulator.element_names import local_name
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.call import Call
from carimbo.simulator.sefaz.rules.message import (
    SCHEMA,
    edited,
    other_encoding,
    other_environment,
    other_version,
    prefixed,
    schema_rule,
    too_large,
)
from carimbo.simulator.sefaz.rules.sender import SENDER_RULES

_LOT = "enviNFe"
_ENVIRONMENT_OF_RANGE = "{*}infInut/{*}tpAmb"


def is_lot(call: Call) -> bool:
    """Returns whether a message is a lot of documents."""
    return local_name(call.root) == _LOT


def is_no_lot(call: Call) -> bool:
    """Returns whether a message is anything else."""
    return not is_lot(call)


def range_of_other_environment(call: Call) -> bool:
    """MOC 7.0, I02: the environment of an inutilization is inside its signed part."""
    environment = call.root.findtext(_ENVIRONMENT_OF_RANGE)
    return bool(environment) and environment != call.place.environment


FORM_RULES: tuple[Rule[Call], ...] = (
    Rule("214", too_large),
    Rule("402", other_encoding),
    Rule("404", prefixed),
    Rule("588", edited),
    Rule("239", other_version),
    schema_rule("225", is_lot),
    schema_rule(SCHEMA, is_no_lot),
    Rule("252", lambda call: other_environment(call) or range_of_other_environment(call)),
)
MESSAGE_RULES: tuple[Rule[Call], ...] = (*SENDER_RULES, *FORM_RULES)
"""For every service."""
