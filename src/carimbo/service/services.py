"""The use cases as the doors of the service get them: one record for the API and the dashboard."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from carimbo.service.access import Authenticator
from carimbo.service.companies.certificates import CertificateOpener
from carimbo.service.company_status.municipality import MunicipalityLookup
from carimbo.service.company_status.status import StatusReader
from carimbo.service.contexts import IssuingContext
from carimbo.service.delivery.emails import Outbox
from carimbo.service.documents.files import Links
from carimbo.service.exports.streams import ArchiveStreams
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.open_documents import OpenDocumentsAtAuthority
from carimbo.service.people.context import SignInContext
from carimbo.service.ports import AddressGuard
from carimbo.service.printouts import Printouts
from carimbo.storage.actors import Actor
from carimbo.storage.database import Database


@dataclass(frozen=True)
class Services:
    """The objects that the composition root passes to the doors."""

    database: Database
    authenticator: Authenticator
    opener: CertificateOpener
    clock: Callable[[], datetime]
    issuing: IssuingContext
    status_reader: StatusReader
    filing: FilingContext
    printouts: Printouts
    outbox: Outbox
    municipality_lookup: MunicipalityLookup
    guard: AddressGuard
    links: Links
    open_documents: OpenDocumentsAtAuthority
    sign_in: SignInContext
    in_flight_limit: timedelta
    """How long after we gave up waiting a request may still reach the authority."""
    archive_streams: ArchiveStreams = field(default_factory=ArchiveStreams)

    def acting_as(self, actor: Actor) -> "Services":
        """Returns the same services, used by an actor: all that they store names them."""
        database = self.database.acting_as(actor)
        issuing = replace(self.issuing, database=database)
        filing = replace(self.filing, issuing=issuing)
        return replace(
            self,
            database=database,
            authenticator=replace(self.authenticator, database=database),
            issuing=issuing,
            filing=filing,
            outbox=replace(self.outbox, database=database),
            open_documents=replace(self.open_documents, filing=filing),
            sign_in=replace(self.sign_in, database=database),
        )
