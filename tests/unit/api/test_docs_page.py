"""The pages of the documentation, from a small contract with every construct and from our own."""

import json
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urldefrag, urljoin

import pytest

from carimbo.api.docs_contract import events_of, operations_of
from carimbo.api.docs_page import ERRORS, EVENTS, OVERVIEW, SEARCH_INDEX, inline, prose, render_docs, slug
from unit.api.docs_contracts import our_contract, small_contract

VOID = {"meta", "link", "wbr", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """What a browser would see: texts by the article that they stand in, ids, addresses and open elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self._open: list[tuple[str, str]] = []
        self.feed(html)
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.addresses += [given[name] for name in ("src", "href", "action", "srcset") if name in given]
        if tag not in VOID:
            self._open.append((tag, given.get("id", "")))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        for name in [name for tag, name in self._open if tag in ("article", "main") and name]:
            self.texts[name] = self.texts.get(name, "") + data

    def words(self, name: str) -> str:
        return " ".join(self.texts[name].split())


@cache
def our_pages() -> dict[str, str]:
    return render_docs(our_contract())


@cache
def small_pages() -> dict[str, str]:
    return render_docs(small_contract())


def html_pages(pages: dict[str, str]) -> dict[str, Page]:
    return {name: Page(html) for name, html in pages.items() if name != SEARCH_INDEX}


@pytest.fixture(scope="module")
def overview() -> Page:
    return Page(small_pages()[OVERVIEW])


@pytest.fixture(scope="module")
def orders() -> Page:
    return Page(small_pages()["pedidos"])


@pytest.fixture(scope="module")
def words() -> str:
    return Page(our_pages()[OVERVIEW]).words("conteudo")


PAGES = pytest.mark.parametrize("pages", [small_pages, our_pages], ids=["small", "ours"])


class TestPages:
    @pytest.mark.parametrize(
        ("contract", "rendered"),
        [(small_contract(), small_pages), (our_contract(), our_pages)],
        ids=["small", "ours"],
    )
    def test_every_operation_appears_with_its_method_path_parameters_and_fields(
        self, contract: dict[str, Any], rendered: Callable[[], dict[str, str]]
    ) -> None:
        pages = html_pages(rendered())
        operations = list(operations_of(contract))
        assert len(operations) == sum(map(len, contract["paths"].values()))
        for operation in operations:
            words = pages[slug(operation.tag)].words(operation.id)
            fields = [field.path for body in operation.bodies for field in body.fields]
            parameters = [parameter.field.path for parameter in operation.parameters]
            codes = [error.code for error in operation.errors]
            assert f"{operation.method} {operation.path} " in words
            assert {*fields, *parameters, *codes} <= set(words.split())

    @PAGES
    def test_only_link_to_pages_and_anchors_that_exist(self, pages: Callable[[], dict[str, str]]) -> None:
        read = {f"/docs/{name}".rstrip("/"): page for name, page in html_pages(pages()).items()}
        files = {"/openapi.yaml", "/openapi.json", "/docs/docs.css", "/docs/docs.js", "/docs/search.js"}
        for address, page in read.items():
            for link in page.addresses:
                target, anchor = urldefrag(urljoin(address, link))
                assert target in files | read.keys()
                assert not anchor or anchor in read[target].ids

    @PAGES
    def test_load_nothing_but_their_own_style_and_scripts(self, pages: Callable[[], dict[str, str]]) -> None:
        for name, html in pages().items():
            if name != SEARCH_INDEX:
                tags = Page(html).tags
                assert not {"img", "iframe", "object", "embed", "style"} & set(tags)
                assert (tags.count("link"), tags.count("script")) == (1, 2)
                assert " style=" not in html

    def test_ids_are_unique_on_every_page(self) -> None:
        for page in html_pages(our_pages()).values():
            assert len(page.ids) == len(set(page.ids))

    def test_say_that_they_are_in_portuguese(self) -> None:
        for name, html in small_pages().items():
            assert name == SEARCH_INDEX or '<html lang="pt-BR">' in html

    def test_escape_the_text_of_the_contract(self) -> None:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in small_pages()["pedidos"]
        assert "Segundo &lt;b&gt;parágrafo&lt;/b&gt;." in small_pages()[OVERVIEW]
        assert "Pequena &amp; boa" in small_pages()[OVERVIEW]

    def test_are_loaded_in_parts(self) -> None:
        """The one page of before had 2.3 MB."""
        sizes = {name: len(html.encode()) for name, html in our_pages().items()}
        assert sizes[OVERVIEW] < 50_000
        assert sizes[SEARCH_INDEX] < 300_000
        assert max(sizes.values()) < 600_000


class TestFolding:
    def test_long_bodies_show_objects_as_folds_with_addresses(self) -> None:
        page = Page(our_pages()["nf-e"])
        assert {"createNfe.recipient", "createNfe.items", "createNfe.items.icms"} <= set(page.ids)
        assert re.search(r"items\[\]\.icms \d+ campos", page.words("createNfe"))

    def test_no_open_table_has_more_rows_than_a_reader_can_take(self) -> None:
        for name, html in our_pages().items():
            for table in re.findall(r"<table.*?</table>", html, re.DOTALL) if name != SEARCH_INDEX else []:
                assert table.count("<tr") <= 90

    def test_short_bodies_stay_one_table(self) -> None:
        assert not [name for name in Page(our_pages()["inscricoes-estaduais"]).ids if "." in name]


class TestSearchIndex:
    def test_has_every_operation_with_its_page_and_field_names(self) -> None:
        entries = {entry["id"]: entry for entry in json.loads(our_pages()[SEARCH_INDEX])["operations"]}
        assert entries.keys() == {operation.id for operation in operations_of(our_contract())}
        created = entries["createNfe"]
        assert (created["method"], created["page"]) == ("POST", "nf-e")
        assert "cst" in created["fields"]["items[].icms"]
        assert "companyId" in created["fields"][""]

    def test_names_folds_that_the_page_has(self) -> None:
        for entry in json.loads(our_pages()[SEARCH_INDEX])["operations"]:
            ids = set(re.findall(r' id="([^"]+)"', our_pages()[entry["page"]]))
            assert {f"{entry['id']}.{fold}" for fold in entry["folds"]} <= ids


class TestOverview:
    def test_begins_with_title_version_and_description(self, overview: Page) -> None:
        words = overview.words("conteudo")
        assert words.startswith("Pequena & boa: documentação da API Versão 1.2.3")
        assert "Usa X-Trace." in words

    def test_keeps_the_anchors_of_the_time_when_all_was_one_page(self) -> None:
        ids = Page(our_pages()[OVERVIEW]).ids
        operations = [operation.id for operation in operations_of(our_contract())]
        events = [event.id for event in events_of(our_contract())]
        assert {*operations, *events, "autenticacao", "eventos", "erros", "conteudo"} <= set(ids)

    def test_first_call_needs_no_id_that_a_reader_does_not_have(self, words: str) -> None:
        assert 'Primeira chamada: Lista as empresas curl "$URL/v1/companies" ' in words

    def test_explains_both_credentials_with_a_call(self, overview: Page) -> None:
        words = overview.words("conteudo")
        assert "os cabeçalhos X-Api-Key e X-Api-Secret." in words
        assert 'export API_SECRET="..."' in words

    def test_tells_the_calls_before_a_document_in_their_order(self, words: str) -> None:
        calls = [
            "1. POST /v1/companies cadastra",
            "2. POST /v1/companies/{companyId}/state-registrations",
            "3. POST /v1/companies/{companyId}/certificate",
            "4. PUT /v1/companies/{companyId}/settings",
            "5. GET /v1/companies/{companyId}/status",
        ]
        places = [words.index(call) for call in calls]
        assert places == sorted(places)

    @pytest.mark.parametrize("source", [".carimbo/headers", "carimbo admin create-subscription"])
    def test_tells_where_credentials_come_from(self, words: str, source: str) -> None:
        assert source in words[: words.index("1. POST /v1/companies")]

    def test_says_how_a_new_company_starts_in_homologation(self, words: str) -> None:
        assert (
            '1. POST /v1/companies cadastra a empresa. Para testar, envie "environment": "homologation"'
            in words
        )
        assert "sem environment ela começa em produção, e warnings avisa" in words

    def test_names_the_csc_of_homologation(self, words: str) -> None:
        assert "em homologação, nfce.homologation.cscId e nfce.homologation.csc" in words


class TestGroupPage:
    def test_parameter_shows_place_limits_default_and_description(self, orders: Page) -> None:
        words = orders.words("readOrder")
        assert "orderId no caminho obrigatório texto formato uuid" in words
        assert "size na consulta inteiro de 1 a 100 padrão: 20 Quantos." in words

    def test_call_has_its_path_filled_in(self, orders: Page) -> None:
        assert 'curl "$URL/orders/01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b" \\' in orders.words("readOrder")

    def test_form_is_sent_part_by_part(self) -> None:
        words = Page(small_pages()["arquivos"]).words("sendFile")
        assert "file obrigatório arquivo O arquivo." in words
        assert '-F "file=@arquivo" \\ -F "password=texto"' in words

    def test_public_operation_is_called_without_credentials(self) -> None:
        assert "X-Api-Key" not in Page(small_pages()["geral"]).words("plantTree")

    def test_error_shows_status_code_and_message(self, orders: Page) -> None:
        assert "NOT_HERE 404 Não está aqui." in orders.words("readOrder")

    def test_shows_the_smallest_body_first_and_the_others_after_it(self) -> None:
        words = Page(our_pages()["nfs-e"]).words("createNfse")
        titles = ["Corpo mínimo", "Corpo completo", "Corpo mínimo da forma detalhada"]
        places = [words.index(f"requisicao.json · {title} {{") for title in titles]
        assert places == sorted(places)

    def test_search_is_encoded_by_curl(self) -> None:
        (search,) = [one for one in operations_of(our_contract()) if one.id == "searchNcm"]
        assert search.curl.startswith('curl -G "$URL/v1/utils/ncm" \\')
        assert '--data-urlencode "search=cerâmica"' in search.curl

    @pytest.mark.parametrize("operation_id", ["listNfe", "listCompanies", "listProducts"])
    def test_call_of_a_list_has_no_filters(self, operation_id: str) -> None:
        (listing,) = [
            operation for operation in operations_of(our_contract()) if operation.id == operation_id
        ]
        assert "--data-urlencode" not in listing.curl

    def test_call_for_a_product_has_an_id_that_its_pattern_accepts(self) -> None:
        (reading,) = [
            operation for operation in operations_of(our_contract()) if operation.id == "readProduct"
        ]
        assert re.search(r"/products/[0-7][0-9A-HJKMNP-TV-Z]{25}\"", reading.curl)

    def test_password_of_a_certificate_is_no_stand_in(self) -> None:
        assert '-F "password=senha"' in Page(our_pages()["certificado"]).words("uploadCertificate")

    @pytest.mark.parametrize("operation", ["changeSettings", "createWebhook"])
    def test_types_that_are_not_issued_yet_are_named_so(self, operation: str) -> None:
        (found,) = [one for one in operations_of(our_contract()) if one.id == operation]
        marked = {
            field.path.rpartition(".")[2].removesuffix("[]")
            for field in found.bodies[0].fields
            if "ainda não emitidos" in field.description
        }
        assert {"cte", "mdfe"} <= marked <= {"cte", "cteOs", "mdfe"}

    def test_every_field_of_a_new_company_that_asks_for_a_choice_is_explained(self) -> None:
        (found,) = [one for one in operations_of(our_contract()) if one.id == "createCompany"]
        told = {field.path: field.description for field in found.bodies[0].fields}
        assert told["taxId"] and told["taxRegime"] and told["pisCofinsRegime"]

    def test_a_company_that_has_work_under_way_is_known_to_stay(self) -> None:
        (found,) = [one for one in operations_of(our_contract()) if one.id == "deleteCompany"]
        assert ("409", "INVALID_STATE") in [(error.status, error.code) for error in found.errors]


class TestEventsAndErrors:
    def test_events_are_listed_with_one_example_of_each_form(self) -> None:
        words = Page(our_pages()[EVENTS]).words("conteudo")
        for name, event in our_contract()["webhooks"].items():
            told = event["post"]["description"].replace("`", "")
            assert f"{name} {told}" in words
        shown = re.findall('"event": "([a-z.]+)"', words)
        assert shown == ["nfe.authorized", "certificate.expiring", "webhook.test"]

    def test_error_of_several_operations_is_listed_once_with_its_details(self) -> None:
        words = Page(small_pages()[ERRORS]).words("conteudo")
        assert words.count("NOT_HERE 404") == 1
        assert words.endswith('NOT_HERE 404 Não está aqui. {"id": 7}')


class TestProse:
    def test_blank_lines_part_paragraphs_and_backticks_mark_code(self) -> None:
        assert prose("Um `a<b`.\n\nDois.") == "<p>Um <code>a&lt;b</code>.</p>\n<p>Dois.</p>"

    def test_no_text_makes_no_paragraph(self) -> None:
        assert prose("") == ""

    def test_a_single_backtick_stays(self) -> None:
        assert inline("um ` só") == "um ` só"
