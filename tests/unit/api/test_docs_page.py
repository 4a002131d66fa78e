"""The pages of the documentation, from a small contract with every construct and from our own."""

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import urldefrag, urljoin

import pytest
from lxml import etree

from carimbo.api.docs_contract import events_of, operations_of
from carimbo.api.docs_page import ERRORS, EVENTS, OVERVIEW, SEARCH_INDEX, inline, prose, render_docs, slug
from unit.api.docs_contracts import our_contract, our_operations, small_contract

# What HTML may leave out and XML may not: the end of an empty element, and the value of an attribute.
EMPTY_ELEMENT = re.compile(r"<((?:meta|link|wbr|br|hr|img|input)\b[^>]*)>")
BARE_ATTRIBUTE = re.compile(r"(<[^<>]* (?:defer|hidden|open))(?=[ >])")


class Page:
    """What a browser would see: texts by the article that has them, ids, addresses and elements.

    It is read as XML, which refuses elements that do not end where they should.
    """

    def __init__(self, html: str) -> None:
        tags = EMPTY_ELEMENT.sub(r"<\1/>", html.removeprefix("<!doctype html>\n"))
        elements = list(etree.fromstring(BARE_ATTRIBUTE.sub(r'\1=""', tags)).iter())
        self.tags = [str(element.tag) for element in elements]
        self.ids = [str(element.attrib["id"]) for element in elements if "id" in element.attrib]
        self.addresses = [
            str(element.attrib[name])
            for element in elements
            for name in ("src", "href", "action", "srcset")
            if name in element.attrib
        ]
        articles = [element for element in elements if element.tag in ("article", "main")]
        self.texts = {article.get("id", ""): "".join(map(str, article.itertext())) for article in articles}

    def words(self, name: str) -> str:
        return " ".join(self.texts[name].split())


@cache
def our_pages() -> dict[str, str]:
    return render_docs(our_contract())


@cache
def small_pages() -> dict[str, str]:
    return render_docs(small_contract())


@cache
def parsed(rendered: Callable[[], dict[str, str]]) -> dict[str, Page]:
    return {name: Page(html) for name, html in rendered().items() if name != SEARCH_INDEX}


def our_page(name: str) -> Page:
    return parsed(our_pages)[name]


def small_page(name: str) -> Page:
    return parsed(small_pages)[name]


BOTH = pytest.mark.parametrize("rendered", [small_pages, our_pages], ids=["small", "ours"])


class TestPages:
    @pytest.mark.parametrize(
        ("contract_of", "rendered"), [(small_contract, small_pages), (our_contract, our_pages)]
    )
    def test_every_operation_appears_with_its_method_path_parameters_and_fields(
        self, contract_of: Callable[[], dict[str, Any]], rendered: Callable[[], dict[str, str]]
    ) -> None:
        contract, missing = contract_of(), {}
        operations = list(operations_of(contract))
        assert len(operations) == sum(map(len, contract["paths"].values()))
        for operation in operations:
            words = parsed(rendered)[slug(operation.tag)].words(operation.id)
            fields = [field.path for body in operation.bodies for field in body.fields]
            parameters = [parameter.field.path for parameter in operation.parameters]
            codes = [error.code for error in operation.errors]
            missing[operation.id] = {*fields, *parameters, *codes} - set(words.split())
            if f"{operation.method} {operation.path} " not in words:
                missing[operation.id].add(operation.path)
        assert {name: names for name, names in missing.items() if names} == {}

    @BOTH
    def test_pages_only_link_to_existing_pages_and_anchors(
        self, rendered: Callable[[], dict[str, str]]
    ) -> None:
        ids = {f"/docs/{name}".rstrip("/"): {"", *page.ids} for name, page in parsed(rendered).items()}
        files = ("/openapi.yaml", "/openapi.json", "/docs/docs.css", "/docs/docs.js", "/docs/search.js")
        ids |= {file: {""} for file in files}
        broken = []
        for name, page in parsed(rendered).items():
            for link in page.addresses:
                target, anchor = urldefrag(urljoin(f"/docs/{name}".rstrip("/"), link))
                if anchor not in ids.get(target, ()):
                    broken.append((name, link))
        assert broken == []

    @BOTH
    def test_pages_load_only_their_own_style_and_scripts_and_have_unique_ids(
        self, rendered: Callable[[], dict[str, str]]
    ) -> None:
        for name, page in parsed(rendered).items():
            assert not {"img", "iframe", "object", "embed", "style"} & set(page.tags), name
            assert (page.tags.count("link"), page.tags.count("script")) == (1, 2), name
            assert " style=" not in rendered()[name], name
            assert len(page.ids) == len(set(page.ids)), name

    def test_pages_escape_the_text_of_the_contract(self) -> None:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in small_pages()["pedidos"]
        assert "Segundo &lt;b&gt;parágrafo&lt;/b&gt;." in small_pages()[OVERVIEW]
        assert "Pequena &amp; boa" in small_pages()[OVERVIEW]

    def test_pages_are_loaded_in_parts(self) -> None:
        sizes = {name: len(html.encode()) for name, html in our_pages().items()}
        assert sizes[OVERVIEW] < 60_000
        assert sizes[SEARCH_INDEX] < 400_000
        assert max(sizes.values()) < 600_000


class TestFolding:
    def test_long_bodies_show_objects_as_folds_with_addresses(self) -> None:
        page = our_page("nf-e")
        assert {"createNfe.recipient", "createNfe.items", "createNfe.items.icms"} <= set(page.ids)
        assert re.search(r"items\[\]\.icms \d+ campos", page.words("createNfe"))

    def test_no_open_table_has_more_rows_than_a_reader_can_take(self) -> None:
        for name, html in our_pages().items():
            for table in re.findall(r"<table.*?</table>", html, re.DOTALL) if name != SEARCH_INDEX else []:
                assert table.count("<tr") <= 90

    def test_short_bodies_stay_one_table(self) -> None:
        assert not [name for name in our_page("inscricoes-estaduais").ids if "." in name]


