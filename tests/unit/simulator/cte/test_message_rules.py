"""Messages of every service: their sender, and their form."""

from dataclasses import replace

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.cte.dialect import DIALECT, NAMESPACE
from carimbo.simulator.cte.rules.message import MESSAGE_RULES
from carimbo.simulator.family import PRODUCTION
from carimbo.simulator.trust import TrustedAuthorities
from support import CNPJ
from unit.simulator.cte.bases import AT_SP
from unit.simulator.cte.cte_client import consult_query, distribution_query, status_query
from unit.simulator.cte.sample_cte import cte, key_of
from unit.simulator.message_rule_tester import (
    SENDER_VIOLATIONS,
    CallViolation,
    Change,
    MessageRuleTester,
    prefixed,
    with_replaced_text,
)


def without_xsd(change: Change) -> Change:
    return lambda call: replace(change(call), schema=None)


VIOLATIONS = [
    *SENDER_VIOLATIONS,
    CallViolation("214", lambda call: replace(call, text=call.text + b" " * 512 * 1024)),
    CallViolation("402", lambda call: replace(call, envelope_encoding="ISO-8859-1")),
    CallViolation("404", prefixed),
    CallViolation("598", without_xsd(with_replaced_text("<xServ>", '<xServ xmlns="urn:outro">'))),
    CallViolation("598", without_xsd(with_replaced_text(NAMESPACE, "urn:outro"))),
    CallViolation("599", with_replaced_text("<xServ>", "\n<xServ>")),
    CallViolation("599", with_replaced_text("<ide>", " <ide>"), base="document"),
    CallViolation("239", without_xsd(with_replaced_text('versao="4.00"', 'versao="3.00"'))),
    CallViolation("239", without_xsd(with_replaced_text('versao="4.00"', 'versao="3.00"')), base="document"),
    CallViolation("215", with_replaced_text("<xServ>STATUS<", "<xServ>ESTADO<")),
    CallViolation("215", with_replaced_text("<mod>57<", "<mod>55<"), base="document"),
    CallViolation("215", with_replaced_text("<mod>", "<!-- modelo --><mod>"), base="document"),
    CallViolation("252", lambda call: replace(call, service_path=AT_SP._replace(environment=PRODUCTION))),
]


@pytest.fixture
def tester(trust: TrustedAuthorities, authority: SampleAuthority, signer: Signer) -> MessageRuleTester:
    """The rules with a message to each service."""
    nothing_new = "<distNSU><ultNSU>000000000000000</ultNSU></distNSU>"
    messages = {
        "document": (cte(signer), Schema.CTE),
        "status": (status_query(), Schema.CTE_SERVICE_QUERY),
        "consult": (consult_query(key_of()), Schema.CTE_DOCUMENT_QUERY),
        "distribution": (distribution_query(CNPJ, nothing_new), Schema.CTE_DISTRIBUTION),
    }
    return MessageRuleTester(trust, authority, DIALECT, MESSAGE_RULES, AT_SP, messages)


class TestMessageRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_message_rule_refuses_the_call(
        self, violation: CallViolation, tester: MessageRuleTester
    ) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("name", ["document", "status", "consult", "distribution"])
    def test_usual_messages_are_accepted(self, name: str, tester: MessageRuleTester) -> None:
        assert tester.verdict(CallViolation("none", base=name)) is None

    def test_address_of_a_namespace_in_a_text_is_accepted(self, tester: MessageRuleTester) -> None:
        quoted = with_replaced_text("SEM NOTAS", 'VEJA xmlns="urn:outro"')
        assert tester.verdict(CallViolation("598", quoted, base="document")) is None
