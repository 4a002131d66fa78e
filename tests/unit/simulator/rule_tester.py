"""Tests of rejection rules: a document breaks exactly one rule by one change of an accepted document."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.fiscal.schemas.files import Schema, compile_schema, files_in_force
from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.signatures import signature_of
from carimbo.simulator.trust import TrustedAuthorities
from unit.fiscal.goods.support import ISSUED_AT, signer_of
from unit.simulator.mutating import Edit, context


def unchanged(root: etree._Element) -> None:
    """Changes nothing, where time, place or history breaks the rule."""


def no_preparation(context: RequestContext, xml: bytes) -> None:
    """Prepares nothing."""


@dataclass(frozen=True)
class RuleViolation:
    """A change of an accepted document that breaks exactly one rule."""

    code: str
    base: str = ""
    """The name of the accepted document."""
    edit: Edit = unchanged
    keyed: bool = True
    """Whether key and Id are computed again after the edit."""
    now: datetime = ISSUED_AT
    service_path: ServicePath | None = None
    """The path it is sent to; None is the usual one of the base."""
    prepare: Callable[[RequestContext, bytes], object] = no_preparation
    """Called with the context and the document before it is judged."""
    switches: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `Controls`."""
    issue: Callable[[SampleAuthority], SampleCertificate] | None = None
    """Makes the signing certificate; None is the issuer's own."""
    revoked: bool = False
    """Whether the issuer's certificate is revoked."""
    after_signing: Edit = unchanged
    fits_schema: bool = True
    """Whether the changed document passes the XSD, so that the rule is reached."""
    detail: str = ""
    """Text that the refusal must add to the official message."""

    def prepare_context(self, context: RequestContext, xml: bytes) -> None:
        """Creates everything that exists before the document is sent."""
        self.prepare(context, xml)

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"


ViolationT = TypeVar("ViolationT", bound=RuleViolation)
VerdictT = TypeVar("VerdictT")


@dataclass(frozen=True)
class RuleTester(ABC, Generic[ViolationT, VerdictT]):
    """Sends documents to the rules of a family, with the certificates to sign them."""

    usual_path: ClassVar[ServicePath]
    """The path that documents are sent to."""
    trust: TrustedAuthorities
    authority: SampleAuthority
    signer: Signer

    @abstractmethod
    def edited(self, violation: ViolationT, signer: Signer) -> bytes:
        """Returns the base of a change, edited and signed."""

    @abstractmethod
    def judged(self, xml: bytes, service_path: ServicePath, context: RequestContext) -> VerdictT:
        """Returns the verdict on a document."""

    def signer_of(self, base: str) -> Signer:
        """Returns the signer of a base."""
        return self.signer

    def path_for(self, violation: ViolationT) -> ServicePath:
        """Returns the path that a changed document is sent to."""
        return violation.service_path or self.usual_path

    def broken(self, violation: ViolationT) -> bytes:
        """Returns the changed document."""
        signer = (
            signer_of(violation.issue(self.authority)) if violation.issue else self.signer_of(violation.base)
        )
        xml = self.edited(violation, signer)
        if violation.after_signing is unchanged:
            return xml
        root = etree.fromstring(xml)
        violation.after_signing(root)
        return etree.tostring(root, encoding="utf-8")

    def verdict_on(self, xml: bytes, violation: ViolationT, **switches: Any) -> VerdictT:
        """Returns the verdict on a document at the time and place of a change."""
        tester = replace(self, trust=self._trust_after(xml)) if violation.revoked else self
        return tester.verdict(
            xml,
            service_path=self.path_for(violation),
            now=violation.now,
            prepare=violation.prepare_context,
            **{**violation.switches, **switches},
        )

    def _trust_after(self, xml: bytes) -> TrustedAuthorities:
        """Returns the trust with the certificate of a document revoked."""
        signature = signature_of(etree.fromstring(xml))
        assert signature
        assert signature.credential
        return replace(self.trust, revoked=frozenset({signature.credential.serial_number}))

    def verdict(
        self,
        xml: bytes,
        *,
        service_path: ServicePath | None = None,
        now: datetime = ISSUED_AT,
        prepare: Callable[[RequestContext, bytes], object] = no_preparation,
        **switches: Any,
    ) -> VerdictT:
        """Returns the verdict on a document with a new, empty store."""
        request_context = context(self.trust, now, **switches)
        with closing(request_context.store):
            prepare(request_context, xml)
            return self.judged(xml, service_path or self.usual_path, request_context)


@cache
def _schema(schema_name: Schema) -> Any:
    return compile_schema(files_in_force(None)[schema_name])


def schema_errors(schema_name: Schema, xml: bytes) -> list[str]:
    """Returns the XSD errors of a document."""
    schema = _schema(schema_name)
    schema.validate(etree.fromstring(xml))
    return [error.message for error in schema.error_log]
