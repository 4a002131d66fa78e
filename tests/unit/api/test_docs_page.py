"""The documentation page, from a small contract with every construct and from our own."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from functools import cache
from html.parser import HTMLParser
from typing import Annotated, Any
from uuid import UUID

import pytest
from fastapi import FastAPI, File, Form, Query, UploadFile
from pydantic import BaseModel, Field

from carimbo.api.app import create_app
from carimbo.api.docs_model import answer_example, fields_of, read_schema, request_example, type_of
from carimbo.api.docs_page import inline, operations_of, prose, render_docs
from carimbo.api.openapi import contract as contract_of

VOID = {"meta", "link", "wbr", "br", "hr", "img", "input"}


class Color(StrEnum):
    """Only programmers read this."""

    RED = "red"
    BLUE = "blue"


class Place(BaseModel):
    city: str = Field(max_length=60, examples=["São Paulo"])
    code: str | None = Field(default=None, pattern="^[0-9]{7}$", description="Veja `city`.")


class Item(BaseModel):
    name: str = Field(min_length=1)
    price: float = Field(gt=0, description="<script>alert(1)</script>")


class Order(BaseModel):
    place: Place
    items: list[Item] = Field(min_length=1, max_length=990)
    color: Color | None = None
    amount: int = Field(default=3, ge=1, le=9)
    remarks: str | None = None
    labels: dict[str, int] = {}


class Tree(BaseModel):
    label: str
    branches: list["Tree"]


REFUSAL = {"success": False, "error": {"code": "NOT_HERE", "message": "Não está aqui.", "details": {"id": 7}}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"content": {"application/json": {"examples": {"NOT_HERE": {"value": REFUSAL}}}}}
}


def small_contract() -> dict[str, Any]:
    app = FastAPI(
        title="Pequena & boa", version="1.2.3", description="Usa `X-Trace`.\n\nSegundo <b>parágrafo</b>."
    )

    @app.post("/orders", operation_id="createOrder", summary="Cria um pedido", tags=["Pedidos"])
    def create_order(body: Order) -> Order:
        return body

    @app.get("/orders/{orderId}", operation_id="readOrder", tags=["Pedidos"], responses=REFUSALS)
    def read_order(
        orderId: UUID,  # noqa: N803
        size: Annotated[int, Query(ge=1, le=100, description="Quantos.")] = 20,
    ) -> Order:
        pytest.fail("the page is made without calling anything")

    @app.put("/files", operation_id="sendFile", tags=["Arquivos"], responses=REFUSALS)
    def send_file(
        file: Annotated[UploadFile, File(description="O arquivo.")], password: Annotated[str, Form()]
    ) -> None:
        pytest.fail("the page is made without calling anything")

    @app.post("/trees", operation_id="plantTree")
    def plant_tree(body: Tree) -> Tree:
        return body

    contract = app.openapi()
    schemes = {
        name: {"type": "apiKey", "in": "header", "name": name} for name in ("X-Api-Key", "X-Api-Secret")
    }
    contract["components"]["securitySchemes"] = schemes
    contract["security"] = [{name: [] for name in schemes}]
    contract["paths"]["/trees"]["post"]["security"] = []
    return contract


@asynccontextmanager
async def _no_lifespan(_: FastAPI) -> AsyncIterator[None]:
    yield


@cache
def our_contract() -> dict[str, Any]:
    return contract_of(create_app(_no_lifespan, body_limit=1))


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
        assert html.count("<script>") == 1

    def test_title_version_and_description_come_first(self, page: Page) -> None:
        words = page.words("conteudo")
        assert words.startswith("Pequena & boa: documentação da API Versão 1.2.3")
        assert "Usa X-Trace." in words

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


class TestFieldsOf:
    def test_objects_lists_and_maps_are_flattened_in_order(self) -> None:
        assert list(self._fields()) == [
            "place",
            "place.city",
            "place.code",
            "items",
            "items[].name",
            "items[].price",
            "color",
            "amount",
            "remarks",
            "labels",
            "labels.{chave}",
        ]

    def test_types_are_named_in_portuguese(self) -> None:
        types = {path: field.type for path, field in self._fields().items()}
        assert types["place.code"] == "texto ou null"
        assert types["items"] == "lista de objetos"
        assert types["items[].price"] == "número"
        assert types["color"] == "texto ou null"

    def test_limits_are_told_in_words(self) -> None:
        limits = {path: field.limits for path, field in self._fields().items()}
        assert limits["place.city"] == ("até 60 caracteres",)
        assert limits["place.code"] == ("expressão `^[0-9]{7}$`",)
        assert limits["items"] == ("de 1 a 990 itens",)
        assert limits["items[].name"] == ("no mínimo 1 caractere",)
        assert limits["items[].price"] == ("maior que 0",)
        assert limits["color"] == ("um de `red`, `blue`",)
        assert limits["amount"] == ("de 1 a 9",)

    def test_requirement_default_and_example_are_kept(self) -> None:
        fields = self._fields()
        assert [path for path, field in fields.items() if field.required] == [
            "place",
            "place.city",
            "items",
            "items[].name",
            "items[].price",
        ]
        assert fields["amount"].default == "3"
        assert fields["place.city"].example == "São Paulo"

    def test_a_component_lends_its_rules_but_not_its_description(self) -> None:
        assert self._fields()["color"].description == ""

    def test_a_schema_that_contains_itself_ends(self) -> None:
        contract = small_contract()
        tree = read_schema({"$ref": "#/components/schemas/Tree-Input"}, contract)
        assert [field.path for field in fields_of(tree)] == ["label", "branches"]

    def _fields(self) -> dict[str, Any]:
        node = read_schema({"$ref": "#/components/schemas/Order"}, small_contract())
        return {field.path: field for field in fields_of(node)}


class TestReadSchema:
    def test_all_of_adds_fields_and_requirements_up(self) -> None:
        first = {"properties": {"a": {"type": "string"}}, "required": ["a"]}
        second = {"properties": {"b": {"type": "integer"}}, "required": ["b"]}
        fields = list(fields_of(read_schema({"allOf": [first, second]}, {})))
        assert {(field.path, field.type, field.required) for field in fields} == {
            ("a", "texto", True),
            ("b", "inteiro", True),
        }

    @pytest.mark.parametrize(
        ("schema", "name"),
        [
            ({"type": ["string", "null"]}, "texto ou null"),
            ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "texto ou inteiro"),
            ({"oneOf": [{"type": "number"}, {"type": "null"}]}, "número ou null"),
            ({"type": "array", "items": {"type": ["string", "null"]}}, "lista de texto ou null"),
            ({"type": "string", "format": "binary"}, "arquivo"),
            ({}, "qualquer valor"),
        ],
    )
    def test_a_choice_names_its_options(self, schema: dict[str, Any], name: str) -> None:
        assert type_of(read_schema(schema, {})) == name

    def test_a_reference_to_itself_ends(self) -> None:
        contract = {"components": {"schemas": {"Loop": {"$ref": "#/components/schemas/Loop"}}}}
        assert type_of(read_schema(contract["components"]["schemas"]["Loop"], contract)) == "objeto"


class TestRequestExample:
    def test_optional_fields_without_a_value_are_left_out(self) -> None:
        node = read_schema({"$ref": "#/components/schemas/Order"}, small_contract())
        assert request_example(node) == {
            "place": {"city": "São Paulo"},
            "items": [{"name": "texto", "price": 1}],
            "color": "red",
            "amount": 3,
        }

    def test_a_body_with_nothing_but_silent_options_shows_them_all(self) -> None:
        schema = {"type": "object", "properties": {"hours": {"type": "integer", "minimum": 2}}}
        assert request_example(read_schema(schema, {})) == {"hours": 2}

    def test_the_example_of_a_whole_object_wins(self) -> None:
        schema = {"type": "object", "properties": {"a": {"type": "string"}}, "examples": [{"a": "b"}]}
        assert request_example(read_schema(schema, {})) == {"a": "b"}


class TestAnswerExample:
    def test_every_field_is_there(self) -> None:
        node = read_schema({"$ref": "#/components/schemas/Order"}, small_contract())
        example = answer_example(node)
        assert list(example) == ["place", "items", "color", "amount", "remarks", "labels"]
        assert example["labels"] == {"{chave}": 1}

    def test_a_schema_that_contains_itself_ends(self) -> None:
        node = read_schema({"$ref": "#/components/schemas/Tree-Input"}, small_contract())
        assert answer_example(node) == {"label": "texto", "branches": []}

    def test_examples_of_our_answers_are_json_without_holes(self) -> None:
        answers = [answer for operation in operations_of(our_contract()) for answer in operation.answers]
        for content in [content for answer in answers for content in answer.contents]:
            if content.media_type == "application/json":
                assert json.loads(content.example)["success"] is True
            else:
                assert content.example == ""

    def test_only_an_answer_that_spares_the_file_has_no_body(self) -> None:
        answers = [answer for operation in operations_of(our_contract()) for answer in operation.answers]
        assert {answer.status for answer in answers if not answer.contents} == {"304"}


class TestProse:
    def test_blank_lines_part_paragraphs_and_backticks_mark_code(self) -> None:
        assert prose("Um `a<b`.\n\nDois.") == "<p>Um <code>a&lt;b</code>.</p>\n<p>Dois.</p>"

    def test_no_text_makes_no_paragraph(self) -> None:
        assert prose("") == ""

    def test_a_single_backtick_stays(self) -> None:
        assert inline("um ` só") == "um ` só"
