"""One rule broken by one change of what is accepted, before a judge: how rules of every type are tested."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar

from lxml import etree

from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.schemas.files import compiled, files_in_force
from carimbo.fiscal.signature import Signer
from carimbo.simulator.family import World
from carimbo.simulator.place import Place
from carimbo.simulator.signature import signature_of
from carimbo.simulator.trust import Trust
from unit.fiscal.goods.support import ISSUED_AT, signer_of
from unit.simulator.mutating import Edit, world


def unchanged(root: etree._Element) -> None:
    """Change nothing: what is wrong is the moment, the place, or what happened before."""


def as_usual(world: World, xml: bytes) -> None:
    """Nothing happened before."""


@dataclass(frozen=True)
class Broken:
    """What breaks one rule, and nothing else, of a document that is accepted."""

    code: str
    base: str = ""
    """The name of the document."""
    edit: Edit = unchanged
    keyed: bool = True
    """Whether key or Id follow the edit."""
    now: datetime = ISSUED_AT
    place: Place | None = None
    """Where it is sent to; None is the right place of its base."""
    prepare: Callable[[World, bytes], object] = as_usual
    """What happened before the document came: it is told the world and the document."""
    switches: Mapping[str, Any] = field(default_factory=dict)
    """Of `Controls`."""
    issue: Callable[[SampleAuthority], SampleCertificate] | None = None
    """Makes the certificate that signs; None is the issuer's own."""
    revoked: bool = False
    """Whether the issuer's certificate was taken back meanwhile."""
    after_signing: Edit = unchanged
    fits_schema: bool = True
    """Whether the changed document passes the XSD: else nobody would ever come to see the rule."""
    detail: str = ""
    """What the refusal adds to the official text must have this in it."""

    def happened(self, world: World, xml: bytes) -> None:
        """All that was before the document came."""
        self.prepare(world, xml)

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"


Breaking = TypeVar("Breaking", bound=Broken)
Verdict = TypeVar("Verdict")


@dataclass(frozen=True)
class Courtroom(ABC, Generic[Breaking, Verdict]):
    """A judge, with the certificates of whoever comes before it."""

    usual_place: ClassVar[Place]
    """Where documents are sent to."""
    trust: Trust
    authority: SampleAuthority
    signer: Signer

    @abstractmethod
    def edited(self, breaking: Breaking, signer: Signer) -> bytes:
        """The base of a breaking, edited and signed."""

    @abstractmethod
    def judged(self, xml: bytes, place: Place, around: World) -> Verdict:
        """What the judge says of a document."""

    def signer_of(self, base: str) -> Signer:
        """Whose base it is."""
        return self.signer

    def place_for(self, breaking: Breaking) -> Place:
        """Where a breaking is sent to."""
        return breaking.place or self.usual_place

    def broken(self, breaking: Breaking) -> bytes:
        """The document of a breaking."""
        made = signer_of(breaking.issue(self.authority)) if breaking.issue else self.signer_of(breaking.base)
        xml = self.edited(breaking, made)
        if breaking.after_signing is unchanged:
            return xml
        root = etree.fromstring(xml)
        breaking.after_signing(root)
        return etree.tostring(root, encoding="utf-8")

    def verdict_on(self, xml: bytes, breaking: Breaking, **switches: Any) -> Verdict:
        """What the judge says of a document where and when a breaking sends it."""
        court = replace(self, trust=self._trust_after(xml)) if breaking.revoked else self
        return court.verdict(
            xml,
            place=self.place_for(breaking),
            now=breaking.now,
            prepare=breaking.happened,
            **{**breaking.switches, **switches},
        )

    def _trust_after(self, xml: bytes) -> Trust:
        """Trust, but for the certificate of a document."""
        signature = signature_of(etree.fromstring(xml))
        assert signature
        assert signature.credential
        return replace(self.trust, revoked=frozenset({signature.credential.serial_number}))

    def verdict(
        self,
        xml: bytes,
        *,
        place: Place | None = None,
        now: datetime = ISSUED_AT,
        prepare: Callable[[World, bytes], object] = as_usual,
        **switches: Any,
    ) -> Verdict:
        """What the judge says of a document in a world of its own."""
        around = world(self.trust, now, **switches)
        with closing(around.store):
            prepare(around, xml)
            return self.judged(xml, place or self.usual_place, around)


@cache
def _schema(kind: Schema) -> Any:
    return compiled(files_in_force(None)[kind])


def faults_by(kind: Schema, xml: bytes) -> list[str]:
    """What an XSD finds wrong with a document."""
    checked = _schema(kind)
    checked.validate(etree.fromstring(xml))
    return [error.message for error in checked.error_log]
