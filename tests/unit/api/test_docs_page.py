"""The documentation page, from a small contract with every construct and from our own."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from carimbo.api.docs_page import inline, operations_of, prose, render_docs
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


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(render_docs(small_contract()))


@pytest.fixture(scope="module")
def words() -> str:
    return Page(render_docs(our_contract())).words("conteudo")


class TestRenderDocs:
    @pytest.mark.parametrize("contract", [small_contract(), our_contract()], ids=["small", "ours"])
    def test_every_operation_appears_with_its_method_path_parameters_and_fields(
        self, contract: dict[str, Any]
    ) -> None:
        page = Page(render_docs(contract))
        operations = list(operations_of(contract))
        assert len(operations) == sum(map(len, contract["paths"].values()))
        for operation in operations:
            words = page.words(operation.id)
            fields = [field.path for body in operation.bodies for field in body.fields]
            parameters = [parameter.field.path for parameter in operation.parameters]
            codes = [error.code for error in operation.errors]
            assert f"{operation.method} {operation.path} " in words
            assert {*fields, *parameters, *codes} <= set(words.split())

    @pytest.mark.parametrize("contract", [small_contract(), our_contract()], ids=["small", "ours"])
    def test_nothing_is_loaded_from_anywhere(self, contract: dict[str, Any]) -> None:
        html = render_docs(contract)
        page = Page(html)
        anchors = {address[1:] for address in page.addresses if address.startswith("#")}
        others = {address for address in page.addresses if not address.startswith("#")}
        assert others == {"openapi.yaml", "openapi.json"}
        assert anchors <= set(page.ids)
        assert not {"img", "link", "iframe", "object", "embed"} & set(page.tags)
        assert not re.search(r"@import|url\(", html)

    def test_ids_are_unique(self) -> None:
        ids = Page(render_docs(our_contract())).ids
        assert len(ids) == len(set(ids))

    def test_the_page_says_that_it_is_in_portuguese(self) -> None:
        assert '<html lang="pt-BR">' in render_docs(small_contract())

    def test_text_of_the_contract_is_escaped(self) -> None:
        html = render_docs(small_contract())
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
        assert "Segundo &lt;b&gt;parágrafo&lt;/b&gt;." in html
        assert "Pequena &amp; boa" in html
        assert html.count("<script>") == 2

    def test_title_version_and_description_come_first(self, page: Page) -> None:
        words = page.words("conteudo")
        assert words.startswith("Pequena & boa: documentação da API Versão 1.2.3")
        assert "Usa X-Trace." in words

    def test_the_first_call_needs_no_id_that_a_reader_does_not_have(self) -> None:
        words = Page(render_docs(our_contract())).words("conteudo")
        assert 'Primeira chamada: Lista as empresas curl "$URL/v1/companies" ' in words

    def test_events_are_listed_with_one_example_of_each_form(self) -> None:
        contract = our_contract()
        _, words = Page(render_docs(contract)).words("conteudo").split("Eventos Cada evento chega")
        for name, event in contract["webhooks"].items():
            told = event["post"]["description"].replace("`", "")
            assert f"{name} {told}" in words
        shown = re.findall('"event": "([a-z.]+)"', words)
        assert shown == ["nfe.authorized", "certificate.expiring", "webhook.test"]

    def test_both_credentials_are_explained_with_a_call(self, page: Page) -> None:
        words = page.words("conteudo")
        assert "os cabeçalhos X-Api-Key e X-Api-Secret." in words
        assert 'export API_SECRET="..."' in words

    def test_a_parameter_shows_place_limits_default_and_description(self, page: Page) -> None:
        words = page.words("readOrder")
        assert "orderId no caminho obrigatório texto formato uuid" in words
        assert "size na consulta inteiro de 1 a 100 padrão: 20 Quantos." in words

    def test_a_call_has_its_path_filled_in(self, page: Page) -> None:
        assert 'curl "$URL/orders/01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b" \\' in page.words("readOrder")

    def test_a_form_is_sent_part_by_part(self, page: Page) -> None:
        words = page.words("sendFile")
        assert "file obrigatório arquivo O arquivo." in words
        assert '-F "file=@arquivo" \\ -F "password=texto"' in words

    def test_a_public_operation_is_called_without_credentials(self, page: Page) -> None:
        assert "X-Api-Key" not in page.words("plantTree")

    def test_an_error_shows_status_code_and_message(self, page: Page) -> None:
        assert "NOT_HERE 404 Não está aqui." in page.words("readOrder")

    def test_an_error_of_several_operations_is_listed_once_with_its_details(self, page: Page) -> None:
        words = page.words("conteudo")
        assert words.count("NOT_HERE 404") == 3
        assert words.endswith('NOT_HERE 404 Não está aqui. {"id": 7}')


class TestOurPage:
    """What somebody who reads nothing else has to find there."""

    def test_the_calls_before_a_document_are_told_in_their_order(self, words: str) -> None:
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
    def test_where_credentials_come_from_is_told(self, words: str, source: str) -> None:
        assert source in words[: words.index("1. POST /v1/companies")]

    def test_that_a_company_starts_in_production_is_told(self, words: str) -> None:
        assert "Ela começa em produção" in words

    def test_the_address_is_that_by_which_the_page_was_opened(self) -> None:
        html = render_docs(our_contract())
        assert 'export URL="<span id="endereco">' in html
        assert 'getElementById("endereco").textContent = location.href' in html

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


class TestProse:
    def test_blank_lines_part_paragraphs_and_backticks_mark_code(self) -> None:
        assert prose("Um `a<b`.\n\nDois.") == "<p>Um <code>a&lt;b</code>.</p>\n<p>Dois.</p>"

    def test_no_text_makes_no_paragraph(self) -> None:
        assert prose("") == ""

    def test_a_single_backtick_stays(self) -> None:
        assert inline("um ` só") == "um ` só"
