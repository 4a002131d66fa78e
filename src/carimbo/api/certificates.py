"""The A1 certificate of a company, under both of its paths."""

from typing import Annotated

from fastapi import APIRouter, File, Form, UploadFile
from fastapi.params import Depends

from carimbo.api.context import OF_COMPANY, CurrentCompany, CurrentServices, CurrentSubscription
from carimbo.api.documented import refuses
from carimbo.api.envelope import Success
from carimbo.api.route import MUST_BE_SENT, Endpoint
from carimbo.service import certificates
from carimbo.service.certificates import CertificateDeleted, CertificateRecord
from carimbo.service.errors import Code

_UPLOAD_REFUSALS = (
    Code.CERTIFICATE_EXPIRED,
    Code.CERTIFICATE_INVALID,
    Code.CERTIFICATE_PASSWORD_INVALID,
    Code.CERTIFICATE_TAX_ID_MISMATCH,
)


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


def _router(path: str, name: str, whose: str, dependencies: list[Depends], *also: Code) -> APIRouter:
    """Put the three operations under a path; `also` is what that path adds to the refusals."""
    router = APIRouter(tags=["Certificado"], route_class=Endpoint, dependencies=dependencies)
    router.add_api_route(
        path, upload_certificate, methods=["POST"], operation_id=f"upload{name}",
        summary=f"Envia o certificado A1 {whose}",
        description="O arquivo é conferido, cifrado e guardado; nunca pode ser baixado.",
        responses=refuses(Code.NOT_FOUND, *_UPLOAD_REFUSALS, *also),
    )  # fmt: skip
    router.add_api_route(
        path, read_certificate, methods=["GET"], operation_id=f"read{name}",
        summary=f"Lê os dados do certificado {whose}", responses=refuses(Code.NOT_FOUND, *also),
    )  # fmt: skip
    router.add_api_route(
        path, delete_certificate, methods=["DELETE"], operation_id=f"delete{name}",
        summary=f"Remove o certificado {whose}", responses=refuses(Code.NOT_FOUND, *also),
    )  # fmt: skip
    return router


company_path = _router("/v1/companies/{companyId}/certificate", "Certificate", "da empresa", OF_COMPANY)
only_company_path = _router(
    "/v1/company/certificate", "OnlyCompanyCertificate", "da única empresa", [], Code.COMPANY_AMBIGUOUS
)
