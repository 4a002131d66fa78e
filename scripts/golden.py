"""Rewrites the XML of every example, so that `git diff` shows what a change does to the documents."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, TypeAdapter

from carimbo.fiscal.body.date_fields import Moment
from carimbo.fiscal.body.fields import Body, Flag, Integer, Number
from carimbo.fiscal.document_type import DocumentType, Issuing
from carimbo.fiscal.documents.cteos.gtv_event import CTE_OS_GTV, GuidesRequest, guides_group
from carimbo.fiscal.documents.mdfe.events import MDFE_EVENTS
from carimbo.fiscal.emission import Contingency, Emission, EmissionType
from carimbo.fiscal.filing import EventSubject, FilingIssuer
from carimbo.fiscal.identity.access_key import AccessKey, parse_service_key
from carimbo.fiscal.identity.certificate import open_a1
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import ExternalFacts, Issuance, ReplacedDocument, Review, Software
from carimbo.fiscal.layouts.cte_v4 import delivery
from carimbo.fiscal.layouts.cte_v4 import events as cte_v4
from carimbo.fiscal.layouts.dps_v1 import events as dps_v1
from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    CancellationBySubstitution,
    Correction,
    Detail,
    InvoiceEvent,
    OperationAcknowledged,
    OperationConfirmed,
    OperationNotPerformed,
    OperationUnknown,
    issue_event,
)
from carimbo.fiscal.layouts.nfe_v4.inutilization import InutilizationRange, issue_inutilization
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.fiscal.layouts.sefaz.events import NATIONAL_ORGAN
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.municipal_agreement import Agreement
from carimbo.fiscal.parties.company_file import CompanyFile, read_json_file
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.registry import DOCUMENT_TYPES, settings_beside
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.tables.geography import STATES
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES

FOLDER = Path(__file__).parents[1] / "examples"

_SOFTWARE = "carimbo"
_EVENTS: dict[str, type[Detail]] = {
    "cancellation": Cancellation,
    "cancellationBySubstitution": CancellationBySubstitution,
    "correction": Correction,
    "confirmed": OperationConfirmed,
    "acknowledged": OperationAcknowledged,
    "unknown": OperationUnknown,
    "notPerformed": OperationNotPerformed,
}
_EVENTS_OF_WAYBILLS: dict[str, type[cte_v4.Detail]] = {
    "cancellation": cte_v4.WaybillCancellation,
    "correction": cte_v4.WaybillCorrection,
    "delivery": delivery.ProofOfDelivery,
    "deliveryCancellation": delivery.DeliveryCancellation,
    "failedDelivery": delivery.FailedDelivery,
    "failedDeliveryCancellation": delivery.FailedDeliveryCancellation,
    "disagreement": cte_v4.Disagreement,
    "disagreementCancellation": cte_v4.DisagreementCancellation,
}
_EVENTS_OF_NOTES: dict[str, type[dps_v1.NoteCancellation]] = {"cancellation": dps_v1.NoteCancellation}
_EVENTS_OF_MANIFESTS = {kind.name: kind for kind in MDFE_EVENTS}
T = TypeVar("T")

_MANIFESTATIONS = ("confirmed", "acknowledged", "unknown", "notPerformed")
# Part of the keys that we create; the key of an NFS-e comes from the authority.
_UNUSED_CODE = "73935421"
_SCHEMAS = Schemas()


class ContingencyEntry(Body):
    """Since when and why an NF-e goes to another authority than its own."""

    started_at: Moment
    reason: str


class AgreementEntry(Body):
    """What a municipality has agreed with the national NFS-e."""

    is_active: Flag = True
    uses_national_emitter: Flag = True


class Example(Body):
    """An entry of `index.json`: a request, its issuer and its number."""

    file: str
    company: str
    about: str
    number: Integer | None = None
    numeric_code: str | None = None
    issued_at: Moment | None = None
    emission_type: EmissionType = EmissionType.NORMAL
    contingency: ContingencyEntry | None = None
    responsible: TechnicalResponsible | None = None
    agreements: dict[str, AgreementEntry] = Field(default_factory=dict)
    """By municipality (IBGE); nothing is known of those that are not named."""
    replaced_key: str | None = None
    """The key of the document that the request calls `replaces.documentId`."""
    replaced_file: str | None = None
    """The example that we signed it as."""
    totals: dict[str, Number] = Field(default_factory=dict)
    """What the document must add up to, worked out by hand; what is not named is zero."""

    @property
    def request(self) -> Path:
        """The JSON file of the request."""
        return FOLDER / self.file

    @property
    def xml(self) -> Path:
        """The XML file of the document."""
        return self.request.with_suffix(".xml")

    @property
    def is_document(self) -> bool:
        """Whether it is a document, and not an event of a document."""
        return self.request.parent.name != "events"


class EventFile(Body):
    """An event of a document; `detail` holds the fields of the event that `event` names."""

    event: str
    access_key: str
    document: str | None = None
    """The example with that key, whose request the rules of the event read."""
    protocol: str = ""
    """The protocol of the document, for an event whose `detail` is the body of its request."""
    occurred_at: Moment
    sequence: Integer = 1
    detail: dict[str, Any] = Field(default_factory=dict)


def examples() -> list[Example]:
    """Every example, in the order of the index."""
    return TypeAdapter(list[Example]).validate_python(read_json_file(FOLDER / "index.json"))


@contextmanager
def example_rates() -> Iterator[None]:
    """Uses the rates of the examples, which have a made-up CBS for 2027, until the block ends."""
    ours = IBS_CBS_RATES.rows
    IBS_CBS_RATES.rows = IBS_CBS_RATES.rows_in(FOLDER / "tables" / "ibs_cbs_rates.csv")
    try:
        yield
    finally:
        IBS_CBS_RATES.rows = ours


def issued(example: Example) -> bytes:
    """Returns the signed XML of an example, issued by the library."""
    with example_rates():
        return _issued(example)


def _issued(example: Example) -> bytes:
    body = read_json_file(example.request)
    if example.is_document:
        issuing, request, issuance = _draft(example, body)
        return _without_problems(example, issuing.issue(request, issuance)).xml
    company, signer = _company(example.company)
    if "numberStart" in body:
        return _without_problems(
            example, issue_inutilization(_record(InutilizationRange, body), signer, _SCHEMAS)
        )
    issue = _EVENTS_OF[example.request.parents[1].name]
    return _without_problems(example, issue(EventFile.model_validate(body), company, signer))


def reviewed(example: Example) -> Review:
    """Returns the review of an example's request before it is issued, without a key."""
    issuing, request, issuance = _draft(example, read_json_file(example.request))
    with example_rates():
        return issuing.review(request, replace(issuance, signer=Signer.throwaway()))


