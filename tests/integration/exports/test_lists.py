"""Lists as CSV files."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from carimbo.fiscal.lifecycle import Status
from carimbo.service.audit import AuditQuery
from carimbo.service.documents.queries import DocumentQuery
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.exports import csv_files
from carimbo.service.exports.csv_files import CsvFile
from carimbo.service.exports.lists import (
    export_audit,
    export_authorities,
    export_companies,
    export_customers,
    export_deliveries,
    export_documents,
    export_gaps,
    export_inutilizations,
    export_products,
    export_sales,
    export_webhooks,
)
from carimbo.service.sales.record import SaleQuery
from carimbo.storage.deliveries import DeliveryFilter
from carimbo.storage.products import ProductFilter
from integration.exports.exporting import company_of, copy_document, rows_of
from integration.issuing.shop import REFUSED, Shop, sister_of
from integration.sales.store import COURSE, MUG, Store
from support import data_of


async def documents_of(shop: Shop, types: list[str] | None = None, **query: Any) -> list[dict[str, str]]:
    file = await export_documents(
        shop.system.database,
        shop.caller.subscription_id,
        await company_of(shop),
        types,
        DocumentQuery(**query),
    )
    return await rows_of(file)


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_files, "_PAGE_SIZE", 2)


async def test_documents_have_what_their_list_has(shop: Shop) -> None:
    document = await shop.issue("nfe")
    [row] = await documents_of(shop)
    assert (row["Tipo"], row["Situação"], row["Número"], row["Valor"]) == ("NF-e", "Autorizado", "1", "59,80")
    assert row["Chave de acesso"].replace(" ", "") == document["accessKey"]
    assert (row["CPF/CNPJ do destinatário"], row["Destinatário"]) == ("529.982.247-25", "Maria da Silva")
    assert row["Id"] == document["id"]


async def test_filters_are_those_of_the_list(shop: Shop) -> None:
    receipt, refused = await shop.issue("nfce"), await shop.issue("nfe", notes=REFUSED)
    assert [row["Id"] for row in await documents_of(shop, ["nfce"])] == [receipt["id"]]
    [row] = await documents_of(shop, status=Status.REJECTED)
    assert (row["Id"], row["Código da rejeição"]) == (refused["id"], "528")
    found_by_name = await documents_of(shop, search="maria")
    assert [row["Id"] for row in found_by_name] == [refused["id"]]
    by_number = await documents_of(shop, number=receipt["number"], series=receipt["series"])
    assert receipt["id"] in [row["Id"] for row in by_number]


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("query", [{}, {"search": "maria"}, {"series": 1}], ids=["all", "search", "series"])
async def test_new_documents_neither_repeat_nor_hide_others(shop: Shop, query: dict[str, Any]) -> None:
    document = await shop.issue("nfe")
    await copy_document(shop, document["id"], 6)
    file = await export_documents(
        shop.system.database,
        shop.caller.subscription_id,
        await company_of(shop),
        None,
        DocumentQuery(**query),
    )
    before = {str(row["id"]) for row in await shop.system.fetch("select id from documents")} & {
        row["Id"] for row in await documents_of(shop)
    }

    async def chunks() -> Any:
        async for chunk in file.chunks:
            yield chunk
            await shop.create("nfe")

    ids = [row["Id"] for row in await rows_of(CsvFile(file.name, chunks()))]
    assert len(before) == 7
    assert len(ids) == len(set(ids))
    assert before <= set(ids)


@pytest.mark.usefixtures("small_pages")
async def test_customer_named_like_a_formula_is_harmless(shop: Shop) -> None:
    body = {"name": "=cmd|' /C calc'!A0", "email": "maria@example.com", "document": "529.982.247-25"}
    names = [body["name"], "Ana Lima", 'Bia; "Reis"', "Caio Dias", "Davi Melo"]
    for number, name in enumerate(names):
        changes = {"name": name, "email": f"cliente{number}@example.com"}
        data_of(
            await shop.post(
                "/customers", {**changes, **({"document": body["document"]} if not number else {})}
            )
        )
    file = await export_customers(shop.system.database, shop.caller.subscription_id, await company_of(shop))
    rows = await rows_of(file)
    assert [row["Nome"] for row in rows] == [*reversed(names[1:]), f"'{names[0]}"]
    assert rows[-1]["CPF/CNPJ"] == "529.982.247-25"


@pytest.mark.usefixtures("small_pages")
async def test_lists_of_the_catalog_and_of_sales_are_complete(shop: Shop) -> None:
    store = Store(shop.system, shop.caller, shop.id)
    skus = [f"00{number}" for number in range(5)]
    for sku in skus:
        await store.stock(MUG | {"sku": sku})
    sales = [await store.draft(sku) for sku in skus]
    database, owner, company = shop.system.database, shop.caller.subscription_id, await company_of(shop)

    products = await rows_of(await export_products(database, owner, company, ProductFilter()))
    assert [(row["SKU"], row["Preço"]) for row in products] == [(f"'{sku}", "29,90") for sku in skus[::-1]]
    rows = await rows_of(await export_sales(database, owner, company, SaleQuery()))
    assert [row["Id"] for row in rows] == [sale["id"] for sale in sales[::-1]]
    assert {(row["Situação"], row["Valor"], row["Cliente"]) for row in rows} == {
        ("Rascunho", "29,90", "Maria da Silva")
    }


async def test_service_is_listed_with_its_code(shop: Shop) -> None:
    item = await Store(shop.system, shop.caller, shop.id).stock(COURSE | {"serviceItemCode": "01.05"})
    company = await company_of(shop)
    file = await export_products(shop.system.database, shop.caller.subscription_id, company, ProductFilter())
    [row] = await rows_of(file)
    assert (row["Código de serviço"], row["NCM"]) == (item["serviceItemCode"], "")


async def test_gaps_and_inutilizations_are_listed(shop: Shop) -> None:
    database, owner, company = shop.system.database, shop.caller.subscription_id, await company_of(shop)
    data_of(await shop.post("/nfe/inutilizations", {
        "series": 1, "numberStart": 1, "numberEnd": 2, "justification": "Falha do sistema de vendas",
    }))  # fmt: skip
    [row] = await rows_of(await export_inutilizations(database, owner, company))
    assert (row["Tipo"], row["Situação"], row["Do número"], row["Ao número"]) == (
        "NF-e", "Inutilizada", "1", "2"
    )  # fmt: skip

    await shop.issue("nfe", notes=REFUSED)
    [gap] = await rows_of(await export_gaps(database, owner, company, "nfe", datetime.now(UTC)))
    reason = "O documento com este número foi rejeitado."
    assert (gap["Série"], gap["Do número"], gap["Motivo"]) == ("1", "3", reason)


async def test_companies_are_only_those_that_the_person_may_see(shop: Shop) -> None:
    sister = await sister_of(shop)
    database, owner = shop.system.database, shop.caller.subscription_id
    everything = await rows_of(await export_companies(database, owner, None))
    assert {row["Id"] for row in everything} == {shop.id, sister.id}
    [only] = await rows_of(await export_companies(database, owner, [UUID(sister.id)]))
    assert only["Id"] == sister.id


async def test_deliveries_of_a_webhook_are_listed(shop: Shop) -> None:
    database, owner = shop.system.database, shop.caller.subscription_id
    webhook = data_of(await shop.caller.http.post(
        "/v1/webhooks", json={"url": "http://127.0.0.1:9/", "events": {"invoice": ["nfe.authorized"]}}
    ))  # fmt: skip
    await shop.issue("nfe")
    [row] = await rows_of(await export_deliveries(database, owner, UUID(webhook["id"]), DeliveryFilter()))
    assert (row["Evento"], row["Teste"]) == ("nfe.authorized", "Não")
    with pytest.raises(Refusal) as refused:
        await export_deliveries(database, owner, uuid4(), DeliveryFilter())
    assert refused.value.code is ErrorCode.NOT_FOUND


async def test_webhook_is_listed_with_its_last_delivery(shop: Shop) -> None:
    database, owner = shop.system.database, shop.caller.subscription_id
    body = {"name": "Loja", "url": "http://127.0.0.1:9/", "events": {"invoice": ["nfe.authorized"]}}
    webhook = data_of(await shop.caller.http.post("/v1/webhooks", json=body))
    [row] = await rows_of(await export_webhooks(database, owner))
    assert (row["Nome"], row["Ativo"], row["Eventos"]) == ("Loja", "Sim", "nfe.authorized")
    assert (row["Última entrega"], row["Id"]) == ("", webhook["id"])


async def test_authority_is_listed_with_its_last_authorization(shop: Shop) -> None:
    await shop.issue("nfe")
    database, reader = shop.system.database, shop.system.app.state.services.status_reader
    rows = await rows_of(await export_authorities(database, reader, shop.caller.subscription_id, None))
    seen = [row for row in rows if row["Documento"] == "NF-e" and row["Última autorização"]]
    assert [(row["Contingência"], row["Fora do ar"], row["Empresas"]) for row in seen] == [
        ("Não", "Não", "1")
    ]
    assert await rows_of(await export_authorities(database, reader, shop.caller.subscription_id, [])) == []


@pytest.mark.usefixtures("small_pages")
async def test_audit_says_which_lists_were_exported(shop: Shop) -> None:
    await documents_of(shop)
    database, owner = shop.system.database, shop.caller.subscription_id
    rows = await rows_of(await export_audit(database, owner, AuditQuery(action="export")))
    assert [row["O quê"] for row in rows][-1].startswith("Baixou documentos-")
    assert rows[0]["O quê"] == "Baixou registro.csv."
