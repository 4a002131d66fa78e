"""The archive of a month: what it has, what it does not have, and how it is sent."""

import tracemalloc
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest

from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.exports.links import ExportState, MonthlyExport, read_export
from carimbo.service.exports.month import count_archive
from integration.exports.exporting import (
    LAST_FILES,
    XML_AND_PDF,
    archive_of,
    company_of,
    copy_document,
    folder_of,
    pieces_of,
    started,
    this_month,
    unzipped,
)
from integration.issuing.actions import cancel, correct
from integration.issuing.shop import REFUSED, Shop, sister_of
from support import data_of

TITLES = {document_type.name: document_type.title for document_type in DOCUMENT_TYPES}
COPIES = 999
PEAK = 2_500_000
"""More bytes than making an archive may take in memory; the archive itself is larger."""


async def test_archive_has_the_files_that_callers_download(shop: Shop) -> None:
    documents = [await shop.issue(document_type) for document_type in ("nfe", "nfce", "nfse", "cte")]
    files = await archive_of(shop, XML_AND_PDF)

    for document in documents:
        stem = f"{folder_of(TITLES[document['type']], 'autorizados')}/{document['accessKey']}"
        path = f"/{document['type']}/{document['id']}"
        assert files.pop(f"{stem}.xml") == (await shop.get(f"{path}/xml")).content
        assert files.pop(f"{stem}.pdf") == (await shop.get(f"{path}/pdf")).content
    assert list(files) == LAST_FILES


async def test_events_are_beside_their_document(shop: Shop) -> None:
    corrected, canceled = await shop.issue("nfe"), await shop.issue("nfe")
    data_of(await correct(shop, corrected))
    data_of(await cancel(shop, canceled))
    files = await archive_of(shop)

    authorized_folder, canceled_folder = folder_of("NF-e", "autorizados"), folder_of("NF-e", "cancelados")
    assert set(files) == {
        f"{authorized_folder}/{corrected['accessKey']}.xml",
        f"{authorized_folder}/CCe-{corrected['accessKey']}-01.xml",
        f"{canceled_folder}/{canceled['accessKey']}.xml",
        f"{canceled_folder}/Cancelamento-{canceled['accessKey']}.xml",
        *LAST_FILES,
    }
    [event] = [event for event in await shop.events(canceled) if event["type"] == "cancellation"]
    answer = await shop.get(f"/nfe/{canceled['id']}/events/{event['id']}/xml")
    assert answer.content == files[f"{canceled_folder}/Cancelamento-{canceled['accessKey']}.xml"]


async def test_archive_leaves_out_what_is_not_valid(shop: Shop) -> None:
    refused = await shop.issue("nfe", notes=REFUSED)
    assert refused["status"] == "rejected", refused
    assert list(await archive_of(shop)) == LAST_FILES


async def test_archive_has_one_company_one_environment_and_one_month(shop: Shop) -> None:
    sister = await sister_of(shop)
    own, other, earlier, other_environment = [
        await issuer.issue("nfe") for issuer in (shop, sister, shop, shop)
    ]
    # The last second of the month before, in São Paulo.
    last_second = datetime(this_month().year, this_month().month, 1, 2, 59, 59, tzinfo=UTC)
    await shop.system.fetch(
        "update emissions set issued_at = $2 where document_id = $1", UUID(earlier["id"]), last_second
    )
    await shop.system.fetch(
        "update emissions set environment = 'homologation' where document_id = $1",
        UUID(other_environment["id"]),
    )

    def names(files: dict[str, bytes]) -> list[str]:
        return [name.rpartition("/")[2].removesuffix(".xml") for name in files if name not in LAST_FILES]

    assert names(await archive_of(shop)) == [own["accessKey"]]
    assert names(await archive_of(sister)) == [other["accessKey"]]
    last_month = (this_month() - timedelta(days=1)).replace(day=1)
    assert names(await archive_of(shop, month=last_month)) == [earlier["accessKey"]]