def main() -> None:
    for example in examples():
        example.xml.write_bytes(issued(example))


@cache
def _company(file: str) -> tuple[CompanyFile, Signer]:
    company = CompanyFile.model_validate(read_json_file(FOLDER / file))
    return company, _signer(company.certificate.file, company.certificate.password)


@cache
def _signer(file: str, password: str) -> Signer:
    """Opens an A1 file once for all companies that have it: checking its key takes tenths of a second."""
    return Signer.of(open_a1((FOLDER / file).read_bytes(), password))


def _draft(example: Example, body: Any) -> tuple[Issuing, Any, Issuance]:
    company, signer = _company(example.company)
    document_type, issuing = _type_of(example)
    settings = document_type.settings.model_validate(company.settings.get(document_type.name, {}))
    request = issuing.request.model_validate(body)
    point_of_sale = document_type.point_of_sale
    printed = point_of_sale and point_of_sale.printed_emission(request, company, company.environment)
    if isinstance(printed, tuple):
        raise ValueError(f"{example.file}: {printed}")
    emission = printed or _emission(example, document_type, company, settings, request)
    issuance = Issuance(
        company=company,
        emission=emission,
        software=Software(_SOFTWARE, example.responsible),
        settings=settings,
        other_settings=settings_beside(document_type, company.settings),
        signer=signer,
        schemas=_SCHEMAS,
        now=emission.issued_at,
        external_facts=ExternalFacts(_agreements(example), replaced=_replaced(example)),
    )
    return issuing, request, issuance


def _replaced(example: Example) -> ReplacedDocument | None:
    if example.replaced_key is None or example.replaced_file is None:
        return None
    return ReplacedDocument(example.replaced_key, (FOLDER / example.replaced_file).read_bytes())


def _agreements(example: Example) -> Mapping[str, Agreement]:
    return {
        city: Agreement(city, entry.is_active, entry.uses_national_emitter)
        for city, entry in example.agreements.items()
    }


def _without_problems(example: Example, result: T | tuple[Problem, ...]) -> T:
    if isinstance(result, tuple):
        raise ValueError(f"{example.file}: {result}")
    return result


