"""What differs between the families of documents that SEFAZ authorities take: names, versions, codes."""

from dataclasses import dataclass

from carimbo.fiscal.tables.statuses import Action, Status
from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one family (NF-e, CT-e, MDF-e) spells the messages that all of them have."""

    namespace: str
    """Namespace of documents, messages and answers."""
    stem: str
    """The family's name inside of element names: the `NFe` of `chNFe`, `protNFe` and `consSitNFe`."""
    document_tag: str
    """Root of a document; the OS variant of CT-e has another one than its stem says."""
    archive_tag: str
    """Root of a document joined with its protocol (`nfeProc`, `cteOSProc`)."""
    status_tag: str
    """Root of the status query, which NF-e writes without its stem."""
    version: str
    event_version: str
    distribution_version: str
    sequence_digits: int
    """Digits of an event's sequence in its Id."""
    statuses: Table[str, Status]
    """What the authorities' codes mean."""
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
    """Codes of rejections that the same document passes once a setting is put right, or when it is made anew;
    those that the table of codes gives a cause outside of the document need not be listed."""
    low_rejections: frozenset[str] = frozenset()
    """Codes of rejections below 200, where the codes of successes are."""

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
        """Returns what a code means, by the table in force; None if the table lacks it."""
        status = self.statuses.rows.get(code)
        return status.action if status else None
