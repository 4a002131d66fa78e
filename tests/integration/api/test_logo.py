"""The logo of a company: valid images become a plain PNG, others are refused in one sentence."""

import asyncio
import hashlib
import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from uuid import UUID

import httpx2
import pytest
from PIL import Image

from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database
from support import Caller, code_of, data_of, fields_of

RED, WHITE = (255, 0, 0), (255, 255, 255)
SIGNATURE = b"\x89PNG\r\n\x1a\n"
MEGABYTE = 1024 * 1024
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'


def path_of(company_id: str) -> str:
    return f"/v1/companies/{company_id}/settings/logo"


async def upload(caller: Caller, company_id: str, image: bytes) -> httpx2.Response:
    return await caller.http.put(path_of(company_id), files={"file": ("logo.png", image, "image/png")})


async def stored_logo(caller: Caller, company_id: str) -> Image.Image:
    """Returns the stored logo."""
    answer = await caller.http.get(path_of(company_id))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png"), answer.text
    return Image.open(BytesIO(answer.content))


async def company_of(database: Database, caller: Caller, company_id: str) -> CompanyRow:
    async with database.autocommit(caller.subscription_id) as tenant:
        company = await tenant.companies.get(UUID(company_id), deleted_too=True)
    assert company is not None
    return company


async def files_of(database: Database, caller: Caller, company_id: str) -> list[str]:
    """Returns the names of a company's files in the archive."""
    async with database.connection() as connection:
        rows = await connection.fetch(
            "select name from archive where subscription_id = $1 and owner_id = $2",
            caller.subscription_id, UUID(company_id),
        )  # fmt: skip
    return [row["name"] for row in rows]


def written(image: Image.Image, form: str = "PNG", **options: object) -> bytes:
    file = BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def square(color: object = RED, mode: str = "RGB", size: tuple[int, int] = (40, 40)) -> Image.Image:
    return Image.new(mode, size, color)  # type: ignore[arg-type]


def claiming(width: int, height: int) -> bytes:
    """Returns a small PNG with this size in its header and data that unpacks to a megabyte."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(MEGABYTE))), (b"IEND", b""))
    )


def chunks_of(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the chunks of a PNG with their names."""
    position = len(SIGNATURE)
    while position < len(png):
        length, kind = struct.unpack_from(">I4s", png, position)
        yield kind, png[position + 8 : position + 8 + length]
        position += length + 12


def good_images() -> dict[str, bytes]:
    """Returns a red square in every accepted format."""
    return {
        "rgb": written(square()),
        "rgba": written(square(mode="RGBA")),
        "palette": written(square().convert("P")),
        "jpeg": written(square(), "JPEG", quality=95),
        "progressive": written(square(), "JPEG", progressive=True, quality=95),
        "cmyk": written(square().convert("CMYK"), "JPEG", quality=95),
    }


def bad_images() -> dict[str, bytes]:
    """Returns files that are no image, broken, of another format, or too large."""
    return {
        "empty": b"",
        "letter": b"x",
        "pdf": b"%PDF-1.7",
        "svg": SVG,
        "signature": SIGNATURE,
        "jpeg-signature": b"\xff\xd8\xff\xe0",
        "truncated": written(square())[:-30],
        "truncated-jpeg": written(square(), "JPEG")[:-100],
        "gif": written(square(), "GIF"),
        "bmp": written(square(), "BMP"),
        "webp": written(square(), "WEBP"),
        "tiff": written(square(), "TIFF"),
        "pixels": written(square(size=(2001, 2000)), "PNG"),
        "no-pixels": claiming(0, 0),
        "bomb": claiming(10_000, 10_000),
        "larger-bomb": claiming(100_000, 100_000),
        "largest-bomb": claiming(2**31 - 1, 2**31 - 1),
        "bytes": written(square()) + bytes(MEGABYTE),
    }


