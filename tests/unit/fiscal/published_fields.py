"""The published fields of the bodies of NF-e, NFC-e and NFS-e, and where a body holds them."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from pydantic import BaseModel

from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfse.request import NfseRequest

Json = dict[str, Any]
JsonPath = tuple[str | int, ...]


class Published:
    """The JSON schema of a body, computed on first use."""

    def __init__(self, request: type[BaseModel]) -> None:
        self.title = request.__name__
        self._request = request

    @cached_property
    def definitions(self) -> dict[str, Json]:
        """The named definitions of the schema."""
        definitions: dict[str, Json] = self._schema["$defs"]
        return definitions

    @cached_property
    def kinds(self) -> dict[str, Json]:
        """The schemas of the body and of every object in it, by name."""
        inner = {name: schema for name, schema in self.definitions.items() if "properties" in schema}
        return {self.title: self._schema, **inner}

    @cached_property
    def _schema(self) -> Json:
        return self._request.model_json_schema()


NFE, NFCE, NFSE = Published(NfeRequest), Published(NfceRequest), Published(NfseRequest)


class ObjectInBody(NamedTuple):
    """An object in a body, with its place and the name of its schema."""

    kind: str
    path: JsonPath
    value: Json


def fields_of(root: Published) -> set[str]:
    """Returns every published field, as `Fuel.codif`."""
    return {f"{kind}.{name}" for kind, schema in root.kinds.items() for name in schema["properties"]}


def objects_in(body: Json, root: Published) -> Iterator[ObjectInBody]:
    """Yields a body and every object in it."""
    yield from _objects(body, root.title, (), root)


def _objects(value: Json, kind: str, path: JsonPath, root: Published) -> Iterator[ObjectInBody]:
    yield ObjectInBody(kind, path, value)
    for name, held in value.items():
        inner = alternatives(root.kinds[kind]["properties"][name], root)
        for step, item in _held(name, held):
            fitting = next(each for each in inner if item.keys() <= set(root.definitions[each]["properties"]))
            yield from _objects(item, fitting, (*path, *step), root)


def _held(name: str, held: Any) -> Iterator[tuple[JsonPath, Json]]:
    if isinstance(held, dict):
        yield (name,), held
    elif isinstance(held, list):
        yield from (((name, at), item) for at, item in enumerate(held) if isinstance(item, dict))


def alternatives(field: Json, root: Published) -> list[str]:
    """Returns the names of the objects that a field may hold, alone or in a list."""
    named = [form["$ref"].rpartition("/")[2] for form in forms_of(field) if "$ref" in form]
    in_lists = [
        name for form in forms_of(field) if "items" in form for name in alternatives(form["items"], root)
    ]
    return [name for name in named if "properties" in root.definitions[name]] + in_lists


def forms_of(field: Json) -> Iterator[Json]:
    """Yields every alternative form of a field."""
    choices = (*field.get("anyOf", ()), *field.get("oneOf", ()))
    for choice in choices:
        yield from forms_of(choice)
    if not choices:
        yield field


def is_published(path: str, root: Published) -> bool:
    """Returns whether a path such as `items[0].ncm` leads to a field that a body may have."""
    kinds = [root.title]
    for step in path.split("."):
        name = step.partition("[")[0]
        holding = [root.kinds[kind]["properties"].get(name) for kind in kinds]
        if not any(holding):
            return False
        kinds = [kind for field in holding if field for kind in alternatives(field, root)]
    return True


def changed(body: Any, path: JsonPath, value: Json) -> Any:
    """Returns the body with another object at a place."""
    if not path:
        return value
    inner = changed(body[path[0]], path[1:], value)
    if isinstance(body, list):
        return [inner if at == path[0] else item for at, item in enumerate(body)]
    return {**body, path[0]: inner}
