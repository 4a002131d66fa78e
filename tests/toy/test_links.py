"""The links in an event open the files of its document without credentials, for a limited time."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from structlog.testing import CapturingLogger

from carimbo.service.services import Services
from integration.issuing.actions import cancel, events_of
from integration.issuing.shop import Shop, error_of
from support import BASE_URL, data_of
from toy.shop import KINDS

FILES = ["pdfUrl", "xmlUrl"]
of_every_type = pytest.mark.parametrize("document_type", KINDS)
of_both_files = pytest.mark.parametrize("file", FILES)


@dataclass(frozen=True)
class Linked:
    """An authorized document with the data of its event."""

    shop: Shop
    document: dict[str, Any]
    data: dict[str, Any]

    def link(self, file: str) -> str:
        """Returns a link relative to the API."""
        address = self.shop.system.settings.link_base
        assert self.data[file].startswith(f"{address}/files/")
        return str(self.data[file].removeprefix(address))


async def linked_document(shop: Shop, document_type: str = "toy") -> Linked:
    document = await shop.issue(document_type)
    *_, event = await events_of(shop.caller)
    return Linked(shop, document, event["data"])


@pytest.fixture
async def linked(shop: Shop) -> Linked:
    return await linked_document(shop)


class TestLink:
    @of_every_type
    async def test_link_opens_the_files_without_credentials(
        self, shop: Shop, anybody: httpx2.AsyncClient, document_type: str
    ) -> None:
        linked = await linked_document(shop, document_type)
        key = linked.document["accessKey"]
        pdf = await anybody.get(linked.link("pdfUrl"))
        own = await shop.get(f"/{document_type}/{linked.document['id']}/pdf")
        assert (pdf.status_code, pdf.headers["content-type"]) == (200, "application/pdf")
        assert pdf.content == own.content
        assert pdf.headers["content-disposition"] == f'inline; filename="TOY-{key}.pdf"'
        xml = await anybody.get(linked.link("xmlUrl"))
        assert (xml.status_code, xml.headers["content-type"]) == (200, "application/xml")
        assert xml.content == (await shop.get(f"/{document_type}/{linked.document['id']}/xml")).content
        assert xml.headers["content-disposition"] == f'attachment; filename="{key}.xml"'

    @of_both_files
    async def test_answer_forbids_shared_caches_and_robots(
        self, linked: Linked, anybody: httpx2.AsyncClient, file: str
    ) -> None:
        headers = (await anybody.get(linked.link(file))).headers
        # A caller may keep a PDF, and checks by its ETag whether it changed.
        assert headers["cache-control"] == ("private, no-cache" if file == "pdfUrl" else "no-store")
        assert headers["x-robots-tag"] == "noindex"
        assert headers["referrer-policy"] == "no-referrer"

    @of_both_files
    async def test_link_answers_a_head_request(
        self, linked: Linked, anybody: httpx2.AsyncClient, file: str
    ) -> None:
        head = await anybody.head(linked.link(file))
        read = await anybody.get(linked.link(file))
        assert head.status_code == 200
        assert head.headers["content-length"] == read.headers["content-length"]

    async def test_matching_etag_is_answered_without_the_pdf(
        self, linked: Linked, anybody: httpx2.AsyncClient
    ) -> None:
        version = (await anybody.get(linked.link("pdfUrl"))).headers["etag"]
        cached = await anybody.get(linked.link("pdfUrl"), headers={"If-None-Match": version})
        assert (cached.status_code, cached.content) == (304, b"")

    @of_both_files
    async def test_link_opens_a_canceled_document(
        self, linked: Linked, anybody: httpx2.AsyncClient, file: str
    ) -> None:
        assert (await cancel(linked.shop, linked.document)).status_code == 200
        *_, canceled = await events_of(linked.shop.caller)
        for link in (linked.link(file), replace(linked, data=canceled["data"]).link(file)):
            assert (await anybody.get(link)).status_code == 200

    @of_both_files
    async def test_link_works_after_the_company_is_deleted(
        self, linked: Linked, anybody: httpx2.AsyncClient, file: str
    ) -> None:
        data_of(await linked.shop.caller.http.delete(linked.shop.path()))
        assert (await anybody.get(linked.link(file))).status_code == 200

    @of_both_files
    async def test_link_expires(
        self, linked: Linked, anybody: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch, file: str
    ) -> None:
        services: Services = linked.shop.system.app.state.services
        moment = services.clock() + timedelta(days=7)
        later = replace(services, links=replace(services.links, clock=lambda: moment))
        monkeypatch.setattr(linked.shop.system.app.state, "services", later)
        answer = await anybody.get(linked.link(file))
        error_of(answer, 403, "LINK_INVALID")
        assert "peça outro a quem o enviou" in answer.json()["error"]["message"]
        assert answer.headers["cache-control"] == "no-store"

    @of_both_files
    async def test_signature_of_a_link_is_not_logged(
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
    async def test_link_with_another_documents_id_is_refused(
        self, linked: Linked, anybody: httpx2.AsyncClient, file: str
    ) -> None:
        other = await linked_document(linked.shop)
        wrong = linked.link(file).replace(linked.document["id"], other.document["id"])
        error_of(await anybody.get(wrong), 403, "LINK_INVALID")

    async def test_link_with_another_file_extension_is_refused(
        self, linked: Linked, anybody: httpx2.AsyncClient
    ) -> None:
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
    async def test_invented_link_is_refused(self, anybody: httpx2.AsyncClient, path: str) -> None:
        error_of(await anybody.get(path), 403, "LINK_INVALID")

    async def test_link_without_a_signature_is_refused_even_with_credentials(self, linked: Linked) -> None:
        path = linked.link("pdfUrl").partition("?")[0]
        error_of(await linked.shop.caller.http.get(path), 403, "LINK_INVALID")

    async def test_link_to_an_unknown_file_extension_is_not_found(self, anybody: httpx2.AsyncClient) -> None:
        error_of(await anybody.get("/files/a/b.html"), 404, "NOT_FOUND")

    async def test_link_allows_only_get_and_head(self, linked: Linked, anybody: httpx2.AsyncClient) -> None:
        answer = await anybody.delete(linked.link("pdfUrl"))
        error_of(answer, 405, "METHOD_NOT_ALLOWED")
        assert (answer.headers["allow"], str(answer.url)[: len(BASE_URL)]) == ("GET, HEAD", BASE_URL)
