"""The links in an event open the files of its document for anybody, for a limited time."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from structlog.testing import CapturingLogger

from carimbo.api.context import Services
from integration.issuing.actions import cancel, events_of
from integration.issuing.shop import Shop, error_of
from support import BASE_URL, data_of
from toy.shop import KINDS

FILES = ["pdfUrl", "xmlUrl"]
of_every_type = pytest.mark.parametrize("kind", KINDS)
of_both_files = pytest.mark.parametrize("file", FILES)


@dataclass(frozen=True)
class Linked:
    """An authorized document with the data of its event."""

    shop: Shop
    document: dict[str, Any]
    data: dict[str, Any]

    def link(self, file: str) -> str:
        """A link as a client of the tests' API takes it."""
        address = self.shop.floor.settings.link_base
        assert self.data[file].startswith(f"{address}/files/")
        return str(self.data[file].removeprefix(address))


async def linked_document(shop: Shop, kind: str = "toy") -> Linked:
    document = await shop.issue(kind)
    *_, event = await events_of(shop.caller)
    return Linked(shop, document, event["data"])


@pytest.fixture
async def linked(shop: Shop) -> Linked:
    return await linked_document(shop)


class TestLink:
    @of_every_type
    async def test_opens_the_files_without_credentials(
        self, shop: Shop, anybody: httpx2.AsyncClient, kind: str
    ) -> None:
        linked = await linked_document(shop, kind)
        key = linked.document["accessKey"]
        pdf = await anybody.get(linked.link("pdfUrl"))
        own = await shop.get(f"/{kind}/{linked.document['id']}/pdf")
        assert (pdf.status_code, pdf.headers["content-type"]) == (200, "application/pdf")
        assert pdf.content == own.content
        assert pdf.headers["content-disposition"] == f'inline; filename="TOY-{key}.pdf"'
        xml = await anybody.get(linked.link("xmlUrl"))
        assert (xml.status_code, xml.headers["content-type"]) == (200, "application/xml")
        assert xml.content == (await shop.get(f"/{kind}/{linked.document['id']}/xml")).content
        assert xml.headers["content-disposition"] == f'attachment; filename="{key}.xml"'

    @of_both_files
    async def test_is_for_neither_caches_nor_robots(
        self, linked: Linked, anybody: httpx2.AsyncClient, file: str
    ) -> None:
        headers = (await anybody.get(linked.link(file))).headers
        # A caller may keep a PDF, and asks by its ETag whether it changed.
        assert headers["cache-control"] == ("private, no-cache" if file == "pdfUrl" else "no-store")
        assert headers["x-robots-tag"] == "noindex"
        assert headers["referrer-policy"] == "no-referrer"

    @of_both_files
    async def test_answers_a_head_request(
        self, linked: Linked, anybody: httpx2.AsyncClient, file: str
    ) -> None:
        asked = await anybody.head(linked.link(file))
        read = await anybody.get(linked.link(file))
        assert asked.status_code == 200
        assert asked.headers["content-length"] == read.headers["content-length"]

    async def test_does_not_send_a_pdf_again_that_the_client_has(
        self, linked: Linked, anybody: httpx2.AsyncClient
    ) -> None:
        version = (await anybody.get(linked.link("pdfUrl"))).headers["etag"]
        cached = await anybody.get(linked.link("pdfUrl"), headers={"If-None-Match": version})
        assert (cached.status_code, cached.content) == (304, b"")

    @of_both_files
    async def test_opens_a_canceled_document(
        self, linked: Linked, anybody: httpx2.AsyncClient, file: str
    ) -> None:
        assert (await cancel(linked.shop, linked.document)).status_code == 200
        *_, canceled = await events_of(linked.shop.caller)
        for link in (linked.link(file), replace(linked, data=canceled["data"]).link(file)):
            assert (await anybody.get(link)).status_code == 200

    @of_both_files
    async def test_outlives_its_company(self, linked: Linked, anybody: httpx2.AsyncClient, file: str) -> None:
        data_of(await linked.shop.caller.http.delete(linked.shop.path()))
        assert (await anybody.get(linked.link(file))).status_code == 200

    @of_both_files
    async def test_expires(
        self, linked: Linked, anybody: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch, file: str
    ) -> None:
        services: Services = linked.shop.floor.app.state.services
        moment = services.clock() + timedelta(days=7)
        later = replace(services, links=replace(services.links, clock=lambda: moment))
        monkeypatch.setattr(linked.shop.floor.app.state, "services", later)
        answer = await anybody.get(linked.link(file))
        error_of(answer, 403, "LINK_INVALID")
        assert "peça outro a quem o enviou" in answer.json()["error"]["message"]
        assert answer.headers["cache-control"] == "no-store"

    @of_both_files
    async def test_is_in_no_log(
        self, linked: Linked, anybody: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch, file: str
    ) -> None:
        log = CapturingLogger()
        monkeypatch.setattr("carimbo.api.middleware._log", log)
        link = linked.link(file)
        for opened in (link, link.replace("expires=", "expires=1")):
            await anybody.get(opened)
        assert [line.kwargs["status"] for line in log.calls] == [200, 403]
        assert link.partition("signature=")[2] not in repr(log.calls)


class TestWrongLink:
    @of_both_files
    async def test_to_another_document_is_refused(
        self, linked: Linked, anybody: httpx2.AsyncClient, file: str
    ) -> None:
        other = await linked_document(linked.shop)
        wrong = linked.link(file).replace(linked.document["id"], other.document["id"])
        error_of(await anybody.get(wrong), 403, "LINK_INVALID")

    async def test_to_another_file_is_refused(self, linked: Linked, anybody: httpx2.AsyncClient) -> None:
        error_of(await anybody.get(linked.link("pdfUrl").replace(".pdf", ".xml")), 403, "LINK_INVALID")

    @pytest.mark.parametrize(
        "path",
        [
            "/files/a/b.pdf",
            "/files/a/b.xml?expires=1&signature=x",
            "/files/a/b.xml?expires=%00&signature=%ff",
            "/files/%2e%2e/b.pdf?expires=99999999999999999999999&signature=" + "A" * 43,
        ],
    )
    async def test_that_is_invented_is_refused(self, anybody: httpx2.AsyncClient, path: str) -> None:
        error_of(await anybody.get(path), 403, "LINK_INVALID")

    async def test_is_refused_to_its_owner_too(self, linked: Linked) -> None:
        path = linked.link("pdfUrl").partition("?")[0]
        error_of(await linked.shop.caller.http.get(path), 403, "LINK_INVALID")

    async def test_to_an_unknown_kind_of_file_is_not_found(self, anybody: httpx2.AsyncClient) -> None:
        error_of(await anybody.get("/files/a/b.html"), 404, "NOT_FOUND")

    async def test_can_only_be_read(self, linked: Linked, anybody: httpx2.AsyncClient) -> None:
        answer = await anybody.delete(linked.link("pdfUrl"))
        error_of(answer, 405, "METHOD_NOT_ALLOWED")
        assert (answer.headers["allow"], str(answer.url)[: len(BASE_URL)]) == ("GET, HEAD", BASE_URL)
