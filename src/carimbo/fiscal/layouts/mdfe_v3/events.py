"""Events of a manifest: cancellation, closing, drivers, documents and payments."""

from dataclasses import dataclass
from datetime import date, datetime

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.group import (
    ANY_NUMBER,
    INLINE,
    attribute,
    child,
    children,
    day,
    group,
    integer,
    moment,
    text,
    variant,
)
from carimbo.fiscal.layouts.mdfe_v3.dialect import (
    CANCELLATION,
    CLOSING,
    DOCUMENTS,
    DRIVER,
    MDFE_DIALECT,
    PAYMENT,
    PAYMENT_CHANGE,
)
from carimbo.fiscal.layouts.mdfe_v3.payment import FreightPayment
from carimbo.fiscal.layouts.mdfe_v3.road import Driver
from carimbo.fiscal.layouts.sefaz.events import SefazEvent, issue_with_detail
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas


@group("evCancMDFe")
class ManifestCancellation:
    """`evCancMDFe`: the issuer cancels a manifest."""

    event_type = CANCELLATION
    schema = Schema.MDFE_CANCELLATION
    description: str = text("descEvento", 12, default="Cancelamento")
    protocol: str = text("nProt", 15)
    reason: str = text("xJust", 255, path="justification")


@group("evEncMDFe")
class ManifestClosing:
    """`evEncMDFe`: the transport has ended, on a day in a municipality."""

    event_type = CLOSING
    schema = Schema.MDFE_CLOSING
    description: str = text("descEvento", 12, default="Encerramento")
    protocol: str = text("nProt", 15)
    closed_on: date = day("dtEnc", path="closedAt")
    state_code: str = text("cUF", 2, path="state")
    city_code: str = text("cMun", 7)
    by_third_party: str | None = text("indEncPorTerceiro", 1, path="asThirdParty", default=None)
    """`1`, or absent."""


@group("evIncCondutorMDFe")
class DriverInclusion:
    """`evIncCondutorMDFe`: a further driver."""

    event_type = DRIVER
    schema = Schema.MDFE_DRIVER
    description: str = text("descEvento", 17, default="Inclusao Condutor")
    driver: Driver = child("condutor", path=INLINE)


@group("infDoc")
class IncludedInvoice:
    """`infDoc`: an NF-e that was loaded later, with its municipality of unloading."""

    city_code: str = text("cMunDescarga", 7)
    city: str = text("xMunDescarga", 60, path="cityCode")
    access_key: str = text("chNFe", 44, path="nfeAccessKeys")


@group("evIncDFeMDFe")
class DocumentInclusion:
    """`evIncDFeMDFe`: the NF-e of a manifest that was issued before the loading."""

    event_type = DOCUMENTS
    schema = Schema.MDFE_DOCUMENTS
    description: str = text("descEvento", 13, default="Inclusao DF-e")
    protocol: str = text("nProt", 15)
    loading_city_code: str = text("cMunCarrega", 7)
    loading_city: str = text("xMunCarrega", 60, path="loadingCityCode")
    invoices: tuple[IncludedInvoice, ...] = children("infDoc", ANY_NUMBER, path="documents")


@group("infViagens")
class Trips:
    """`infViagens`: how many trips the payment is for, and which of them this is."""

    total: str = text("qtdViagens", 5)
    current: str = text("nroViagem", 5)


@group("evPagtoOperMDFe")
class PaymentRegistration:
    """`evPagtoOperMDFe`: the payment of an autonomous carrier."""

    event_type = PAYMENT
    schema = Schema.MDFE_PAYMENT
    description: str = text("descEvento", 24, default="Pagamento Operacao MDF-e")
    protocol: str = text("nProt", 15)
    trips: Trips = child("infViagens")
    payments: tuple[FreightPayment, ...] = children("infPag", ANY_NUMBER)


@group("evAlteracaoPagtoServMDFe")
class PaymentChange:
    """`evAlteracaoPagtoServMDFe`: a payment that replaces the one registered before."""

    event_type = PAYMENT_CHANGE
    schema = Schema.MDFE_PAYMENT_CHANGE
    description: str = text("descEvento", 32, default="Alteracao Pagamento Servico MDFe")
    protocol: str = text("nProt", 15)
    payments: tuple[FreightPayment, ...] = children("infPag", ANY_NUMBER)


ManifestDetail = (
    ManifestCancellation
    | ManifestClosing
    | DriverInclusion
    | DocumentInclusion
    | PaymentRegistration
    | PaymentChange
)


@group("detEvento")
class ManifestEventDetail:
    """`detEvento`: the element of the event's type."""

    version: str = attribute("versaoEvento", 4, default="3.00")
    content: ManifestDetail = variant(path=INLINE)


@group("infEvento")
class ManifestEventInformation:
    """`infEvento`: the signed part of an event."""

    id: str = attribute("Id", 55)
    organ: str = text("cOrgao", 2)
    environment: str = text("tpAmb", 1)
    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    access_key: str = text("chMDFe", 44)
    occurred_at: datetime = moment("dhEvento")
    event_type: str = text("tpEvento", 6)
    sequence: int = integer("nSeqEvento")
    detail: ManifestEventDetail = child("detEvento", path=INLINE)


@dataclass(frozen=True, slots=True)
class ManifestEvent(SefazEvent[ManifestDetail]):
    """An event of a manifest."""

    dialect = MDFE_DIALECT

    def information(self) -> ManifestEventInformation:
        """Returns the part that is signed."""
        return ManifestEventInformation(**self.heading, detail=ManifestEventDetail(content=self.detail))


def issue_event(event: ManifestEvent, signer: Signer, schemas: Schemas) -> bytes | tuple[Problem, ...]:
    """Signs an event and checks it by both XSDs (630)."""
    return issue_with_detail(event, Schema.MDFE_EVENT, signer, schemas)
