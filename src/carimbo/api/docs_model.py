"""Reads JSON Schemas for the documentation: follows references, flattens fields, makes missing examples."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

Json = dict[str, Any]

_MAX_LIMIT_LENGTH = 60
_COMPOSING = ("$ref", "allOf", "anyOf", "oneOf")
_NO_REFERENCES: frozenset[str] = frozenset()
_KINDS = {
    "string": "texto",
    "integer": "inteiro",
    "number": "número",
    "boolean": "booleano",
    "object": "objeto",
    "array": "lista",
}
_FORMAT_EXAMPLES = {
    "uuid": "01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b",
    "date-time": "2026-01-31T15:00:00Z",
    "date": "2026-01-31",
    "email": "fiscal@example.com",
}
_WORDED = {
    "exclusiveMinimum": "maior que {}",
    "exclusiveMaximum": "menor que {}",
    "multipleOf": "múltiplo de {}",
    "format": "formato `{}`",
    "pattern": "expressão `{}`",
    "const": "sempre `{}`",
}


@dataclass(frozen=True)
class DocumentedField:
    """A field as a table row; `path` is dotted, with `[]` after the name of a list."""

    path: str
    type: str
    required: bool
    default: str
    limits: tuple[str, ...]
    description: str
    example: str


@dataclass(frozen=True)
class Node:
    """A schema whose references, `allOf` and single choices are merged into plain keywords."""

    keywords: Json
    contract: Json
    seen: frozenset[str]
    nullable: bool = False
    alternatives: tuple["Node", ...] = ()

    @property
    def json_type(self) -> str:
        """The JSON type, inferred from other keywords if it is not written."""
        inferred = {"properties": "object", "items": "array"}
        guesses = (json_type for keyword, json_type in inferred.items() if keyword in self.keywords)
        return str(self.keywords.get("type") or next(guesses, ""))

    @property
    def required(self) -> frozenset[str]:
        return frozenset(self.keywords.get("required", ()))

    @property
    def is_file(self) -> bool:
        return self.keywords.get("format") == "binary" or "contentMediaType" in self.keywords

    @property
    def items(self) -> "Node | None":
        return self._inside(self.keywords.get("items"))

    def children(self) -> dict[str, "Node"]:
        """Returns the fields of an object by name; the values of a map under a placeholder name."""
        schemas = {
            **self.keywords.get("properties", {}),
            "{chave}": self.keywords.get("additionalProperties"),
        }
        opened = {name: self._inside(schema) for name, schema in schemas.items()}
        return {name: node for name, node in opened.items() if node}

    def _inside(self, schema: Any) -> "Node | None":
        return read_schema(schema, self.contract, self.seen) if isinstance(schema, dict) else None


def read_schema(schema: Json, contract: Json, seen: frozenset[str] = _NO_REFERENCES) -> Node:
    """Merges a schema into one node; `seen` holds the references that led here, so that loops end."""
    node = Node({key: value for key, value in schema.items() if key not in _COMPOSING}, contract, seen)
    if "$ref" in schema:
        node = _merged(node, _referenced(schema["$ref"], contract, seen))
    for part in schema.get("allOf", ()):
        node = _merged(node, read_schema(part, contract, seen))
    return _with_options(node, [read_schema(option, contract, seen) for option in _options(schema)])


def fields_of(node: Node, prefix: str = "") -> Iterator[DocumentedField]:
    """Yields all fields of an object, of a list's items and of every alternative."""
    for name, child in node.children().items():
        yield field_of(child, prefix + name, name in node.required)
        yield from fields_of(child, f"{prefix}{name}.")
    if node.items:
        yield from fields_of(node.items, f"{prefix.removesuffix('.')}[].")
    for alternative in node.alternatives:
        yield from fields_of(alternative, prefix)


def field_of(node: Node, path: str, required: bool) -> DocumentedField:
    """Returns the table row of a single value."""
    default = None if "const" in node.keywords else node.keywords.get("default")
    return DocumentedField(
        path=path,
        type=type_of(node),
        required=required,
        # The default of an object repeats the defaults of its fields.
        default="" if isinstance(default, dict | None) else as_text(default),
        limits=tuple(dict.fromkeys(_limits(node))),
        description=node.keywords.get("description", ""),
        example=next(map(as_text, node.keywords.get("examples", ())), ""),
    )


def type_of(node: Node) -> str:
    """Returns the Portuguese name of a type."""
    if node.alternatives:
        name = " ou ".join(dict.fromkeys(map(type_of, node.alternatives)))
    elif node.items:
        item = type_of(node.items)
        name = f"lista de {item}s" if item in _KINDS.values() else f"lista de {item}"
    else:
        name = "arquivo" if node.is_file else _KINDS.get(node.json_type, "qualquer valor")
    return f"{name} ou null" if node.nullable else name


