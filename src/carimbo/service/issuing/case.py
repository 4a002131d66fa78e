"""A document in a worker's hands, and the means to bring it on its way."""

from dataclasses import dataclass, replace
from functools import cached_property

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body
from carimbo.service.documents import read_request
from carimbo.service.dossier import Dossier
from carimbo.service.kinds import kind_named
from carimbo.service.workshop import DocumentSource
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Emission
from carimbo.storage.work import Lease


@dataclass(frozen=True)
class Case:
    """One document as it was when a step began."""

    lease: Lease
    document: Document
    dossier: Dossier

    @cached_property
    def kind(self) -> DocumentType:
        return kind_named(self.document.type)

    @cached_property
    def request(self) -> Body:
        return read_request(self.document)

    @property
    def environment(self) -> Environment:
        return Environment(self.document.environment)

    @property
    def source(self) -> DocumentSource:
        """What the document is made of."""
        document = self.document
        return DocumentSource(
            self.kind, self.request, self.dossier, self.environment, asked_at=document.asked_at
        )

    @property
    def subject(self) -> str:
        """Which one it is, where its steps are told."""
        return self.document.external_id or str(self.document.id)

    @property
    def emission(self) -> Emission:
        """The attempt in force, which a numbered document has."""
        if self.document.emission is None:
            raise LookupError(f"document {self.document.id} has no number")
        return self.document.emission

    def with_emission(self, emission: Emission) -> "Case":
        """The same document after its attempt came further."""
        return replace(self, document=replace(self.document, emission=emission))
