"""Rows of another version, or damaged ones, do not cause internal errors."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import pytest
import structlog

from integration.issuing.actions import cancel
from integration.issuing.number_ledger import inutilize_numbers
from integration.issuing.shop import NFE, Shop, accepted, error_of
from integration.issuing.system import System
from support import data_of

SETTINGS = [
    '{"nfe": {"oldKey": 1}}',
    '{"nfe": {"paper": "zz"}}',
    '{"nfe": {"series": "x"}}',
    '{"nfe": "x"}',
    '{"nfce": {"active": "x"}}',
    '{"defaults": {"old": 1}}',
    '{"defaults": []}',
    '"x"',
]


async def damage(system: System, shop: Shop, statement: str) -> None:
    """Damages rows of a company; the new revision makes processes read the company again."""
    await system.fetch(statement.replace("COMPANY", f"'{UUID(shop.id)}'"))
    await system.fetch("update companies set revision = revision + 1 where id = $1", UUID(shop.id))


async def damage_settings(system: System, shop: Shop, settings: str) -> None:
    await damage(system, shop, f"update companies set settings = '{settings}' where id = COMPANY")


def unreadable_in(logs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [line for line in logs if line["event"] == "row_unreadable"]


class TestSettings:
    async def test_unreadable_settings_are_left_out(self, system: System, shop: Shop) -> None:
        issued, wrong = await shop.issue(), {}
        before = data_of(await shop.get("/settings"))
        for settings in SETTINGS:
            await damage_settings(system, shop, settings)
            with structlog.testing.capture_logs() as logs:
                after = data_of(await shop.get("/settings"))
            warned = {(line["table"], line["id"]) for line in unreadable_in(logs)}
            company = data_of(await shop.caller.http.get("/v1/company"))["settings"]
            ready = data_of(await shop.get("/status"))["companyId"]
            printed = (await shop.get(f"/nfe/{issued['id']}/pdf")).status_code
            answers = (after["nfe"], warned, company, ready, printed)
            if answers != (before["nfe"], {("companies", shop.id)}, after, shop.id, 200):
                wrong[settings] = answers
        assert wrong == {}

    @pytest.mark.parametrize(
        ("settings", "path"),
        [('{"nfe": {"oldKey": 1}}', "nfe.oldKey"), ('{"defaults": {"old": 1}}', "defaults.old")],
    )
    async def test_document_warns_about_unknown_settings(
        self, system: System, shop: Shop, settings: str, path: str
    ) -> None:
        await damage_settings(system, shop, settings)
        document = accepted(await shop.post("/nfe", NFE))
        assert any("não pôde ser lida" in warning and path in warning for warning in document["warnings"])

    @pytest.mark.parametrize(
        ("settings", "path"),
        [
            ('{"nfe": {"series": "x"}}', "nfe.series"),
            ('{"nfe": "x"}', "nfe"),
            ('{"defaults": {"origin": 5.5}}', "defaults.origin"),
        ],
    )
    async def test_invalid_setting_makes_the_company_not_ready(
        self, system: System, shop: Shop, settings: str, path: str
    ) -> None:
        await damage_settings(system, shop, settings)
        assert error_of(await shop.post("/nfe", NFE), 422, "COMPANY_NOT_READY")["missing"] == [path]

    async def test_change_of_settings_repairs_them(self, system: System, shop: Shop) -> None:
        wrong = {}
        for settings in SETTINGS:
            await damage_settings(system, shop, settings)
            shown = data_of(await shop.caller.http.put(shop.path("/settings"), json={"nfe": {"number": 40}}))
            with structlog.testing.capture_logs() as logs:
                read = data_of(await shop.get("/settings"))
            if (shown["nfe"]["number"], read, unreadable_in(logs)) != (40, shown, []):
                wrong[settings] = (shown, read, unreadable_in(logs))
        assert wrong == {}


class TestDocuments:
    async def test_damaged_documents_do_not_hide_the_others(self, system: System, shop: Shop) -> None:
        columns = ["environment = 'zz'", "type = 'zz'", "rejection = '\"x\"'", "rejection = '[1]'"]
        damaged = [await shop.issue() for _ in columns]
        for column, document in zip(columns, damaged, strict=True):
            await system.fetch(f"update documents set {column} where id = $1", UUID(document["id"]))
        good = await shop.issue()
        newest, *others = data_of(await shop.get("/invoices"))
        assert newest == good
        kept = [(document["id"], document["amount"]) for document in damaged]
        assert [(document["id"], document["amount"]) for document in reversed(others)] == kept
        warned = [any("não pôde ser lida" in text for text in record["warnings"]) for record in others]
        assert warned == [True] * len(columns)

    async def test_damaged_address_of_the_company_does_not_hide_its_documents(
        self, system: System, shop: Shop
    ) -> None:
        document, wrong = await shop.issue(), {}
        paths = ("/invoices", "/sales", "/numbering", "/status")
        for address in ('"x"', "[]", '{"a": 1}'):
            await damage(system, shop, f"update companies set address = '{address}' where id = COMPANY")
            statuses = {path: (await shop.get(path)).status_code for path in paths}
            documents = [record["id"] for record in data_of(await shop.get("/invoices"))]
            shown = data_of(await shop.caller.http.get("/v1/company"))["address"]
            missing = error_of(await shop.post("/nfe", NFE), 422, "COMPANY_NOT_READY")["missing"]
            answers = (statuses, documents, shown, "address" in missing)
            if answers != (dict.fromkeys(paths, 200), [document["id"]], None, True):
                wrong[address] = answers
        assert wrong == {}

    async def test_document_with_a_damaged_key_can_not_be_canceled_or_corrected(
        self, system: System, shop: Shop
    ) -> None:
        document = await shop.issue()
        key = document["accessKey"][:-1] + str((int(document["accessKey"][-1]) + 1) % 10)
        query = "update emissions set access_key = $2 where document_id = $1"
        await system.fetch(query, UUID(document["id"]), key)
        correction = {"correction": "O peso bruto correto é 12 kg."}
        for answer in (
            await cancel(shop, document),
            await shop.post(f"/nfe/{document['id']}/correction", correction),
        ):
            details = error_of(answer, 409, "INVALID_STATE")
            assert details == {"currentStatus": "authorized", "allowed": []}
            assert "chave de acesso guardada" in answer.json()["error"]["message"]

    @pytest.mark.parametrize(
        "statement",
        [
            "update archive set content = 'x' where owner_id = $1",
            "update archive set content = '<x/>' where owner_id = $1",
            "delete from archive where owner_id = $1",
        ],
    )
    async def test_damaged_archive_is_reported_instead_of_a_file(
        self, system: System, shop: Shop, statement: str
    ) -> None:
        document, paths = await shop.issue(), ("pdf", "items", "xml")
        await system.fetch(statement, UUID(document["id"]))
        answers = {path: await shop.get(f"/nfe/{document['id']}/{path}") for path in paths}
        details = {path: error_of(answer, 409, "INVALID_STATE") for path, answer in answers.items()}
        assert details == {key: {"currentStatus": "authorized", "allowed": []} for key in paths}
        for path, answer in answers.items():
            assert "XML guardado não pôde ser lido" in answer.json()["error"]["message"], path

    async def test_unreadable_body_is_a_warning(self, system: System, shop: Shop) -> None:
        document = await shop.issue()
        await system.fetch("update documents set request = '[' where id = $1", UUID(document["id"]))
        read = data_of(await shop.get(f"/nfe/{document['id']}", include="request"))
        assert read["request"] is None
        assert "não pôde ser lida" in read["warnings"][-1]


class TestLists:
    @pytest.mark.parametrize("column", ["type", "status"])
    async def test_unknown_value_in_the_history_is_shown_as_stored(
        self, system: System, shop: Shop, column: str
    ) -> None:
        document = await shop.issue()
        before = await shop.events(document)
        event_id = UUID(before[0]["id"])
        await system.fetch(f"update document_events set {column} = 'zz' where id = $1", event_id)
        assert await shop.events(document) == [before[0] | {column: "zz"}, *before[1:]]

    @pytest.mark.parametrize(
        ("columns", "shown"),
        [
            ("topic = 'nfe.lost'", {"type": "nfe", "status": "lost"}),
            ("topic = 'zz.authorized'", {"type": "zz", "status": "authorized"}),
            ("details = '\"x\"'", {"type": "nfe", "status": "authorized"}),
        ],
    )
    async def test_damaged_event_does_not_hide_the_others(
        self, system: System, shop: Shop, columns: str, shown: dict[str, Any]
    ) -> None:
        bad, good = await shop.issue(), await shop.issue()
        await system.fetch(f"update events set {columns} where document_id = $1", UUID(bad["id"]))
        first, second = data_of(await shop.caller.http.get("/v1/events"))
        assert (first["data"] | shown, second["data"]["id"]) == (first["data"], good["id"])

    @pytest.mark.parametrize(
        ("statement", "path"),
        [
            (
                "update inutilizations set environment = 'zz' where company_id = COMPANY",
                "/nfe/inutilizations",
            ),
            ("update number_sequences set environment = 'zz' where company_id = COMPANY", "/numbering"),
            ("update number_sequences set document_type = 'zz' where company_id = COMPANY", "/numbering"),
        ],
    )
    async def test_damaged_row_is_shown_with_its_readable_values(
        self, system: System, shop: Shop, statement: str, path: str
    ) -> None:
        data_of(await inutilize_numbers(shop, 1, 2))
        (before,) = data_of(await shop.get(path))
        await damage(system, shop, statement)
        (after,) = data_of(await shop.get(path))
        assert after["series"] == before["series"]
        assert "zz" in after.values()
