"""Received documents in archives and in CSV files."""

from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.receiving import Role
from carimbo.service.exports.lists import export_received
from carimbo.service.exports.month import count_archive
from carimbo.service.receiving.queries import ReceivedQuery
from integration.exports.exporting import (
    LAST_FILES,
    XML_AND_PDF,
    archive_of,
    company_of,
    folder_of,
    rows_of,
    services_of,
    this_month,
)
from integration.issuing.actions import correct
from integration.receiving.inbox import Buyer
from support import data_of


async def test_archive_has_received_documents_with_their_events(buyer: Buyer) -> None:
    bought = await buyer.buys()
    await buyer.sync()
    data_of(await correct(buyer.supplier, bought))
    await buyer.an_hour_passes()
    received = await buyer.only()
    files = await archive_of(buyer.shop, XML_AND_PDF)

    path, stem = f"/received-nfes/{received['id']}", f"Recebidos/{folder_of('NF-e', 'autorizados')}"
    xml = data_of(await buyer.shop.get(f"{path}/xml"))["xml"]
    assert files.pop(f"{stem}/{bought['accessKey']}.xml") == xml.encode()
    assert files.pop(f"{stem}/{bought['accessKey']}.pdf") == (await buyer.shop.get(f"{path}/pdf")).content
    events = data_of(await buyer.shop.get(f"{path}/events"))
    [letter] = [event for event in events if event["origin"] == "issuer"]
    [name] = [name for name in files if f"{bought['accessKey']}-110110-01" in name]
    assert files.pop(name) == (await buyer.shop.get(f"{path}/events/{letter['id']}/xml")).content
    assert list(files) == LAST_FILES
    assert "Recebido;NF-e;1;0;59,80" in files["indice.csv"].decode()
    assert not any(name.startswith("Recebidos/") for name in await archive_of(buyer.supplier))


async def test_document_of_which_only_the_summary_is_here_is_named_as_missing(buyer: Buyer) -> None:
    await buyer.shop.put_settings(received={"autoAcknowledge": False})
    bought = await buyer.buys()
    await buyer.sync()
    files = await archive_of(buyer.shop)
    assert list(files) == LAST_FILES
    name = f"Recebidos/{folder_of('NF-e', 'autorizados')}/{bought['accessKey']}.xml"
    assert f"{name}: Só há o resumo" in files["LEIA-ME.txt"].decode()
    database, owner = buyer.shop.system.database, buyer.shop.caller.subscription_id
    size = await count_archive(database, owner, await company_of(buyer.shop), this_month())
    assert (size.documents, size.files) == (1, len(LAST_FILES))


async def test_inbox_is_listed_with_its_filters(buyer: Buyer) -> None:
    bought = await buyer.buys()
    await buyer.sync()
    for query, is_listed in (
        (ReceivedQuery(), True),
        (ReceivedQuery(status="science", search="modelo"), True),
        (ReceivedQuery(search=bought["accessKey"]), True),
        (ReceivedQuery(status="confirmed"), False),
        (ReceivedQuery(search="outra"), False),
        (ReceivedQuery(role=Role.CARRIER), False),
    ):
        context, owner = services_of(buyer.shop).issuing, buyer.shop.caller.subscription_id
        file = await export_received(context, owner, await company_of(buyer.shop), NFE, query)
        keys = [row["Chave de acesso"].replace(" ", "") for row in await rows_of(file)]
        assert keys == ([bought["accessKey"]] if is_listed else []), query
