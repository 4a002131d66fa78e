"""Messages of every service: their sender, their header, and their form."""

from dataclasses import replace

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import PRODUCTION
from carimbo.simulator.mdfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.mdfe.rules.message import MESSAGE_RULES
from carimbo.simulator.trust import TrustedAuthorities
from support import CNPJ
from unit.simulator.mdfe.bases import AT_SVRS
from unit.simulator.mdfe.mdfe_client import STATUS, consult_query, header, open_query, status_query
from unit.simulator.mdfe.sample_mdfe import key_of, mdfe
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


def with_header(content: str) -> Change:
    element = etree.fromstring(header(STATUS, content))
    return lambda call: replace(call, needs_header=True, header=element)


VIOLATIONS = [
    *SENDER_VIOLATIONS,
    CallViolation("214", lambda call: replace(call, text=call.text + b" " * 512 * 1024)),
    CallViolation("242", lambda call: replace(call, needs_header=True)),
    CallViolation("409", with_header("<versaoDados>3.00</versaoDados>")),
    CallViolation("410", with_header("<cUF>99</cUF><versaoDados>3.00</versaoDados>")),
    CallViolation("411", with_header("<cUF>35</cUF>")),
    CallViolation("239", with_header("<cUF>35</cUF><versaoDados>1.00</versaoDados>")),
    CallViolation("402", lambda call: replace(call, envelope_encoding="ISO-8859-1")),
    CallViolation("404", prefixed),
    CallViolation("598", without_xsd(with_replaced_text("<xServ>", '<xServ xmlns="urn:outro">'))),
    CallViolation("598", without_xsd(with_replaced_text(NAMESPACE, "urn:outro"))),
    CallViolation("599", with_replaced_text("<xServ>", "\n<xServ>")),
    CallViolation("239", without_xsd(with_replaced_text('versao="3.00"', 'versao="1.00"'))),
    CallViolation("239", without_xsd(with_replaced_text('versao="3.00"', 'versao="1.00"')), base="document"),
    CallViolation("215", with_replaced_text("<xServ>STATUS<", "<xServ>ESTADO<")),
    CallViolation("215", with_replaced_text("<xServ>CONSULTAR NÃO ", "<xServ>CONSULTAR NAO "), base="open"),
    CallViolation("215", with_replaced_text("<mod>58<", "<mod>57<"), base="document"),
    CallViolation("252", lambda call: replace(call, service_path=AT_SVRS._replace(environment=PRODUCTION))),
]


@pytest.fixture
def tester(trust: TrustedAuthorities, authority: SampleAuthority, signer: Signer) -> MessageRuleTester:
    """The rules with a message to each service."""
    messages = {
        "document": (mdfe(signer), Schema.MDFE),
        "status": (status_query(), Schema.MDFE_SERVICE_QUERY),
        "consult": (consult_query(key_of()), Schema.MDFE_DOCUMENT_QUERY),
        "open": (open_query(CNPJ), Schema.MDFE_OPEN_QUERY),
    }
    return MessageRuleTester(trust, authority, DIALECT, MESSAGE_RULES, AT_SVRS, messages)


class TestMessageRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_message_rule_refuses_the_call(
        self, violation: CallViolation, tester: MessageRuleTester
    ) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("name", ["document", "status", "consult", "open"])
    def test_usual_messages_are_accepted(self, name: str, tester: MessageRuleTester) -> None:
        assert tester.verdict(CallViolation("none", base=name)) is None

    @pytest.mark.parametrize("state_code", ["11", "35", "53"])
    def test_header_may_have_any_state(self, state_code: str, tester: MessageRuleTester) -> None:
        usual = with_header(f"<cUF>{state_code}</cUF><versaoDados>3.00</versaoDados>")
        assert tester.verdict(CallViolation("none", usual)) is None
