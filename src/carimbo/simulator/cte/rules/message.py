"""Rules about every message of CT-e and CT-e OS, in the order of MOC CT-e 4.00 (groups A to D)."""

from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.call import ServiceCall
from carimbo.simulator.sefaz.rules.message import (
    SCHEMA,
    SENDER_RULES,
    edited,
    foreign_namespace,
    other_encoding,
    other_environment,
    prefixed,
    schema_rule,
    signature_rules,
    too_large,
    unsupported_version,
)

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