class TestUpload:
    async def test_logo_shows_the_uploaded_picture(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        wrong = []
        for name, image in good_images().items():
            data_of(await upload(caller, company_id, image))
            logo = await stored_logo(caller, company_id)
            color = logo.getpixel((20, 20))
            assert isinstance(color, tuple)
            is_red = all(abs(ours - given) < 4 for ours, given in zip(color, RED, strict=True))
            if not is_red or (logo.format, logo.mode, logo.size) != ("PNG", "RGB", (40, 40)):
                wrong.append((name, logo, color))
            data_of(await caller.http.delete(path_of(company_id)))
        assert wrong == []

    async def test_transparent_pixels_become_white(self, caller: Caller) -> None:
        image = square((0, 0, 0, 0), "RGBA")
        image.paste((255, 0, 0, 128), (0, 0, 20, 40))
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, written(image)))
        logo = await stored_logo(caller, company_id)
        assert (logo.getpixel((10, 20)), logo.getpixel((30, 20))) == ((255, 127, 127), WHITE)

    async def test_photograph_is_rotated_by_its_orientation(self, caller: Caller) -> None:
        orientation = Image.Exif()
        orientation[0x0112] = 6
        company_id = await caller.create_company()
        image = written(square(size=(40, 20)), "JPEG", exif=orientation)
        data_of(await upload(caller, company_id, image))
        assert (await stored_logo(caller, company_id)).size == (20, 40)

    async def test_sixteen_bit_shades_are_kept(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, written(square(0x8000, "I;16"))))
        assert (await stored_logo(caller, company_id)).getpixel((20, 20)) == (128, 128, 128)

    @pytest.mark.parametrize(
        ("size", "fitted"),
        [
            ((800, 400), (800, 400)),
            ((1600, 1600), (400, 400)),
            ((4000, 1000), (800, 200)),
            ((10, 5), (10, 5)),
            ((4_000_000, 1), (800, 1)),
        ],
    )
    async def test_only_large_images_are_shrunk(
        self, caller: Caller, size: tuple[int, int], fitted: tuple[int, int]
    ) -> None:
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, written(square(size=size))))
        assert (await stored_logo(caller, company_id)).size == fitted

    async def test_logo_is_stored_as_a_plain_png_without_metadata(self, caller: Caller) -> None:
        exif = Image.Exif()
        exif[0x010E] = "where it was taken"
        company_id = await caller.create_company()
        image = written(square(mode="RGBA"), dpi=(300, 300), exif=exif, icc_profile=b"x" * 200)
        data_of(await upload(caller, company_id, image))
        chunks = list(chunks_of((await caller.http.get(path_of(company_id))).content))
        assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
        depth, color, *_, interlacing = chunks[0][1][8:]
        assert (depth, color, interlacing) == (8, 2, 0)

    async def test_upload_answers_with_the_digest_of_the_stored_file(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        record = data_of(await upload(caller, company_id, written(square())))
        png = (await caller.http.get(path_of(company_id))).content
        assert record == {"companyId": company_id, "digest": hashlib.sha256(png).hexdigest()}

    async def test_new_logo_replaces_the_old_one(self, caller: Caller, database: Database) -> None:
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, written(square())))
        record = data_of(await upload(caller, company_id, written(square("blue"))))
        assert (await stored_logo(caller, company_id)).getpixel((20, 20)) == (0, 0, 255)
        assert await files_of(database, caller, company_id) == [f"logo/{record['digest']}"]

    async def test_second_upload_of_an_image_changes_nothing(
        self, caller: Caller, database: Database
    ) -> None:
        company_id = await caller.create_company()
        first, second = [data_of(await upload(caller, company_id, written(square()))) for _ in range(2)]
        assert first == second
        assert await files_of(database, caller, company_id) == [f"logo/{first['digest']}"]

    async def test_simultaneous_uploads_leave_one_logo(self, caller: Caller, database: Database) -> None:
        company_id = await caller.create_company()
        images = [written(square((shade, 0, 0))) for shade in range(8)]
        answers = await asyncio.gather(*(upload(caller, company_id, image) for image in images))
        digests = {data_of(answer)["digest"] for answer in answers}
        (name,) = await files_of(database, caller, company_id)
        digest = (await company_of(database, caller, company_id)).logo_digest
        assert name == f"logo/{digest}"
        assert digest in digests

    async def test_upload_creates_a_new_revision_of_the_company(
        self, caller: Caller, database: Database
    ) -> None:
        company_id = await caller.create_company()
        before = (await company_of(database, caller, company_id)).revision
        data_of(await upload(caller, company_id, written(square())))
        assert (await company_of(database, caller, company_id)).revision > before


class TestRefusal:
    async def test_invalid_image_is_refused_with_the_field(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        refusal = {"file": "Envie um PNG ou JPEG íntegro, de no máximo 1 MB e 4 megapixels."}
        wrong = {}
        for name, image in bad_images().items():
            answer = await upload(caller, company_id, image)
            if answer.status_code != 422 or fields_of(answer) != refusal:
                wrong[name] = answer.text
            elif (await caller.http.get(path_of(company_id))).status_code != 404:
                wrong[name] = "is kept"
        assert wrong == {}

    async def test_refused_upload_keeps_the_old_logo(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, written(square())))
        assert (await upload(caller, company_id, SVG)).status_code == 422
        assert (await stored_logo(caller, company_id)).getpixel((20, 20)) == RED

    async def test_damaged_file_causes_no_internal_error(self, caller: Caller) -> None:
        company_id, good = await caller.create_company(), written(square().convert("P"), "PNG")
        wrong = {}
        for position in range(len(SIGNATURE), 120, 3):
            broken = bytearray(good)
            broken[position] ^= 0xFF
            answer = await upload(caller, company_id, bytes(broken))
            if answer.status_code not in (200, 422):
                wrong[position] = answer.text
        assert wrong == {}

    async def test_form_without_a_file_is_refused(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        answer = await caller.http.put(path_of(company_id), files={"image": ("a.png", b"x")})
        assert fields_of(answer) == {"file": "Campo obrigatório.", "image": "Campo desconhecido."}

    async def test_upload_without_a_form_is_refused(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        answer = await caller.http.put(
            path_of(company_id), content=written(square()), headers={"Content-Type": "image/png"}
        )
        assert (answer.status_code, code_of(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")


class TestDelete:
    async def test_deletion_removes_the_logo(self, caller: Caller, database: Database) -> None:
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, written(square())))
        answer = await caller.http.delete(path_of(company_id))
        assert data_of(answer) == {"companyId": company_id, "deleted": True}
        assert (await caller.http.get(path_of(company_id))).status_code == 404
        assert await files_of(database, caller, company_id) == []

    async def test_deletion_without_a_logo_is_not_found(self, caller: Caller) -> None:
        answer = await caller.http.delete(path_of(await caller.create_company()))
        assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")

    async def test_deletion_of_the_company_removes_its_logo(self, caller: Caller, database: Database) -> None:
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, written(square())))
        data_of(await caller.http.delete(f"/v1/companies/{company_id}"))
        assert await files_of(database, caller, company_id) == []
        assert await caller.create_company() == company_id
        assert (await caller.http.get(path_of(company_id))).status_code == 404
