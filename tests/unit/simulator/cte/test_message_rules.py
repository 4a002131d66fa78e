"""Messages of every service: their sender, and their form."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.cte.dialect import DIALECT, NAMESPACE
from carimbo.simulator.cte.rules.message import MESSAGE_RULES
from carimbo.simulator.family import PRODUCTION
from carimbo.simulator.rules import AuthorityVerdict, first_broken
from carimbo.simulator.sefaz.call import ServiceCall
from carimbo.simulator.trust import CertificateFlaw, JudgedCertificate, TrustedAuthorities
from support import CNPJ
from unit.simulator.cte.bases import AT_SP
from unit.simulator.cte.cte_client import consult_query, distribution_query, status_query
from unit.simulator.cte.sample_cte import cte, key_of
from unit.simulator.mutating import context
from unit.simulator.rules.certificates import FLAWED, of_company

Change = Callable[[ServiceCall], ServiceCall]


@dataclass(frozen=True)
class CallViolation:
    """A change of an accepted call that breaks exactly one message rule."""

    code: str
    change: Change = lambda call: call
    base: str = "status"
    flaw: CertificateFlaw | None = None
    switches: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"


def with_replaced_text(old: str, new: str) -> Change:
    """Returns a change that replaces a text of the message."""

    def change(call: ServiceCall) -> ServiceCall:
        text = etree.tostring(call.root, encoding="unicode")
        assert old in text
        changed = text.replace(old, new, 1)
        return replace(call, root=etree.fromstring(changed), text=changed.encode())

    return change


def prefixed(call: ServiceCall) -> ServiceCall:
    text = etree.tostring(call.root, encoding="unicode")
    named = text.replace("xmlns=", "xmlns:n=").replace("</", "\0").replace("<", "<n:").replace("\0", "</n:")
    return replace(call, root=etree.fromstring(named), text=named.encode())


def without_xsd(change: Change) -> Change:
    return lambda call: replace(change(call), schema=None)


VIOLATIONS = [
    CallViolation("280", lambda call: replace(call, sender=None)),
    *(CallViolation(f"28{flaw}", flaw=flaw) for flaw in FLAWED),
    CallViolation("284", flaw=CertificateFlaw.REVOKED),
    CallViolation("286", switches={"revocation_list": False}),
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


@dataclass(frozen=True)
class MessageRuleTester:
    """Applies the message rules to calls."""

    trust: TrustedAuthorities
    authority: SampleAuthority
    signer: Signer

    def verdict(
        self, violation: CallViolation, *, changed: bool = True, **switches: Any
    ) -> AuthorityVerdict | None:
        """Returns the verdict on a call, changed or not."""
        flaw = violation.flaw if changed else None
        issue = of_company if flaw is None else FLAWED.get(flaw, of_company)
        sender = JudgedCertificate.of(issue(self.authority).certificate)
        revoked = {sender.serial_number} if flaw is CertificateFlaw.REVOKED else ()
        request_context = context(replace(self.trust, revoked=frozenset(revoked)), **switches)
        message, schema = self.messages()[violation.base]
        with closing(request_context.store):
            call = ServiceCall(
                dialect=DIALECT,
                root=etree.fromstring(message),
                text=message,
                schema=schema,
                sender=sender,
                service_path=AT_SP,
                context=request_context,
            )
            judged = violation.change(call) if changed else call
            return first_broken(MESSAGE_RULES, judged, request_context.controls.rules_off)

    def messages(self) -> dict[str, tuple[bytes, Schema]]:
        """Returns a message to each service, with its XSD."""
        nothing_new = "<distNSU><ultNSU>000000000000000</ultNSU></distNSU>"
        return {
            "document": (cte(self.signer), Schema.CTE),
            "status": (status_query(), Schema.CTE_SERVICE_QUERY),
            "consult": (consult_query(key_of()), Schema.CTE_DOCUMENT_QUERY),
            "distribution": (distribution_query(CNPJ, nothing_new), Schema.CTE_DISTRIBUTION),
        }


@pytest.fixture
def messages(trust: TrustedAuthorities, authority: SampleAuthority, signer: Signer) -> MessageRuleTester:
    return MessageRuleTester(trust, authority, signer)


class TestMessageRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_message_rule_refuses_the_call(
        self, violation: CallViolation, messages: MessageRuleTester
    ) -> None:
        assert messages.verdict(violation, changed=False) is None
        refusal = messages.verdict(violation, **violation.switches)
        assert refusal is not None
        assert refusal.code == violation.code
        off = frozenset({violation.code})
        assert messages.verdict(violation, rules_off=off, **violation.switches) is None

    @pytest.mark.parametrize("name", ["document", "status", "consult", "distribution"])
    def test_usual_messages_are_accepted(self, name: str, messages: MessageRuleTester) -> None:
        assert messages.verdict(CallViolation("none", base=name)) is None

    def test_address_of_a_namespace_in_a_text_is_accepted(self, messages: MessageRuleTester) -> None:
        quoted = with_replaced_text("SEM NOTAS", 'VEJA xmlns="urn:outro"')
        assert messages.verdict(CallViolation("598", quoted, base="document")) is None
