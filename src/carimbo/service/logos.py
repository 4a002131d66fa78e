"""The logo of each company: of whatever image comes a small plain one is made, and only that is kept."""

import asyncio
import hashlib
from io import BytesIO
from uuid import UUID

from PIL import Image, ImageOps
from pydantic import Field

from carimbo.fiscal.fields import Record
from carimbo.service.companies import delete_logo_file, lock_company, require_company
from carimbo.service.errors import Refusal, invalid_field, not_found
from carimbo.storage.companies import Company, logo_file
from carimbo.storage.database import Database, Tenant

_MOST_BYTES = 1024 * 1024
_MOST_PIXELS = 4_000_000
# More dots than a printer has for the few centimetres that a logo gets.
_FITTED = (800, 400)
_FORMATS = ("PNG", "JPEG")
_UNUSABLE = "Envie um PNG ou JPEG íntegro, de no máximo 1 MB e 4 megapixels."


class LogoRecord(Record):
    """A company and the logo that its documents are printed with."""

    company_id: UUID
    digest: str = Field(description="SHA-256 do PNG guardado.", examples=["9f86d081884c7d65..."])


class LogoDeleted(Record):
    """What deleting a logo answers."""

    company_id: UUID
    deleted: bool = True


async def upload_logo(
    database: Database, subscription_id: UUID, company_id: UUID, image: bytes
) -> LogoRecord:
    """Make an image fit for printing and keep it, in place of any earlier one."""
    png = await asyncio.to_thread(_plain_png, image)
    digest = hashlib.sha256(png).hexdigest()
    async with database.tenant(subscription_id) as tenant:
        await delete_logo_file(tenant, await lock_company(tenant, company_id))
        await tenant.archive.put(company_id, logo_file(digest), png)
        await tenant.companies.set_logo(company_id, digest)
    return LogoRecord(company_id=company_id, digest=digest)


async def read_logo(database: Database, subscription_id: UUID, company_id: UUID) -> bytes:
    """The PNG that a company's documents are printed with."""
    async with database.snapshot(subscription_id) as tenant:
        png = await logo_of(tenant, await require_company(tenant, company_id))
    if png is None:
        raise _no_logo()
    return png


async def delete_logo(database: Database, subscription_id: UUID, company_id: UUID) -> LogoDeleted:
    """Let a company's documents be printed without a logo."""
    async with database.tenant(subscription_id) as tenant:
        company = await lock_company(tenant, company_id)
        if company.logo_digest is None:
            raise _no_logo()
        await delete_logo_file(tenant, company)
        await tenant.companies.set_logo(company_id, None)
    return LogoDeleted(company_id=company_id)


async def logo_of(tenant: Tenant, company: Company) -> bytes | None:
    """The file of a company's logo, if it has one."""
    digest = company.logo_digest
    return await tenant.archive.get(company.id, logo_file(digest)) if digest else None


def _plain_png(file: bytes) -> bytes:
    """A PNG of 8 bits in RGB without transparency, interlacing or anything that is not seen."""
    if len(file) > _MOST_BYTES:
        raise invalid_field("file", _UNUSABLE)
    image = _on_white(_decoded(file))
    image.thumbnail(_FITTED)
    written = BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


def _decoded(file: bytes) -> Image.Image:
    try:
        # Only the header is read here: an image that is too large is never unpacked.
        image = Image.open(BytesIO(file), formats=_FORMATS)
        if image.width * image.height > _MOST_PIXELS:
            raise ValueError(f"{image.size} are too many pixels")
        image.load()
        # A camera may have said which side is up instead of turning the picture.
        return ImageOps.exif_transpose(image)
    except Exception as error:
        # Decoders stumble over a broken file in every way there is.
        raise invalid_field("file", _UNUSABLE) from error


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode == "I;16":
        # Pillow would cut off shades of 16 bits instead of bringing them to 8.
        image = image.point(lambda shade: shade / 256, "L")
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")


def _no_logo() -> Refusal:
    return not_found("A empresa não tem logotipo.")
