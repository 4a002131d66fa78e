"""Reads files of the journal again that could not be read when they came: a newer release may know them."""

import asyncio
from datetime import timedelta

import structlog

from carimbo.fiscal.layouts.packed import MAX_PAGE_BYTES, unpack
from carimbo.fiscal.receiving import Receiving, UnreadFile
from carimbo.service.document_types import distributed_type
from carimbo.service.receiving.inbox import WHOLE_ANSWER, Inbox, ReadPage, read_file, read_page
from carimbo.storage.database import Database
from carimbo.storage.receptions import followers_of
from carimbo.storage.streams import (
    UntriedFile,
    delete_unread,
    files_to_try_again,
    keep_unread,
    mark_tried,
)

_log = structlog.get_logger("carimbo.receiving")
_PAUSE = timedelta(hours=20)
_AT_ONCE = 200


async def unread_files(database: Database) -> list[UntriedFile]:
    """Returns some files that could not be read, and were not tried in the last hours."""
    async with database.connection() as connection:
        return await files_to_try_again(connection, _PAUSE, _AT_ONCE)


async def read_again(database: Database, file: UntriedFile) -> None:
    """Reads a file again; if it can be read now, gives it to the companies that follow its stream."""
    _, receiving = distributed_type(file.service)
    async with database.connection() as connection:
        await mark_tried(connection, file)
        followers = await followers_of(connection, file.stream_id, file.ordinal)
    content = await _content(receiving, file)
    if not content.files:
        return
    for follower in followers:
        async with database.tenant(follower.subscription_id) as tenant:
            await tenant.received.lock(follower.company_id)
            inbox = Inbox(tenant, follower.company_id, file.environment, receiving)
            for read in content.files:
                await inbox.put(read)
    # Last: until then a crash only means that the file is read once more.
    async with database.transaction() as connection:
        await delete_unread(connection, file)
        await keep_unread(connection, file.stream_id, file.ordinal, content.unread)
    _log.info("unread_file_read", stream=str(file.stream_id), schema=file.schema, files=len(content.files))


async def _content(receiving: Receiving, file: UntriedFile) -> ReadPage:
    """Returns what can be read of a file now; an answer may have several documents."""
    xml = unpack(file.content, MAX_PAGE_BYTES)
    if xml is None:
        return ReadPage((), ())
    if file.schema == WHOLE_ANSWER:
        return await read_page(receiving, xml, file.tax_id)
    try:
        read = await asyncio.to_thread(read_file, receiving, file.schema, xml, file.tax_id, file.nsu)
    except UnreadFile:
        return ReadPage((), ())
    return ReadPage((read,), ())