def _type_of(example: Example) -> tuple[DocumentType, Issuing]:
    """The type that the folder of an example is named after."""
    name = example.request.parent.name
    return next(
        (issued, issued.issuing) for issued in DOCUMENT_TYPES if issued.name == name and issued.issuing
    )


def _emission(
    example: Example,
    document_type: DocumentType,
    company: CompanyFile,
    settings: ModuleSettings,
    request: Any,
) -> Emission:
    issue_date = document_type.issuing.issue_date(request)
    moment = issue_date if isinstance(issue_date, datetime) else example.issued_at
    code = _UNUSED_CODE if document_type.numbering.is_by_authority else example.numeric_code
    if example.number is None or code is None or moment is None:
        raise ValueError(f"{example.file}: index.json lacks its number, numericCode or issuedAt")
    contingency = example.contingency
    return Emission(
        environment=company.environment,
        series=settings.series,
        number=example.number,
        numeric_code=code,
        issued_at=moment,
        type=example.emission_type,
        contingency=Contingency(contingency.started_at, contingency.reason) if contingency else None,
    )


def _event_of_goods(file: EventFile, company: CompanyFile, signer: Signer) -> bytes | tuple[Problem, ...]:
    is_manifestation = file.event in _MANIFESTATIONS
    event = InvoiceEvent(
        organ=NATIONAL_ORGAN if is_manifestation else STATES[company.address.state].ibge,
        environment=company.environment.code,
        tax_id=company.tax_id,
        access_key=AccessKey.parse(file.access_key),
        occurred_at=file.occurred_at,
        sequence=file.sequence,
        detail=_record(_EVENTS[file.event], file.detail),
    )
    return issue_event(event, signer, _SCHEMAS)


def _event_of_transport(file: EventFile, company: CompanyFile, signer: Signer) -> bytes | tuple[Problem, ...]:
    key = AccessKey.parse(file.access_key)
    event = cte_v4.WaybillEvent(
        organ=key.state_code,
        environment=company.environment.code,
        tax_id=company.tax_id,
        access_key=key,
        occurred_at=file.occurred_at,
        sequence=file.sequence,
        detail=_detail_of_waybill(file),
    )
    return cte_v4.issue_event(event, signer, _SCHEMAS)


def _detail_of_waybill(file: EventFile) -> cte_v4.Detail:
    if file.event == CTE_OS_GTV.name:
        # CNPJ and CPF of a party have the same name in JSON, so the request makes the group.
        return guides_group(GuidesRequest.model_validate(file.detail))
    detail: cte_v4.Detail = _record(_EVENTS_OF_WAYBILLS[file.event], file.detail)
    return detail


def _event_of_manifest(file: EventFile, company: CompanyFile, signer: Signer) -> bytes | tuple[Problem, ...]:
    (manifest,) = (example for example in examples() if example.file == file.document)
    _, request, issuance = _draft(manifest, read_json_file(manifest.request))
    about = EventSubject(
        access_key=file.access_key,
        protocol=file.protocol,
        occurred_at=file.occurred_at,
        sequence=file.sequence,
        issued_at=issuance.emission.issued_at,
        read_request=lambda: request,
    )
    issuer = FilingIssuer(company, company.environment, issuance.software, signer, _SCHEMAS)
    kind = _EVENTS_OF_MANIFESTS[file.event]
    result = kind.issue(kind.request.model_validate(file.detail), about, issuer)
    return result if isinstance(result, tuple) else result.xml


def _event_of_service(file: EventFile, company: CompanyFile, signer: Signer) -> bytes | tuple[Problem, ...]:
    event = dps_v1.NoteEvent(
        environment=company.environment.code,
        application_version=_SOFTWARE,
        tax_id=company.tax_id,
        access_key=parse_service_key(file.access_key),
        occurred_at=file.occurred_at,
        detail=_record(_EVENTS_OF_NOTES[file.event], file.detail),
    )
    return dps_v1.issue_event(event, signer, _SCHEMAS)


def _record(group: type[Any], body: Any) -> Any:
    """A group of the layout from JSON, by the names that its declaration gives the fields."""
    return TypeAdapter(group).validate_python(body)


_EVENTS_OF: Mapping[str, Callable[..., bytes | tuple[Problem, ...]]] = {
    "nfe": _event_of_goods,
    "nfce": _event_of_goods,
    "nfse": _event_of_service,
    "cte": _event_of_transport,
    "cteOs": _event_of_transport,
    "mdfe": _event_of_manifest,
}
"""How events are issued, by the folder of their type."""

if __name__ == "__main__":
    main()
