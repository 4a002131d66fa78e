"""Whether a company can issue in a municipality, and at which rate: by what that told the authority."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.fields import Number, Record
from carimbo.fiscal.municipal_agreement import Agreement
from carimbo.fiscal.tables.municipalities import municipality_of_ibge
from carimbo.service.dossier import Dossier
from carimbo.service.errors import Code, Refusal, invalid_field
from carimbo.service.issuing.municipalities import Municipalities, Place
from carimbo.service.readiness import require_teller
from carimbo.storage.companies import Company

# With the dots of the official list or, as our own look-up returns it, without them.
ServiceCode = Annotated[
    str,
    StringConstraints(
        pattern=r"^[0-9]{2}\.[0-9]{2}\.[0-9]{2}(\.[0-9]{3})?$|^[0-9]{6}([0-9]{3})?$", strip_whitespace=True
    ),
]
_OF_NO_CITY = "000"


@dataclass(frozen=True)
class MunicipalityQuery:
    """Which municipality, the company's own without one, and which service there."""

    city_code: str | None
    service_code: str | None


class MunicipalityRecord(Record):
    """A municipality, as it stands with the authority."""

    city_code: str = Field(examples=["3550308"])
    city: str = Field(examples=["São Paulo"])
    state: str = Field(examples=["SP"])
    active: bool = Field(description="Se tem convênio ativo.")
    national_emitter: bool = Field(description="Se as empresas dele emitem pelo emissor nacional.")
    iss_rate: Number | None = Field(description="Alíquota do serviço hoje, em percentual, se informada.")


@dataclass(frozen=True)
class TownHall:
    """Where municipalities are asked about."""

    municipalities: Municipalities

    async def read(
        self, subscription_id: UUID, company: Company, kind: DocumentType, query: MunicipalityQuery
    ) -> MunicipalityRecord:
        """Tell what a municipality told; without a certificate nobody can be asked."""
        dossier = await self.municipalities.dossiers.of(subscription_id, company.id, company.revision)
        require_teller(dossier, kind, self.municipalities.clock())
        place = _place(kind, dossier, query)
        agreement = await self.municipalities.agreement(place, insist=True)
        if agreement is None:
            raise Refusal(Code.AUTHORITY_UNAVAILABLE)
        return _record(agreement, await self._rate(place, query.service_code))

    async def _rate(self, place: Place, service_code: str | None) -> Decimal | None:
        if service_code is None:
            return None
        answer = await self.municipalities.rate(
            place, _with_dots(service_code), self.municipalities.today, insist=True
        )
        if answer is None:
            raise Refusal(Code.AUTHORITY_UNAVAILABLE)
        return answer.rate


def _with_dots(service_code: str) -> str:
    """Returns a code as the authority writes it: 01.05.01.000."""
    digits = service_code.replace(".", "")
    return ".".join((digits[:2], digits[2:4], digits[4:6], digits[6:] or _OF_NO_CITY))


def _place(kind: DocumentType, dossier: Dossier, query: MunicipalityQuery) -> Place:
    city = query.city_code or dossier.company.address.city_code or ""
    if municipality_of_ibge(city) is None:
        raise invalid_field("cityCode", "O código não é o de um município do IBGE.")
    return Place(kind, dossier, dossier.environment_of(kind), city)


def _record(agreement: Agreement, rate: Decimal | None) -> MunicipalityRecord:
    found = municipality_of_ibge(agreement.city_code)
    return MunicipalityRecord(
        city_code=agreement.city_code,
        city=found.name if found else "",
        state=found.state if found else "",
        active=agreement.is_active,
        national_emitter=agreement.uses_national_emitter,
        iss_rate=rate,
    )
