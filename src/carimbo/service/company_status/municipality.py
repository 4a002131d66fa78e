"""The agreement and the ISS rate of a municipality, as registered with the national NFS-e authority."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Number, Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.municipal_agreement import Agreement
from carimbo.fiscal.tables.geography import municipality_of_ibge
from carimbo.service.companies.company_checks import require_able_to_file
from carimbo.service.errors import ErrorCode, Refusal, invalid_field
from carimbo.service.issuing.pre_issue_queries import Municipalities, MunicipalityContext
from carimbo.storage.companies import CompanyRow

# With the dots of the official list or without them, as our own lookup returns it.
ServiceCode = Annotated[
    str,
    StringConstraints(
        pattern=r"^[0-9]{2}\.[0-9]{2}\.[0-9]{2}(\.[0-9]{3})?$|^[0-9]{6}([0-9]{3})?$", strip_whitespace=True
    ),
]
_OF_NO_CITY = "000"


@dataclass(frozen=True)
class MunicipalityQuery:
    """A municipality, the company's own if None, and optionally a service."""

    city_code: str | None
    service_code: str | None


class MunicipalityRecord(Record):
    """The agreement of a municipality with the authority."""

    city_code: str = Field(examples=["3550308"])
    city: str = Field(examples=["São Paulo"])
    state: str = Field(examples=["SP"])
    active: bool = Field(description="Se tem convênio ativo.")
    national_emitter: bool = Field(description="Se as empresas dele emitem pelo emissor nacional.")
    iss_rate: Number | None = Field(description="Alíquota do serviço hoje, em percentual, se informada.")


@dataclass(frozen=True)
class MunicipalityLookup:
    """Asks the authority about municipalities."""

    municipalities: Municipalities

    async def read(
        self,
        subscription_id: UUID,
        company: CompanyRow,
        document_type: DocumentType,
        query: MunicipalityQuery,
    ) -> MunicipalityRecord:
        """Returns the agreement and the rate of a municipality; the company needs a certificate."""
        snapshot = await self.municipalities.snapshots.of(subscription_id, company.id, company.revision)
        require_able_to_file(snapshot, document_type, self.municipalities.clock())
        city = query.city_code or snapshot.company.address.city_code or ""
        if municipality_of_ibge(city) is None:
            raise invalid_field("cityCode", "O código não é o de um município do IBGE.")
        environment = snapshot.environment_of(document_type)
        context = MunicipalityContext(document_type, snapshot, environment, city)

        agreement = await self.municipalities.agreement(context, insist=True)
        if agreement is None:
            raise Refusal(ErrorCode.AUTHORITY_UNAVAILABLE)
        if query.service_code is None:
            return _record(agreement, None)

        answer = await self.municipalities.rate(
            context, _with_dots(query.service_code), self.municipalities.today, insist=True
        )
        if answer is None:
            raise Refusal(ErrorCode.AUTHORITY_UNAVAILABLE)
        return _record(agreement, answer.rate)


def _with_dots(service_code: str) -> str:
    """Returns a service code as the authority writes it: 01.05.01.000."""
    digits = service_code.replace(".", "")
    return ".".join((digits[:2], digits[2:4], digits[4:6], digits[6:] or _OF_NO_CITY))


def _record(agreement: Agreement, rate: Decimal | None) -> MunicipalityRecord:
    municipality = municipality_of_ibge(agreement.city_code)
    return MunicipalityRecord(
        city_code=agreement.city_code,
        city=municipality.name if municipality else "",
        state=municipality.state if municipality else "",
        active=agreement.is_active,
        national_emitter=agreement.uses_national_emitter,
        iss_rate=rate,
    )
