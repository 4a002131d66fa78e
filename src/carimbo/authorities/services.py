"""The SOAP services of a family of SEFAZ authorities: how they are called, and how often they are asked."""

from dataclasses import dataclass

from carimbo.fiscal import soap
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.tables.authorizers import NATIONAL


@dataclass(frozen=True, slots=True)
class Service:
    """A service by its official name, with the operation that we call."""

    name: str
    operation: str
    most_hourly: int | None = None
    """Calls about the same subject."""
    most_seconds: float | None = None
    """For the whole exchange; None where the usual patience is right."""
    is_wrapped: bool = False
    """Whether the message stands in an element of the operation's name, as in the distribution."""
    header_version: str | None = None
    """Version in the SOAP header (`mdfeCabecMsg`); None where there is no header."""

    def action(self, dialect: Dialect) -> str:
        """Returns the SOAP action, by which some hosts find the operation."""
        return f"{self._namespace(dialect)}/{self.operation}"

    def envelope(self, dialect: Dialect, state_code: str, message: bytes) -> bytes:
        """Returns the message as this service takes it, from an issuer of a state."""
        namespace, prefix = self._namespace(dialect), dialect.stem.lower()
        header, tag = b"", f"{prefix}DadosMsg"
        if self.header_version is not None:
            content = f"<cUF>{state_code}</cUF><versaoDados>{self.header_version}</versaoDados>"
            header = f'<{prefix}CabecMsg xmlns="{namespace}">{content}</{prefix}CabecMsg>'.encode()
        if self.is_wrapped:
            message = b"".join((f"<{tag}>".encode(), message, f"</{tag}>".encode()))
        return soap.envelope(namespace, message, self.operation if self.is_wrapped else tag, header)

    def _namespace(self, dialect: Dialect) -> str:
        return f"{dialect.namespace}/wsdl/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Where the documents of interest to a taxpayer are asked for."""

    model: str
    """The model that has the address; a family may have several."""
    pages: Service
    single: Service
    """The same service for one document, which is asked for less often."""
    authorizer: str = NATIONAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family of documents, as its authorities take them."""

    dialect: Dialect
    reception: Service
    consult: Service
    status: Service
    event: Service
    distribution: Distribution
    national_event: Service | None = None
    """For events that the national environment registers; None if it registers none of the family."""
    events_of_home_only: frozenset[str] = frozenset()
    """Types of the events that authorities of contingency do not take."""
    document_missing_code: str
    """Code of the refusal of an event whose document the authority does not have."""
