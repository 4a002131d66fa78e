"""JSON Schemas read for people: references followed, fields flattened, examples made where none is given."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

Json = dict[str, Any]

_LONGEST_LIMIT = 60
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
class Field:
    """A field as a line of a table; `path` is dotted, with `[]` after the name of a list."""

    path: str
    type: str
    required: bool
    default: str
    limits: tuple[str, ...]
    description: str
    example: str


@dataclass(frozen=True)
class Node:
    """A schema whose references, `allOf` and choices of one are folded into plain keywords."""

    keywords: Json
    contract: Json
    seen: frozenset[str]
    nullable: bool = False
    alternatives: tuple["Node", ...] = ()

    @property
    def kind(self) -> str:
        """The JSON type, told by the other keywords where it isn't written."""
        inferred = {"properties": "object", "items": "array"}
        guesses = (kind for keyword, kind in inferred.items() if keyword in self.keywords)
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
        """The fields of an object by name; those of a map under a name that stands for any."""
        schemas = {
            **self.keywords.get("properties", {}),
            "{chave}": self.keywords.get("additionalProperties"),
        }
        opened = {name: self._inside(schema) for name, schema in schemas.items()}
        return {name: node for name, node in opened.items() if node}

    def _inside(self, schema: Any) -> "Node | None":
        return read_schema(schema, self.contract, self.seen) if isinstance(schema, dict) else None


def read_schema(schema: Json, contract: Json, seen: frozenset[str] = _NO_REFERENCES) -> Node:
    """Fold a schema into one node; `seen` holds the references that led here, so that a loop ends."""
    node = Node({key: value for key, value in schema.items() if key not in _COMPOSING}, contract, seen)
    if "$ref" in schema:
        node = _merged(node, _referenced(schema["$ref"], contract, seen))
    for part in schema.get("allOf", ()):
        node = _merged(node, read_schema(part, contract, seen))
    return _chosen(node, [read_schema(option, contract, seen) for option in _options(schema)])


def fields_of(node: Node, prefix: str = "") -> Iterator[Field]:
    """Flatten the fields of an object, of a list's items and of every alternative."""
    for name, child in node.children().items():
        yield field_of(child, prefix + name, name in node.required)
        yield from fields_of(child, f"{prefix}{name}.")
    if node.items:
        yield from fields_of(node.items, f"{prefix.removesuffix('.')}[].")
    for alternative in node.alternatives:
        yield from fields_of(alternative, prefix)


def field_of(node: Node, path: str, required: bool) -> Field:
    """Describe a single value."""
    default = None if "const" in node.keywords else node.keywords.get("default")
    return Field(
        path=path,
        type=type_of(node),
        required=required,
        # An object's default repeats those of its fields.
        default="" if isinstance(default, dict | None) else as_text(default),
        limits=tuple(dict.fromkeys(_limits(node))),
        description=node.keywords.get("description", ""),
        example=next(map(as_text, node.keywords.get("examples", ())), ""),
    )


def type_of(node: Node) -> str:
    """Name a type in Portuguese."""
    if node.alternatives:
        name = " ou ".join(dict.fromkeys(map(type_of, node.alternatives)))
    elif node.items:
        item = type_of(node.items)
        name = f"lista de {item}s" if item in _KINDS.values() else f"lista de {item}"
    else:
        name = "arquivo" if node.is_file else _KINDS.get(node.kind, "qualquer valor")
    return f"{name} ou null" if node.nullable else name


def answer_example(node: Node) -> Any:
    """Makes a value with every field, of the values that the contract names where it names any."""
    given = _given(node)
    if given:
        return given[0]
    if node.alternatives:
        return answer_example(node.alternatives[0])
    if node.items:
        item = answer_example(node.items)
        return [] if item == {} else [item]
    if node.kind != "object":
        return _stand_in(node)
    return {name: _field_example(child) for name, child in node.children().items()}


