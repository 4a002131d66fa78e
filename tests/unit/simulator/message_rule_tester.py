"""Tests of message rules: a call breaks exactly one rule by one change of an accepted call."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from lxml import etree

from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import ServicePath
from carimbo.simulator.rules import AuthorityVerdict, RejectionRule, first_broken
from carimbo.simulator.sefaz.call import ServiceCall
from carimbo.simulator.sefaz.dialect import FamilyDialect
from carimbo.simulator.trust import CertificateFlaw, JudgedCertificate, TrustedAuthorities
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


SENDER_VIOLATIONS = (
    CallViolation("280", lambda call: replace(call, sender=None)),
    *(CallViolation(f"28{flaw}", flaw=flaw) for flaw in FLAWED),
    CallViolation("284", flaw=CertificateFlaw.REVOKED),
    CallViolation("286", switches={"revocation_list": False}),
)


def with_message(text: str, call: ServiceCall) -> ServiceCall:
    return replace(call, root=etree.fromstring(text), text=text.encode())


def with_replaced_text(old: str, new: str) -> Change:
    """Returns a change that replaces a text of the message."""

    def change(call: ServiceCall) -> ServiceCall:
        text = etree.tostring(call.root, encoding="unicode")
        assert old in text
        return with_message(text.replace(old, new), call)

    return change


def prefixed(call: ServiceCall) -> ServiceCall:
    text = etree.tostring(call.root, encoding="unicode")
    named = text.replace("xmlns=", "xmlns:n=").replace("</", "\0").replace("<", "<n:").replace("\0", "</n:")
    return with_message(named, call)


@dataclass(frozen=True)
class MessageRuleTester:
    """Applies the message rules of a family to calls."""

    trust: TrustedAuthorities
    authority: SampleAuthority
    dialect: FamilyDialect
    rules: tuple[RejectionRule[ServiceCall], ...]
    service_path: ServicePath
    messages: Mapping[str, tuple[bytes, Schema]]
    """Accepted messages by name, with the XSDs of their services."""

    def check(self, violation: CallViolation) -> None:
        """Checks that the base is accepted, the change is refused, and accepted with the rule off."""
        assert self.verdict(violation, changed=False) is None
        refusal = self.verdict(violation, **violation.switches)
        assert refusal is not None
        assert refusal.code == violation.code
        off = frozenset({violation.code})
        assert self.verdict(violation, rules_off=off, **violation.switches) is None

    def verdict(
        self, violation: CallViolation, *, changed: bool = True, **switches: Any
    ) -> AuthorityVerdict | None:
        """Returns the verdict on a call, changed or not."""
        flaw = violation.flaw if changed else None
        issue = of_company if flaw is None else FLAWED.get(flaw, of_company)
        sender = JudgedCertificate.of(issue(self.authority).certificate)
        revoked = {sender.serial_number} if flaw is CertificateFlaw.REVOKED else ()
        request_context = context(replace(self.trust, revoked=frozenset(revoked)), **switches)
        message, schema = self.messages[violation.base]
        with closing(request_context.store):
            call = ServiceCall(
                dialect=self.dialect,
                root=etree.fromstring(message),
                text=message,
                schema=schema,
                sender=sender,
                service_path=self.service_path,
                context=request_context,
            )
            judged = violation.change(call) if changed else call
            return first_broken(self.rules, judged, request_context.controls.rules_off)
