"""How the documentation page reads a schema: fields, type and examples."""

import json
from typing import Any

from carimbo.api.docs_model import answer_example, fields_of, read_schema, type_of
from unit.api.docs_contracts import our_operations, small_contract


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

    def test_limits_are_described_in_words(self) -> None:
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

    def test_component_gives_a_field_its_rules_but_not_its_description(self) -> None:
        assert self._fields()["color"].description == ""

    def test_a_schema_that_contains_itself_is_unfolded_once(self) -> None:
        contract = small_contract()
        tree = read_schema({"$ref": "#/components/schemas/Tree-Input"}, contract)
        assert [field.path for field in fields_of(tree)] == ["label", "branches"]

    def _fields(self) -> dict[str, Any]:
        node = read_schema({"$ref": "#/components/schemas/Order"}, small_contract())
        return {field.path: field for field in fields_of(node)}


class TestReadSchema:
    def test_all_of_combines_fields_and_requirements(self) -> None:
        first = {"properties": {"a": {"type": "string"}}, "required": ["a"]}
        second = {"properties": {"b": {"type": "integer"}}, "required": ["b"]}
        fields = list(fields_of(read_schema({"allOf": [first, second]}, {})))
        assert {(field.path, field.type, field.required) for field in fields} == {
            ("a", "texto", True),
            ("b", "inteiro", True),
        }

    def test_a_choice_names_its_options(self) -> None:
        schemas: dict[str, dict[str, Any]] = {
            "texto ou null": {"type": ["string", "null"]},
            "texto ou inteiro": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "número ou null": {"oneOf": [{"type": "number"}, {"type": "null"}]},
            "lista de texto ou null": {"type": "array", "items": {"type": ["string", "null"]}},
            "arquivo": {"type": "string", "format": "binary"},
            "qualquer valor": {},
        }
        names = {name: type_of(read_schema(schema, {})) for name, schema in schemas.items()}
        assert names == {name: name for name in schemas}

    def test_a_schema_that_only_refers_to_itself_is_shown_as_an_object(self) -> None:
        contract = {"components": {"schemas": {"Loop": {"$ref": "#/components/schemas/Loop"}}}}
        assert type_of(read_schema(contract["components"]["schemas"]["Loop"], contract)) == "objeto"


class TestAnswerExample:
    def test_the_example_of_a_whole_object_wins(self) -> None:
        schema = {"type": "object", "properties": {"a": {"type": "string"}}, "examples": [{"a": "b"}]}
        assert answer_example(read_schema(schema, {})) == {"a": "b"}

    def test_answer_example_has_every_field(self) -> None:
        node = read_schema({"$ref": "#/components/schemas/Order"}, small_contract())
        example = answer_example(node)
        assert list(example) == ["place", "items", "color", "amount", "remarks", "labels"]
        assert example["labels"] == {"{chave}": 1}

    def test_a_schema_that_contains_itself_is_unfolded_once(self) -> None:
        node = read_schema({"$ref": "#/components/schemas/Tree-Input"}, small_contract())
        assert answer_example(node) == {"label": "texto", "branches": []}

    def test_examples_of_our_answers_are_json_without_holes(self) -> None:
        answers = [answer for operation in our_operations().values() for answer in operation.answers]
        for content in [content for answer in answers for content in answer.contents]:
            if content.media_type == "application/json":
                assert json.loads(content.samples[0].text)["success"] is True
            else:
                assert content.samples == ()

    def test_only_an_answer_that_spares_the_file_has_no_body(self) -> None:
        answers = [answer for operation in our_operations().values() for answer in operation.answers]
        assert {answer.status for answer in answers if not answer.contents} == {"304"}
