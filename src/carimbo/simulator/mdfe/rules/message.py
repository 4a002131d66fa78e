"""Rules about every message of MDF-e, in the order of MOC MDF-e 3.00b (groups A to D)."""

from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.call import ServiceCall
from carimbo.simulator.sefaz.rules.message import (
    SCHEMA,
    SENDER_RULES,
    edited,
    foreign_namespace,
    header_missing,
    header_of_another_authorizer,
    header_of_another_version,
    header_without_state,
    header_without_version,
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
    RejectionRule("242", header_missing),
    RejectionRule("409", header_without_state),
    RejectionRule("410", header_of_another_authorizer),
    RejectionRule("411", header_without_version),
    RejectionRule("239", header_of_another_version),
    RejectionRule("402", other_encoding),
    RejectionRule("404", prefixed),
    RejectionRule("598", foreign_namespace),
    RejectionRule("599", edited),
    RejectionRule("239", unsupported_version),
    schema_rule(SCHEMA),
    RejectionRule("252", other_environment),
)
"""For every service; the reception has no header."""

SIGNATURE_RULES = signature_rules("202")
