"""Rules of the authorities: a rule's code and check, signed messages, and the rules about certificates."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from lxml import etree

from carimbo.simulator.calendar import Calendar
from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.ledger import Ledger
from carimbo.simulator.signatures import XmlSignature, signature_of
from carimbo.simulator.trust import CertificateFlaw, JudgedCertificate

JudgedT = TypeVar("JudgedT")
JudgedT_contra = TypeVar("JudgedT_contra", contravariant=True)
"""What a rule judges. A rule about a base class also judges every subclass."""
Finding = str | bool | None
"""Result of a check: False or None: kept. True: broken. A text in brackets: broken, and the answer adds it.
"""
_UNREADABLE = frozenset({CertificateFlaw.INVALID})


@dataclass(frozen=True, slots=True)
class RejectionRule(Generic[JudgedT_contra]):
    """One check of an authority, and the code it rejects with."""

    code: str
    """`cStat`, or `codigo`."""
    broken: Callable[[JudgedT_contra], Finding]
    where: Callable[[JudgedT_contra], bool] | None = None
    """Which submissions the rule applies to; None: all. Rules with the same condition evaluate it once."""


@dataclass(frozen=True, slots=True)
class AuthorityVerdict:
    """The code that an authority answers with, and what it adds to the official text."""

    code: str
    detail: str = ""


def codes_of(*books: Iterable[RejectionRule[Any]]) -> frozenset[str]:
    """Returns the codes of all rules."""
    return frozenset(rule.code for book in books for rule in book)


def first_broken(
    rules: Iterable[RejectionRule[JudgedT]], judged: JudgedT, off: Collection[str] = frozenset()
) -> AuthorityVerdict | None:
    """Returns the verdict of the first broken rule, where authorities report only one; None without one."""
    return next(broken_by(rules, judged, off), None)


def broken_by(
    rules: Iterable[RejectionRule[JudgedT]], judged: JudgedT, off: Collection[str] = frozenset()
) -> Iterator[AuthorityVerdict]:
    """Yields a verdict for every broken rule, in the order of the rules; skips codes that are `off`."""
    answers: dict[object, bool] = {}
    for rule in rules:
        where = rule.where
        if where is not None and where not in answers:
            answers[where] = where(judged)
        if rule.code in off or (where is not None and not answers[where]):
            continue
        if finding := rule.broken(judged):
            yield AuthorityVerdict(rule.code, finding if isinstance(finding, str) else "")


def first_finding(findings: Iterable[Finding]) -> Finding:
    """Returns the first finding of a broken rule; None if there is none."""
    return next((finding for finding in findings if finding), None)


class SignedMessage(Protocol):
    """A message that must carry a signature."""

    @property
    def signature(self) -> XmlSignature | None:
        """The signature; None if there is none."""

    @property
    def author(self) -> str:
        """CNPJ or CPF of the party that must have signed."""

    @property
    def context(self) -> RequestContext:
        """The request that brought the message."""


@dataclass(frozen=True)
class SignedSubmission:
    """A document or an event sent to an authority. Its element is the root of its own tree."""

    element: etree._Element
    service_path: ServicePath
    context: RequestContext

    @cached_property
    def signature(self) -> XmlSignature | None:
        """The signature; None if there is none."""
        return signature_of(self.element)

    @property
    def calendar(self) -> Calendar:
        """The dates and rates of the authorities."""
        return self.context.controls.calendar

    @property
    def ledger(self) -> Ledger:
        """The documents, events and ranges that the authorities have stored."""
        return Ledger(self.context.store)


def certificate_rules(
    codes: Mapping[CertificateFlaw, str], flaws: Callable[[JudgedT], frozenset[CertificateFlaw]]
) -> tuple[RejectionRule[JudgedT], ...]:
    """Returns one rule for each flaw that has a code, in the order of `codes`."""

    def is_flawed(judged: JudgedT) -> bool:
        return bool(flaws(judged))

    def rule_about(flaw: CertificateFlaw) -> RejectionRule[JudgedT]:
        return RejectionRule(codes[flaw], lambda judged: flaw in flaws(judged), is_flawed)

    return tuple(map(rule_about, codes))


def flaws_of(certificate: JudgedCertificate | None, context: RequestContext) -> frozenset[CertificateFlaw]:
    """Returns the flaws of a certificate at this moment. A missing or unreadable certificate is invalid."""
    if certificate is None:
        return _UNREADABLE
    return context.trust.flaws_of(certificate, context.now, revocation_list=context.controls.revocation_list)


def flaws_of_signer(message: SignedMessage) -> frozenset[CertificateFlaw]:
    """Returns the flaws of the signer's certificate; none without a signature, which another rule checks."""
    return flaws_of(message.signature.credential, message.context) if message.signature else frozenset()
