"""The logo of each company: any uploaded image becomes a small plain PNG, and only that is stored."""

import asyncio
import hashlib
from io import BytesIO
from uuid import UUID

from PIL import Image, ImageOps
from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.service.companies.registration import (
    audit_company,
    delete_logo_file,
    lock_company,
    require_company,
)
from carimbo.service.errors import Refusal, invalid_field, not_found
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow, logo_file
from carimbo.storage.database import Database, Tenant

_MAX_BYTES = 1024 * 1024
_MAX_PIXELS = 4_000_000
# More dots than a printer has for the few centimetres of a logo.
_FITTED = (800, 400)
_FORMATS = ("PNG", "JPEG")
_UNUSABLE = "Envie um PNG ou JPEG íntegro, de no máximo 1 MB e 4 megapixels."


class LogoRecord(Record):
    """The logo on a company's printed documents."""

    company_id: UUID
    digest: str = Field(description="SHA-256 do PNG guardado.", examples=["9f86d081884c7d65..."])


class LogoDeleted(Record):
    """The response to the deletion of a logo."""

    company_id: UUID
    deleted: bool = True


async def upload_logo(
    database: Database, subscription_id: UUID, company_id: UUID, image: bytes
) -> LogoRecord:
    """Converts an image for printing and stores it, in place of any earlier one."""
    png = await asyncio.to_thread(_plain_png, image)
    digest = hashlib.sha256(png).hexdigest()
    async with database.tenant(subscription_id) as tenant:
        company = await lock_company(tenant, company_id)
        await delete_logo_file(tenant, company)
        await tenant.archive.put(company_id, logo_file(digest), png)
        await tenant.companies.set_logo(company_id, digest)
        await audit_company(tenant, AuditAction.LOGO_STORED, company)
    return LogoRecord(company_id=company_id, digest=digest)


async def read_logo(database: Database, subscription_id: UUID, company_id: UUID) -> bytes:
    """Returns the logo of a company as a PNG file."""
    async with database.snapshot(subscription_id) as tenant:
        png = await logo_of(tenant, await require_company(tenant, company_id))
    if png is None:
        raise _no_logo()
    return png


async def delete_logo(database: Database, subscription_id: UUID, company_id: UUID) -> LogoDeleted:
    """Deletes the logo of a company."""
    async with database.tenant(subscription_id) as tenant:
        company = await lock_company(tenant, company_id)
        if company.logo_digest is None:
            raise _no_logo()
        await delete_logo_file(tenant, company)
        await tenant.companies.set_logo(company_id, None)
        await audit_company(tenant, AuditAction.LOGO_DELETED, company)
    return LogoDeleted(company_id=company_id)


async def logo_of(tenant: Tenant, company: CompanyRow) -> bytes | None:
    """Returns the file of a company's logo, if it has one."""
    digest = company.logo_digest
    return await tenant.archive.get(company.id, logo_file(digest)) if digest else None


def _plain_png(file: bytes) -> bytes:
    """Returns an 8-bit RGB PNG without transparency, interlacing or metadata."""
    if len(file) > _MAX_BYTES:
        raise invalid_field("file", _UNUSABLE)
    image = _decoded(file)
    if image.mode == "I;16":
        # Pillow would clip 16-bit shades instead of scaling them to 8 bits.
        image = image.point(lambda shade: shade / 256, "L")

    white = Image.new("RGBA", image.size, "white")
    opaque = Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")
    opaque.thumbnail(_FITTED)
    png = BytesIO()
    opaque.save(png, "PNG")
    return png.getvalue()


def _decoded(file: bytes) -> Image.Image:
    try:
        # Only the header is read here: an image that is too large is never decoded.
        image = Image.open(BytesIO(file), formats=_FORMATS)
        if image.width * image.height > _MAX_PIXELS:
            raise ValueError(f"{image.size} are too many pixels")
        image.load()
        # Cameras store the orientation in EXIF instead of rotating the picture.
        return ImageOps.exif_transpose(image)
    except Exception as error:
        # Decoders raise all kinds of exceptions for a broken file.
        raise invalid_field("file", _UNUSABLE) from error


def _no_logo() -> Refusal:
    return not_found("A empresa não tem logotipo.")
