"""Differences between the families of SEFAZ documents: element names, versions, status codes."""

from dataclasses import dataclass

from carimbo.fiscal.tables.statuses import Action, AuthorityStatus
from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Names, versions and codes of one family (NF-e, CT-e, MDF-e) in the messages that all families share."""

    namespace: str
    """Namespace of documents, messages and answers."""
    stem: str
    """The family's name inside of element names: the `NFe` of `chNFe`, `protNFe` and `consSitNFe`."""
    document_tag: str
    """Root of a document; for the OS variant of CT-e it differs from the stem."""
    archive_tag: str
    """Root of a document joined with its protocol (`nfeProc`, `cteOSProc`)."""
    status_tag: str
    """Root of the status query, which NF-e writes without its stem."""
    version: str
    event_version: str
    distribution_version: str
    sequence_digits: int
    """Digits of an event's sequence in its Id."""
    statuses: Table[str, AuthorityStatus]
    """The meaning of the authorities' codes."""
    in_lots: bool
    """Whether documents and events are sent in lots (`enviNFe`, `envEvento`), or each of them alone."""
    zips_documents: bool
    """Whether a document is sent as base64 of gzip."""
    status_names_state: bool
    """Whether the status query has the state (`cUF`)."""
    distribution_names_state: bool
    """Whether the distribution query has the state of the asker (`cUFAutor`)."""
    cancellations: frozenset[str]
    """Types of the events that cancel a document."""
    closings: frozenset[str] = frozenset()
    """Types of the events that close a document, which stays authorized."""
    retryable_rejections: frozenset[str] = frozenset()
    """Rejections after which the document is accepted once a setting is corrected or it is built again.

    Codes whose cause is outside of the document by the table of codes need not be listed.
    """
    low_rejections: frozenset[str] = frozenset()
    """Codes of rejections below 200, the range of successes."""

    @property
    def key_tag(self) -> str:
        """The element that names a document by its key."""
        return f"ch{self.stem}"

    @property
    def protocol_tag(self) -> str:
        """The authority's receipt of a document."""
        return f"prot{self.stem}"

    @property
    def event_tag(self) -> str:
        """Root of an event, which has no stem where it is sent in a lot."""
        return "evento" if self.in_lots else f"evento{self.stem}"

    @property
    def event_answer_tag(self) -> str:
        """The authority's receipt of an event."""
        return "retEvento" if self.in_lots else f"retEvento{self.stem}"

    @property
    def event_archive_tag(self) -> str:
        """Root of an event joined with its receipt."""
        return f"procEvento{self.stem}"

    def action_of(self, code: str) -> Action | None:
        """Returns the meaning of a code in the current table; None if the table lacks it."""
        status = self.statuses.rows.get(code)
        return status.action if status else None
