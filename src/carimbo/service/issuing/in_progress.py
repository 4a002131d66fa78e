"""A leased document, as the steps of issuing see it."""

from dataclasses import dataclass, replace
from functools import cached_property

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.builder import DocumentSource
from carimbo.service.documents.queries import read_request
from carimbo.service.issuing.printed import final_emission
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.work import Lease


@dataclass(frozen=True)
class DocumentInProgress:
    """A leased document, as read at the start of a step."""

    lease: Lease
    row: Document
    snapshot: CompanySnapshot

    @cached_property
    def document_type(self) -> DocumentType:
        return document_type_named(self.row.type)

    @cached_property
    def request(self) -> Body:
        return read_request(self.row)

    @property
    def environment(self) -> Environment:
        return Environment(self.row.environment)

    @property
    def source(self) -> DocumentSource:
        """Everything that the document is built from."""
        return DocumentSource(
            self.document_type,
            self.request,
            self.snapshot,
            self.environment,
            asked_at=self.row.asked_at,
            final_emission=final_emission(self.row, self.snapshot),
        )

    @property
    def subject(self) -> str:
        """The identifier of the document for step listeners."""
        return self.row.external_id or str(self.row.id)

    @property
    def emission(self) -> EmissionRow:
        """The current attempt. Raises LookupError if the document has no number yet."""
        if self.row.emission is None:
            raise LookupError(f"document {self.row.id} has no number")
        return self.row.emission

    def with_emission(self, emission: EmissionRow) -> "DocumentInProgress":
        """Returns the document with its current attempt replaced."""
        return replace(self, row=replace(self.row, emission=emission))
