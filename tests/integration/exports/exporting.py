"""Helpers for tests of exports: archives and CSV files as their receivers read them."""

import csv
from collections.abc import AsyncGenerator
from datetime import UTC, date, datetime
from io import BytesIO, StringIO
from uuid import UUID
from zipfile import ZipFile

from carimbo.fiscal.local_time import local_day
from carimbo.service.companies.registration import find_company
from carimbo.service.exports.csv_files import CsvFile
from carimbo.service.exports.links import OpenedExport, start_export, stream_export
from carimbo.service.exports.month import ExportContent
from carimbo.service.services import Services
from carimbo.storage.companies import CompanyRow
from integration.issuing.shop import Shop

XML, XML_AND_PDF = ExportContent.XML, ExportContent.XML_AND_PDF
LAST_FILES = ["indice.csv", "LEIA-ME.txt"]


def services_of(shop: Shop) -> Services:
    services: Services = shop.system.app.state.services
    return services


async def company_of(shop: Shop) -> CompanyRow:
    return await find_company(shop.system.database, shop.caller.subscription_id, UUID(shop.id))


def this_month() -> date:
    """Returns the first day of the month in which documents are issued now."""
    return local_day(datetime.now(UTC), "SP").replace(day=1)


async def started(shop: Shop, content: ExportContent = XML, month: date | None = None) -> OpenedExport:
    """Starts a download of a month."""
    return await start_export(
        shop.system.database,
        shop.caller.subscription_id,
        UUID(shop.id),
        month or this_month(),
        content,
        datetime.now(UTC),
    )


def pieces_of(shop: Shop, opened: OpenedExport) -> AsyncGenerator[bytes, None]:
    services = services_of(shop)
    return stream_export(services.database, services.printouts, opened, datetime.now(UTC))


async def unzipped(shop: Shop, opened: OpenedExport) -> dict[str, bytes]:
    """Downloads an archive; returns its files by name, in their order."""
    content = b"".join([piece async for piece in pieces_of(shop, opened)])
    with ZipFile(BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert len(set(archive.namelist())) == len(archive.namelist())
        return {name: archive.read(name) for name in archive.namelist()}


async def archive_of(shop: Shop, content: ExportContent = XML, month: date | None = None) -> dict[str, bytes]:
    """Downloads the archive of a month."""
    return await unzipped(shop, await started(shop, content, month))


def folder_of(title: str, status: str) -> str:
    return f"{title}/{this_month():%Y-%m}/{status}"


async def rows_of(file: CsvFile) -> list[dict[str, str]]:
    """Reads a CSV file; each row by the headings."""
    content = b"".join([chunk async for chunk in file.chunks])
    assert content.startswith(b"\xef\xbb\xbf")
    text = content.decode("utf-8-sig")
    assert text.count("\n") == text.count("\r\n")
    return list(csv.DictReader(StringIO(text, newline=""), delimiter=";"))


_COPIES = """
    with originals as (
        select number, md5($1::uuid || ':' || number)::uuid as id
        from generate_series(1, $2::integer) as number
    ), copied_documents as (
        insert into documents select copy.* from originals o, documents d, jsonb_populate_record(
            d, jsonb_build_object('id', o.id, 'idempotency_key', null, 'external_id', null)
        ) as copy where d.id = $1::uuid
    ), copied_emissions as (
        insert into emissions select copy.* from originals o, emissions e, jsonb_populate_record(
            e, jsonb_build_object(
                'document_id', o.id, 'number', 1000 + o.number,
                'access_key', left(e.access_key, 35) || lpad(o.number::text, 9, '0')
            )
        ) as copy where e.document_id = $1::uuid
    )
    insert into archive select copy.* from originals o, archive a, jsonb_populate_record(
        a, jsonb_build_object('owner_id', o.id)
    ) as copy where a.owner_id = $1::uuid
"""


async def copy_document(shop: Shop, document_id: str, copies: int) -> None:
    """Stores copies of a document that was authorized, with its files."""
    await shop.system.fetch(_COPIES, UUID(document_id), copies)