async def test_file_that_cannot_be_read_is_named_and_the_others_are_there(shop: Shop) -> None:
    damaged, whole = await shop.issue("nfe"), await shop.issue("nfe")
    await shop.system.fetch(
        "update archive set content = '<NFe' where owner_id = $1 and name like 'authorization/%'",
        UUID(damaged["id"]),
    )
    files = await archive_of(shop)

    folder = folder_of("NF-e", "autorizados")
    assert list(files) == [f"{folder}/{whole['accessKey']}.xml", *LAST_FILES]
    read_me = files["LEIA-ME.txt"].decode("utf-8-sig")
    assert f"{folder}/{damaged['accessKey']}.xml: " in read_me
    assert "Arquivos que faltam: 1." in read_me
    assert whole["accessKey"] not in read_me


async def test_index_lists_every_document_and_ends_with_totals(shop: Shop) -> None:
    first, second, canceled = [await shop.issue("nfe") for _ in range(3)]
    data_of(await cancel(shop, canceled))
    index = (await archive_of(shop))["indice.csv"].decode("utf-8-sig").split("\r\n")

    assert index[0].startswith("Origem;Tipo;Situação;Número;")
    assert sorted(line.split(";")[2] for line in index[1:4]) == ["Autorizado", "Autorizado", "Cancelado"]
    assert [line.split(";")[10] for line in index[1:3]] == [
        f"{folder_of('NF-e', 'autorizados')}/{document['accessKey']}.xml" for document in (first, second)
    ]
    assert index[4:] == ["", "Totais", "Origem;Tipo;Válidos;Cancelados;Valor dos válidos",
                         "Emitido;NF-e;2;1;119,60", ""]  # fmt: skip


async def test_size_is_counted_before_the_archive_is_made(shop: Shop) -> None:
    canceled, _ = await shop.issue("nfe"), await shop.issue("nfse")
    data_of(await cancel(shop, canceled))
    size = await count_archive(
        shop.system.database,
        shop.caller.subscription_id,
        await company_of(shop),
        this_month(),
        XML_AND_PDF,
    )

    assert size.documents == 2
    assert size.files == len(await archive_of(shop, XML_AND_PDF))
    totals = {total.type: (total.valid, total.canceled, str(total.amount)) for total in size.totals}
    assert totals == {"nfe": (0, 1, "0.00"), "nfse": (1, 0, "59.80")}


async def test_month_that_has_not_begun_is_refused(shop: Shop) -> None:
    next_month = date(this_month().year + 1, 1, 1)
    with pytest.raises(Refusal) as refused:
        await started(shop, month=next_month)
    assert refused.value.code is ErrorCode.VALIDATION_ERROR


class TestManyDocuments:
    async def test_archive_is_sent_in_bounded_memory_with_its_progress(self, shop: Shop) -> None:
        document = await shop.issue("nfe")
        await copy_document(shop, document["id"], COPIES)
        opened = await started(shop)
        progress: set[tuple[ExportState, int, int]] = set()
        size = pieces = 0

        tracemalloc.start()
        try:
            async for piece in pieces_of(shop, opened):
                size, pieces = size + len(piece), pieces + 1
                if pieces in (1, 51, 101):
                    export = await _read(shop, opened.export.id)
                    progress.add((export.state, export.documents_done, export.documents_total))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < PEAK < size
        streaming = ExportState.STREAMING
        assert progress == {(streaming, 0, 1000), (streaming, 50, 1000), (streaming, 100, 1000)}
        export = await _read(shop, opened.export.id)
        assert (export.state, export.documents_done, export.downloads) == (ExportState.FINISHED, 1000, 1)

    async def test_download_that_stopped_is_shown_as_interrupted(self, shop: Shop) -> None:
        await shop.issue("nfe")
        opened = await started(shop)
        pieces = pieces_of(shop, opened)
        await anext(pieces)
        assert (await _read(shop, opened.export.id)).state is ExportState.STREAMING
        in_ten_minutes = datetime.now(UTC) + timedelta(minutes=10)
        assert (await _read(shop, opened.export.id, in_ten_minutes)).state is ExportState.INTERRUPTED

        assert LAST_FILES[0] in await unzipped(shop, opened)
        assert (await _read(shop, opened.export.id, in_ten_minutes)).state is ExportState.FINISHED


async def _read(shop: Shop, export_id: UUID, now: datetime | None = None) -> MonthlyExport:
    return await read_export(
        shop.system.database,
        shop.caller.subscription_id,
        UUID(shop.id),
        export_id,
        now or datetime.now(UTC),
    )