class TestSearchIndex:
    def test_search_index_has_every_operation_with_its_page_and_field_names(self) -> None:
        entries = {entry["id"]: entry for entry in json.loads(our_pages()[SEARCH_INDEX])["operations"]}
        assert entries.keys() == our_operations().keys()
        created = entries["createNfe"]
        assert (created["method"], created["page"]) == ("POST", "nf-e")
        assert "cst" in created["fields"]["items[].icms"]
        assert "companyId" in created["fields"][""]

    def test_search_index_names_folds_that_the_page_has(self) -> None:
        for entry in json.loads(our_pages()[SEARCH_INDEX])["operations"]:
            ids = set(re.findall(r' id="([^"]+)"', our_pages()[entry["page"]]))
            assert {f"{entry['id']}.{fold}" for fold in entry["folds"]} <= ids


class TestOverview:
    def test_overview_begins_with_title_version_and_description(self) -> None:
        words = small_page(OVERVIEW).words("conteudo")
        assert words.startswith("Pequena & boa: documentação da API Versão 1.2.3")
        assert "Usa X-Trace." in words

    def test_overview_keeps_the_anchors_of_the_former_single_page(self) -> None:
        ids = our_page(OVERVIEW).ids
        events = [event.id for event in events_of(our_contract())]
        assert {*our_operations(), *events, "autenticacao", "eventos", "erros", "conteudo"} <= set(ids)

    def test_overview_explains_both_credentials_with_a_call(self) -> None:
        words = small_page(OVERVIEW).words("conteudo")
        assert "os cabeçalhos X-Api-Key e X-Api-Secret." in words
        assert 'export API_SECRET="..."' in words

    def test_overview_lists_the_calls_before_a_document_in_their_order(self) -> None:
        words = our_page(OVERVIEW).words("conteudo")
        calls = [
            "1. POST /v1/companies cadastra",
            "2. POST /v1/companies/{companyId}/state-registrations",
            "3. POST /v1/companies/{companyId}/certificate",
            "4. PUT /v1/companies/{companyId}/settings",
            "5. GET /v1/companies/{companyId}/status",
        ]
        places = [words.index(call) for call in calls]
        assert places == sorted(places)
        assert 'Primeira chamada: Lista as empresas curl "$URL/v1/companies" ' in words


class TestGroupPage:
    def test_operation_shows_parameters_call_and_errors(self) -> None:
        words = small_page("pedidos").words("readOrder")
        assert "orderId no caminho obrigatório texto formato uuid" in words
        assert "size na consulta inteiro de 1 a 100 padrão: 20 Quantos." in words
        assert 'curl "$URL/orders/01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b" \\' in words
        assert "NOT_HERE 404 Não está aqui." in words

    def test_form_is_sent_part_by_part(self) -> None:
        words = small_page("arquivos").words("sendFile")
        assert "file obrigatório arquivo O arquivo." in words
        assert '-F "file=@arquivo" \\ -F "password=texto"' in words

    def test_public_operation_is_called_without_credentials(self) -> None:
        assert "X-Api-Key" not in small_page("geral").words("plantTree")

    def test_operation_shows_the_smallest_body_first_and_the_others_after_it(self) -> None:
        words = our_page("nfs-e").words("createNfse")
        titles = ["Corpo mínimo", "Corpo completo", "Corpo mínimo da forma detalhada"]
        places = [words.index(f"requisicao.json · {title} {{") for title in titles]
        assert places == sorted(places)

    def test_call_encodes_a_search_and_has_no_filters_in_a_list(self) -> None:
        search = our_operations()["searchNcm"].curl
        assert search.startswith('curl -G "$URL/v1/utils/ncm" \\')
        assert '--data-urlencode "search=cerâmica"' in search
        lists = ("listNfe", "listCompanies", "listProducts")
        assert [name for name in lists if "--data-urlencode" in our_operations()[name].curl] == []

    def test_call_for_a_product_has_an_id_that_its_pattern_accepts(self) -> None:
        assert re.search(r"/products/[0-7][0-9A-HJKMNP-TV-Z]{25}\"", our_operations()["readProduct"].curl)

    def test_deleting_a_company_may_be_refused_for_its_work_under_way(self) -> None:
        errors = [(error.status, error.code) for error in our_operations()["deleteCompany"].errors]
        assert ("409", "INVALID_STATE") in errors


class TestEventsAndErrors:
    def test_events_are_listed_with_one_example_of_each_form(self) -> None:
        words = our_page(EVENTS).words("conteudo")
        for name, event in our_contract()["webhooks"].items():
            description = event["post"]["description"].replace("`", "")
            assert f"{name} {description}" in words
        shown = re.findall('"event": "([a-z.]+)"', words)
        assert shown == ["nfe.authorized", "certificate.expiring", "webhook.test"]

    def test_error_of_several_operations_is_listed_once_with_its_details(self) -> None:
        words = small_page(ERRORS).words("conteudo")
        assert words.count("NOT_HERE 404") == 1
        assert words.endswith('NOT_HERE 404 Não está aqui. {"id": 7}')


class TestProse:
    def test_blank_lines_part_paragraphs_and_backticks_mark_code(self) -> None:
        assert prose("Um `a<b`.\n\nDois.") == "<p>Um <code>a&lt;b</code>.</p>\n<p>Dois.</p>"

    def test_no_text_makes_no_paragraph(self) -> None:
        assert prose("") == ""

    def test_a_single_backtick_stays(self) -> None:
        assert inline("um ` só") == "um ` só"
