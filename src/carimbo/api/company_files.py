"""Files that a company uploads: its A1 certificate, under both of its paths, and its logo."""

from typing import Annotated

from fastapi import APIRouter, File, Form, UploadFile
from fastapi.params import Depends
from starlette.responses import Response

from carimbo.api.context import (
    OF_COMPANY,
    CurrentCompany,
    CurrentDatabase,
    CurrentServices,
    CurrentSubscription,
)
from carimbo.api.envelope import Success
from carimbo.api.response_docs import error_responses, file_responses
from carimbo.api.route import MUST_BE_SENT, Endpoint
from carimbo.service.companies import certificates, logos
from carimbo.service.companies.certificates import CertificateDeleted, CertificateRecord
from carimbo.service.companies.logos import LogoDeleted, LogoRecord
from carimbo.service.errors import ErrorCode

_UPLOAD_REFUSALS = (
    ErrorCode.CERTIFICATE_EXPIRED,
    ErrorCode.CERTIFICATE_INVALID,
    ErrorCode.CERTIFICATE_PASSWORD_INVALID,
    ErrorCode.CERTIFICATE_TAX_ID_MISMATCH,
)
_LOGO_PATH = "/v1/companies/{companyId}/settings/logo"


async def upload_certificate(
    services: CurrentServices,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    file: Annotated[UploadFile, File(description="Arquivo .pfx ou .p12.")],
    password: Annotated[
        str,
        Form(
            max_length=256,
            description="Senha; vazia se não tiver.",
            examples=["senha"],
            json_schema_extra=MUST_BE_SENT,
        ),
    ] = "",
) -> Success[CertificateRecord]:
    pfx = await file.read()
    record = await certificates.upload_certificate(
        services.database, services.opener, subscription.id, company, pfx, password, services.clock()
    )
    return Success(data=record)


async def read_certificate(
    services: CurrentServices, subscription: CurrentSubscription, company: CurrentCompany
) -> Success[CertificateRecord]:
    return Success(data=await certificates.read_certificate(services.database, subscription.id, company.id))


async def delete_certificate(
    services: CurrentServices, subscription: CurrentSubscription, company: CurrentCompany
) -> Success[CertificateDeleted]:
    return Success(data=await certificates.delete_certificate(services.database, subscription.id, company.id))


def _certificate_router(
    path: str, name: str, whose: str, dependencies: list[Depends], *also: ErrorCode
) -> APIRouter:
    """Returns a router with the three operations under a path; `also` are its additional errors."""
    router = APIRouter(tags=["Certificado"], route_class=Endpoint, dependencies=dependencies)
    router.add_api_route(
        path, upload_certificate, methods=["POST"], operation_id=f"upload{name}",
        summary=f"Envia o certificado A1 {whose}",
        description="O arquivo é conferido, cifrado e guardado; nunca pode ser baixado.",
        responses=error_responses(ErrorCode.NOT_FOUND, *_UPLOAD_REFUSALS, *also),
    )  # fmt: skip
    router.add_api_route(
        path, read_certificate, methods=["GET"], operation_id=f"read{name}",
        summary=f"Lê os dados do certificado {whose}", responses=error_responses(ErrorCode.NOT_FOUND, *also),
    )  # fmt: skip
    router.add_api_route(
        path, delete_certificate, methods=["DELETE"], operation_id=f"delete{name}",
        summary=f"Remove o certificado {whose}", responses=error_responses(ErrorCode.NOT_FOUND, *also),
    )  # fmt: skip
    return router


certificate_router = _certificate_router(
    "/v1/companies/{companyId}/certificate", "Certificate", "da empresa", OF_COMPANY
)
only_company_certificate_router = _certificate_router(
    "/v1/company/certificate", "OnlyCompanyCertificate", "da única empresa", [], ErrorCode.COMPANY_AMBIGUOUS
)


logo_router = APIRouter(tags=["Configurações"], route_class=Endpoint, dependencies=OF_COMPANY)


class PngResponse(Response):
    """An image; its class tells the published contract that the response is not JSON."""

    media_type = "image/png"


@logo_router.put(
    _LOGO_PATH,
    operation_id="uploadLogo",
    summary="Envia o logotipo da empresa",
    description="Toma o lugar do anterior em tudo que se imprimir, também dos documentos já emitidos.",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def upload_logo(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    file: Annotated[UploadFile, File(description="PNG ou JPEG, de no máximo 1 MB e 4 megapixels.")],
) -> Success[LogoRecord]:
    image = await file.read()
    return Success(data=await logos.upload_logo(database, subscription.id, company.id, image))


@logo_router.get(
    _LOGO_PATH,
    operation_id="readLogo",
    summary="Baixa o logotipo da empresa",
    description="PNG sem transparência, reduzido a no máximo 800 por 400 pontos.",
    response_class=PngResponse,
    responses=file_responses(PngResponse.media_type) | error_responses(ErrorCode.NOT_FOUND),
)
async def read_logo(
    database: CurrentDatabase, subscription: CurrentSubscription, company: CurrentCompany
) -> Response:
    return PngResponse(await logos.read_logo(database, subscription.id, company.id))


@logo_router.delete(
    _LOGO_PATH,
    operation_id="deleteLogo",
    summary="Remove o logotipo da empresa",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def delete_logo(
    database: CurrentDatabase, subscription: CurrentSubscription, company: CurrentCompany
) -> Success[LogoDeleted]:
    return Success(data=await logos.delete_logo(database, subscription.id, company.id))