def _field_example(node: Node) -> Any:
    """Returns null for a plain field that may be null, if the contract names no value for it."""
    is_plain = node.kind in ("string", "integer", "number", "boolean")
    return None if node.nullable and is_plain and not _given(node) else answer_example(node)


def as_text(value: Any) -> str:
    """Write a value as it goes into a sentence."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def follow(reference: str, contract: Json) -> Json:
    """Find what a local reference such as `#/components/schemas/Address` points at."""
    target = contract
    for step in reference.removeprefix("#/").split("/"):
        target = target[step.replace("~1", "/").replace("~0", "~")]
    return target


def _referenced(reference: str, contract: Json, seen: frozenset[str]) -> Node:
    if reference in seen:
        return Node({"type": "object"}, contract, seen)
    node = read_schema(follow(reference, contract), contract, seen | {reference})
    # A component's title and description speak of the type to programmers, not of the field that uses it.
    plain = {key: value for key, value in node.keywords.items() if key not in ("title", "description")}
    return replace(node, keywords=plain)


def _options(schema: Json) -> list[Json]:
    types = schema.get("type")
    named = [{"type": name} for name in types] if isinstance(types, list) else []
    return schema.get("anyOf") or schema.get("oneOf") or named


def _chosen(node: Node, options: list[Node]) -> Node:
    """Fold a choice: null is a property of the node, and a single option left is no choice."""
    if not options:
        return node
    real = [option for option in options if option.kind != "null"]
    node = replace(node, nullable=node.nullable or len(real) < len(options))
    if len(real) == 1:
        plain = {key: value for key, value in node.keywords.items() if key != "type"}
        return _merged(replace(node, keywords=plain), real[0])
    return replace(node, alternatives=tuple(real))


def _merged(over: Node, under: Node) -> Node:
    """Put one node on top of another: its keywords win, fields and requirements add up."""
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
    yield from _span(keywords, "minLength", "maxLength", " caractere", " caracteres")
    yield from _span(keywords, "minItems", "maxItems", " item", " itens")
    yield from _span(keywords, "minimum", "maximum", "", "")
    for name, text in _WORDED.items():
        # A long expression says less to people than the description and the example beside it.
        if name in keywords and len(limit := _plain(keywords[name])) <= _LONGEST_LIMIT:
            yield text.format(limit)
    if "enum" in keywords:
        yield "um de " + ", ".join(f"`{as_text(value)}`" for value in keywords["enum"])
    yield from chain.from_iterable(map(_limits, node.alternatives))
    if node.items:
        yield from (f"cada item: {limit}" for limit in _limits(node.items))


def _span(keywords: Json, lowest: str, highest: str, one: str, many: str) -> Iterator[str]:
    low, high = _plain(keywords.get(lowest)), _plain(keywords.get(highest))
    if low == high != "null":
        yield f"{low}{one if low == '1' else many}"
    elif "null" not in (low, high):
        yield f"de {low} a {high}{many}"
    elif high != "null":
        yield f"até {high}{one if high == '1' else many}"
    elif low != "null":
        yield f"no mínimo {low}{one if low == '1' else many}"


def _plain(value: Any) -> str:
    """Write a limit; the framework turns some whole numbers into 1.0."""
    whole = isinstance(value, float) and value.is_integer()
    return as_text(int(value) if whole else value)


def _given(node: Node) -> list[Any]:
    """The values that the contract itself names, the most telling first."""
    keywords = node.keywords
    # Built from its fields, an object shows more than its default does.
    default = (
        [] if keywords.get("default") in (None, [], {}) or node.kind == "object" else [keywords["default"]]
    )
    constant = [keywords["const"]] if "const" in keywords else []
    return [*keywords.get("examples", ()), *constant, *default, *keywords.get("enum", ())]


def _stand_in(node: Node) -> Any:
    lowest = node.keywords.get("minimum", 1)
    text = _FORMAT_EXAMPLES.get(node.keywords.get("format", ""), "texto")
    return {"string": text, "integer": lowest, "number": lowest, "boolean": True, "array": []}.get(node.kind)
