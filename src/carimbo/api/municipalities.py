"""What municipalities told the authority of a type that depends on them."""

from typing import Annotated

from fastapi import Depends, Query

from carimbo.api.context import CurrentCompany, CurrentServices, CurrentSubscription
from carimbo.api.documented import UNREADY
from carimbo.api.envelope import Success
from carimbo.api.route import ReadingEndpoint
from carimbo.api.type_routes import CurrentType, add_no_document, add_reading, company_router, name_of
from carimbo.fiscal.fields import CityCode
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.errors import Code
from carimbo.service.municipality import MunicipalityQuery, MunicipalityRecord, ServiceCode

reading = company_router(ReadingEndpoint)
_REFUSALS = (*UNREADY, Code.AUTHORITY_UNAVAILABLE)


async def _query(
    city_code: Annotated[
        CityCode | None,
        Query(alias="cityCode", description="Código IBGE; na falta, o município da empresa."),
    ] = None,
    service_code: Annotated[
        ServiceCode | None,
        Query(
            alias="serviceCode",
            description="Código nacional do serviço, como 01.05.01 ou 010501, para saber a alíquota.",
        ),
    ] = None,
) -> MunicipalityQuery:
    return MunicipalityQuery(city_code, service_code)


async def _read(
    services: CurrentServices,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    query: Annotated[MunicipalityQuery, Depends(_query)],
    kind: CurrentType,
) -> Success[MunicipalityRecord]:
    return Success(data=await services.town_hall.read(subscription.id, company, kind, query))


for _kind in DOCUMENT_TYPES:
    if _kind.municipal:
        add_reading(
            reading,
            _kind,
            "/municipality",
            f"read{name_of(_kind)}Municipality",
            "Mostra se um município emite pelo padrão nacional",
            _read,
            *_REFUSALS,
        )
        add_no_document(reading, _kind, "/municipality")