def answer_example(node: Node) -> Any:
    """Returns an example value with every field, preferring the values that the contract names."""
    values = _named_values(node)
    if values:
        return values[0]
    if node.alternatives:
        return answer_example(node.alternatives[0])
    if node.items:
        item = answer_example(node.items)
        return [] if item == {} else [item]
    if node.json_type != "object":
        return _placeholder(node)
    return {name: _field_example(child) for name, child in node.children().items()}


def _field_example(node: Node) -> Any:
    """Returns null for a nullable plain field without a value in the contract."""
    is_plain = node.json_type in ("string", "integer", "number", "boolean")
    return None if node.nullable and is_plain and not _named_values(node) else answer_example(node)


def as_text(value: Any) -> str:
    """Returns a value as text for a sentence."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def follow(reference: str, contract: Json) -> Json:
    """Returns the target of a local reference such as `#/components/schemas/Address`."""
    target = contract
    for step in reference.removeprefix("#/").split("/"):
        target = target[step.replace("~1", "/").replace("~0", "~")]
    return target


def _referenced(reference: str, contract: Json, seen: frozenset[str]) -> Node:
    if reference in seen:
        return Node({"type": "object"}, contract, seen)
    node = read_schema(follow(reference, contract), contract, seen | {reference})
    # A component's title and description are about the type, not about the field that uses it.
    plain = {key: value for key, value in node.keywords.items() if key not in ("title", "description")}
    return replace(node, keywords=plain)


def _options(schema: Json) -> list[Json]:
    types = schema.get("type")
    named = [{"type": name} for name in types] if isinstance(types, list) else []
    return schema.get("anyOf") or schema.get("oneOf") or named


def _with_options(node: Node, options: list[Node]) -> Node:
    """Merges a choice: null becomes a property of the node, and a single remaining option is merged."""
    if not options:
        return node
    real = [option for option in options if option.json_type != "null"]
    node = replace(node, nullable=node.nullable or len(real) < len(options))
    if len(real) == 1:
        plain = {key: value for key, value in node.keywords.items() if key != "type"}
        return _merged(replace(node, keywords=plain), real[0])
    return replace(node, alternatives=tuple(real))


def _merged(over: Node, under: Node) -> Node:
    """Merges two nodes: keywords of `over` win, fields and requirements are united."""
    keywords = {**under.keywords, **over.keywords}
    if "properties" in keywords:
        keywords["properties"] = {
            **under.keywords.get("properties", {}),
            **over.keywords.get("properties", {}),
        }
        keywords["required"] = [*under.required, *over.required]
    return Node(
        keywords,
        over.contract,
        over.seen | under.seen,
        over.nullable or under.nullable,
        over.alternatives or under.alternatives,
    )


def _limits(node: Node) -> Iterator[str]:
    keywords = node.keywords
    yield from _range_limits(keywords, "minLength", "maxLength", " caractere", " caracteres")
    yield from _range_limits(keywords, "minItems", "maxItems", " item", " itens")
    yield from _range_limits(keywords, "minimum", "maximum", "", "")
    for name, text in _WORDED.items():
        # A long expression helps readers less than the description and the example beside it.
        if name in keywords and len(limit := _limit_text(keywords[name])) <= _MAX_LIMIT_LENGTH:
            yield text.format(limit)
    if "enum" in keywords:
        yield "um de " + ", ".join(f"`{as_text(value)}`" for value in keywords["enum"])
    yield from chain.from_iterable(map(_limits, node.alternatives))
    if node.items:
        yield from (f"cada item: {limit}" for limit in _limits(node.items))


def _range_limits(keywords: Json, lowest: str, highest: str, singular: str, plural: str) -> Iterator[str]:
    low, high = _limit_text(keywords.get(lowest)), _limit_text(keywords.get(highest))
    if low == high != "null":
        yield f"{low}{singular if low == '1' else plural}"
    elif "null" not in (low, high):
        yield f"de {low} a {high}{plural}"
    elif high != "null":
        yield f"até {high}{singular if high == '1' else plural}"
    elif low != "null":
        yield f"no mínimo {low}{singular if low == '1' else plural}"


def _limit_text(value: Any) -> str:
    """Returns a limit as text; the framework turns some whole numbers into 1.0."""
    whole = isinstance(value, float) and value.is_integer()
    return as_text(int(value) if whole else value)


def _named_values(node: Node) -> list[Any]:
    """Returns the values that the contract names, the most useful first."""
    keywords = node.keywords
    # The example of an object is built from its fields, which shows more than its default.
    default = (
        []
        if keywords.get("default") in (None, [], {}) or node.json_type == "object"
        else [keywords["default"]]
    )
    constant = [keywords["const"]] if "const" in keywords else []
    return [*keywords.get("examples", ()), *constant, *default, *keywords.get("enum", ())]


def _placeholder(node: Node) -> Any:
    lowest = node.keywords.get("minimum", 1)
    text = _FORMAT_EXAMPLES.get(node.keywords.get("format", ""), "texto")
    return {"string": text, "integer": lowest, "number": lowest, "boolean": True, "array": []}.get(
        node.json_type
    )
