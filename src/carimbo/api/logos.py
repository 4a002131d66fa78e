"""The logo that a company's documents are printed with."""

from typing import Annotated

from fastapi import APIRouter, File, UploadFile
from starlette.responses import Response

from carimbo.api.context import OF_COMPANY, CurrentCompany, CurrentDatabase, CurrentSubscription
from carimbo.api.documented import gives_file, refuses
from carimbo.api.envelope import Success
from carimbo.api.route import Endpoint
from carimbo.service import logos
from carimbo.service.errors import Code
from carimbo.service.logos import LogoDeleted, LogoRecord

_PATH = "/v1/companies/{companyId}/settings/logo"
router = APIRouter(tags=["Configurações"], route_class=Endpoint, dependencies=OF_COMPANY)


class PngResponse(Response):
    """An image, which the published contract tells from JSON by this class."""

    media_type = "image/png"


@router.put(
    _PATH,
    operation_id="uploadLogo",
    summary="Envia o logotipo da empresa",
    description="Toma o lugar do anterior em tudo que se imprimir, também dos documentos já emitidos.",
    responses=refuses(Code.NOT_FOUND),
)
async def upload_logo(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    file: Annotated[UploadFile, File(description="PNG ou JPEG, de no máximo 1 MB e 4 megapixels.")],
) -> Success[LogoRecord]:
    image = await file.read()
    return Success(data=await logos.upload_logo(database, subscription.id, company.id, image))


@router.get(
    _PATH,
    operation_id="readLogo",
    summary="Baixa o logotipo da empresa",
    description="PNG sem transparência, reduzido a no máximo 800 por 400 pontos.",
    response_class=PngResponse,
    responses=gives_file(PngResponse.media_type) | refuses(Code.NOT_FOUND),
)
async def read_logo(
    database: CurrentDatabase, subscription: CurrentSubscription, company: CurrentCompany
) -> Response:
    return PngResponse(await logos.read_logo(database, subscription.id, company.id))


@router.delete(
    _PATH,
    operation_id="deleteLogo",
    summary="Remove o logotipo da empresa",
    responses=refuses(Code.NOT_FOUND),
)
async def delete_logo(
    database: CurrentDatabase, subscription: CurrentSubscription, company: CurrentCompany
) -> Success[LogoDeleted]:
    return Success(data=await logos.delete_logo(database, subscription.id, company.id))
