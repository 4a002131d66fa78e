"""Writes the XML of every example anew, so that `git diff` shows what a change does to the documents."""

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, TypeAdapter

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.company_file import CompanyFile, certificate_of, read_json
from carimbo.fiscal.document_type import DocumentType, Issuance, Issuing, ModuleSettings
from carimbo.fiscal.emission import Contingency, Emission, EmissionType
from carimbo.fiscal.fields import Body, Integer, Moment, Number
from carimbo.fiscal.layouts.nfe_v4.events import (
    NATIONAL_ORGAN,
    Cancellation,
    CancellationBySubstitution,
    Correction,
    Detail,
    Event,
    OperationAcknowledged,
    OperationConfirmed,
    OperationNotPerformed,
    OperationUnknown,
    issue_event,
)
from carimbo.fiscal.layouts.nfe_v4.inutilization import Inutilization, issue_inutilization
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.software import Software
from carimbo.fiscal.tables.states import STATES

FOLDER = Path(__file__).parents[1] / "examples"

_EVENTS: dict[str, type[Detail]] = {
    "cancellation": Cancellation,
    "cancellationBySubstitution": CancellationBySubstitution,
    "correction": Correction,
    "confirmed": OperationConfirmed,
    "acknowledged": OperationAcknowledged,
    "unknown": OperationUnknown,
    "notPerformed": OperationNotPerformed,
}
T = TypeVar("T")

_MANIFESTATIONS = ("confirmed", "acknowledged", "unknown", "notPerformed")
_SCHEMAS = Schemas()


class ContingencyEntry(Body):
    """Since when and why an NF-e goes to another authority than its own."""

    started_at: Moment
    reason: str


class Example(Body):
    """A line of `index.json`: a request, who issues it and under which number."""

    file: str
    company: str
    about: str
    number: Integer | None = None
    numeric_code: str | None = None
    issued_at: Moment | None = None
    emission_type: EmissionType = EmissionType.NORMAL
    contingency: ContingencyEntry | None = None
    responsible: TechnicalResponsible | None = None
    totals: dict[str, Number] = Field(default_factory=dict)
    """What the document must add up to, worked out by hand; what is not named is zero."""

    @property
    def request(self) -> Path:
        """The JSON that is read."""
        return FOLDER / self.file

    @property
    def xml(self) -> Path:
        """The document that is made of it."""
        return self.request.with_suffix(".xml")


class EventFile(Body):
    """Something that happens to a document; `detail` holds the fields of the event that `event` names."""

    event: str
    access_key: str
    occurred_at: Moment
    sequence: Integer = 1
    detail: dict[str, Any] = Field(default_factory=dict)


def examples() -> list[Example]:
    """Every example, in the order of the index."""
    return TypeAdapter(list[Example]).validate_python(read_json(FOLDER / "index.json"))


def issued(example: Example) -> bytes:
    """The signed XML of an example, made by the library."""
    company, signer = _company(example.company)
    body = read_json(example.request)
    if "event" in body:
        event = _event(EventFile.model_validate(body), company)
        return _made(example, issue_event(event, signer, _SCHEMAS))
    if "numberStart" in body:
        return _made(example, issue_inutilization(_record(Inutilization, body), signer, _SCHEMAS))
    return _document(example, body, company, signer)


def main() -> None:
    for example in examples():
        example.xml.write_bytes(issued(example))


@cache
def _company(file: str) -> tuple[CompanyFile, Signer]:
    company = CompanyFile.model_validate(read_json(FOLDER / file))
    return company, Signer.of(certificate_of(company, FOLDER))


def _document(example: Example, body: Any, company: CompanyFile, signer: Signer) -> bytes:
    document_type, issuing = _type_of(example)
    settings = document_type.settings.model_validate(company.settings[document_type.name])
    request = issuing.request.model_validate(body)
    printed = issuing.printed_emission and issuing.printed_emission(request, company, company.environment)
    if isinstance(printed, tuple):
        raise ValueError(f"{example.file}: {printed}")
    emission = printed or _emission(example, company, settings, request)
    software = Software("carimbo", example.responsible)
    issuance = Issuance(company, emission, software, settings, signer, _SCHEMAS, emission.issued_at)
    return _made(example, issuing.issue(request, issuance)).xml


def _made(example: Example, made: T | tuple[Problem, ...]) -> T:
    if isinstance(made, tuple):
        raise ValueError(f"{example.file}: {made}")
    return made


def _type_of(example: Example) -> tuple[DocumentType, Issuing]:
    """The type that the folder of an example is named after."""
    name = example.request.parent.name
    return next((one, one.issuing) for one in DOCUMENT_TYPES if one.name == name and one.issuing)


def _emission(example: Example, company: CompanyFile, settings: ModuleSettings, request: Any) -> Emission:
    moment: datetime | None = request.issue_date or example.issued_at
    if example.number is None or example.numeric_code is None or moment is None:
        raise ValueError(f"{example.file}: index.json lacks its number, numericCode or issuedAt")
    contingency = example.contingency
    return Emission(
        environment=company.environment,
        series=settings.series,
        number=example.number,
        numeric_code=example.numeric_code,
        issued_at=moment,
        type=example.emission_type,
        contingency=Contingency(contingency.started_at, contingency.reason) if contingency else None,
    )


def _event(file: EventFile, company: CompanyFile) -> Event:
    is_manifestation = file.event in _MANIFESTATIONS
    return Event(
        organ=NATIONAL_ORGAN if is_manifestation else STATES[company.address.state].ibge,
        environment=company.environment.code,
        tax_id=company.tax_id,
        access_key=AccessKey.parse(file.access_key),
        occurred_at=file.occurred_at,
        sequence=file.sequence,
        detail=_record(_EVENTS[file.event], file.detail),
    )


def _record(group: type[Any], body: Any) -> Any:
    """A group of the layout from JSON, by the names that its declaration gives the fields."""
    return TypeAdapter(group).validate_python(body)


if __name__ == "__main__":
    main()
