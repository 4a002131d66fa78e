"""The refused lines as a file, and imports that fail for a reason that is not in their lines."""

import csv
from io import StringIO
from uuid import UUID

from carimbo.service.imports.refused_lines import refused_lines_file
from carimbo.service.imports.run import ImportRecord, cancel_import
from carimbo.service.maintenance import list_parked, resume_parked
from carimbo.storage.imports import ImportKind, ImportState
from integration.imports.files import (
    counts_of,
    database_of_ana,
    imported,
    products_of,
    read_again,
    sales_of,
    settled,
    upload,
    upload_bytes,
)
from integration.issuing.shop import Shop
from integration.sales.store import Store

PRODUCTS, SALES = ImportKind.PRODUCTS, ImportKind.SALES
TITLES = "SKU;Nome;Tipo;Categoria;Preço"


async def refused_file(shop: Shop, record: ImportRecord) -> bytes:
    file = await refused_lines_file(
        database_of_ana(shop), shop.caller.subscription_id, UUID(shop.id), record.id
    )
    return b"".join([chunk async for chunk in file.chunks])


def rows_in(content: bytes) -> list[list[str]]:
    return list(csv.reader(StringIO(content.decode("utf-8-sig"), newline=""), delimiter=";"))


class TestRefusedLines:
    async def test_file_has_the_refused_lines_with_their_reasons(self, shop: Shop) -> None:
        lines = ("a;Caneca;Produto;Casa;1", "=b;Copo;Produto;Casa;1.500", "c;Xi;Produto;Casa;x")
        content = await refused_file(shop, await imported(shop, PRODUCTS, TITLES, *lines))
        titles, ambiguous, wrong = rows_in(content)
        assert titles == ["Linha", "Motivo da recusa", *TITLES.split(";")]
        assert (ambiguous[0], ambiguous[2:]) == ("3", ["'=b", "Copo", "Produto", "Casa", "1.500"])
        assert ambiguous[1].startswith("Preço: Não se sabe se o ponto de 1.500")
        assert "Nome: " in wrong[1]
        assert "Preço: " in wrong[1]

    async def test_corrected_file_is_imported_and_refused_again_where_it_is_wrong(self, shop: Shop) -> None:
        first = await imported(shop, PRODUCTS, TITLES, "=b;Copo;Produto;Casa;1.500", "c;Jarra;Produto;Casa;x")
        content = await refused_file(shop, first)
        second = await settled(shop, await upload_bytes(shop, PRODUCTS, content.replace(b"1.500", b"1500")))
        assert counts_of(second) == (1, 0, 0, 1)
        assert (await products_of(shop))["=b"]["price"] == 1500
        titles, wrong = rows_in(await refused_file(shop, second))
        assert titles.count("Linha") == titles.count("Motivo da recusa") == 1
        assert wrong[2:] == ["c", "Jarra", "Produto", "Casa", "x"]

    async def test_all_lines_of_a_refused_sale_are_in_the_file(self, store: Store) -> None:
        buyer = "Maria da Silva;529.982.247-25"
        record = await imported(
            store,
            SALES,
            "Número no seu sistema;Cliente;CPF/CNPJ do cliente;SKU;Quantidade",
            f"1;{buyer};curso;1",
            f"2;{buyer};curso;1",
            "2;;;curso;um",
        )
        content = await refused_file(store, record)
        assert [row[0] for row in rows_in(content)[1:]] == ["3", "4"]
        corrected = await upload_bytes(store, SALES, content.replace(b"um\r\n", b"1\r\n"))
        assert counts_of(await settled(store, corrected)) == (1, 0, 0, 0)
        assert {len(sale["products"]) for sale in await sales_of(store)} == {1, 2}


class TestParked:
    async def parked(self, shop: Shop) -> ImportRecord:
        """Returns an import that failed in all attempts, because its file is damaged."""
        async with shop.system.worker_stopped():
            record = await upload(shop, PRODUCTS, TITLES, "a;Caneca;Produto;Casa;1")
            await shop.system.fetch("update imports set content = 'SKU' where id = $1", record.id)
        await shop.system.until(f"(select parked_reason is not null from imports where id = '{record.id}')")
        return await read_again(shop, record)

    async def test_import_that_fails_again_and_again_is_parked_and_can_be_resumed(self, shop: Shop) -> None:
        record = await self.parked(shop)
        assert (record.state, record.is_parked, record.is_processing) == (ImportState.PROCESSING, True, False)
        [parked] = await list_parked(shop.system.database, record.id)
        assert (parked.kind, parked.type, str(parked.company_id)) == ("import", "products", shop.id)
        content = f"{TITLES}\na;Caneca;Produto;Casa;1".encode()
        await shop.system.fetch("update imports set content = $2 where id = $1", record.id, content)
        assert await resume_parked(shop.system.database, record.id) == 1
        assert counts_of(await settled(shop, record)) == (1, 0, 0, 0)

    async def test_parked_import_can_be_canceled(self, shop: Shop) -> None:
        record = await self.parked(shop)
        canceled = await cancel_import(
            shop.system.database, shop.caller.subscription_id, UUID(shop.id), record.id
        )
        assert (canceled.state, canceled.is_parked) == (ImportState.CANCELED, False)
        assert await list_parked(shop.system.database, record.id) == []
