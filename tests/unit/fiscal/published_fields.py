"""The fields of the bodies of NF-e, NFC-e and NFS-e as they are published, and where a body holds them."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from pydantic import BaseModel

from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfse.request import NfseRequest

Json = dict[str, Any]
Way = tuple[str | int, ...]


class Published:
    """What is published of a body: its JSON schema, made when it is asked for."""

    def __init__(self, request: type[BaseModel]) -> None:
        self.title = request.__name__
        self._request = request

    @cached_property
    def definitions(self) -> dict[str, Json]:
        """Everything that the schema has a name for."""
        definitions: dict[str, Json] = self._schema["$defs"]
        return definitions

    @cached_property
    def kinds(self) -> dict[str, Json]:
        """What is published of the body and of every object that may stand in it, by name."""
        inner = {name: schema for name, schema in self.definitions.items() if "properties" in schema}
        return {self.title: self._schema, **inner}

    @cached_property
    def _schema(self) -> Json:
        return self._request.model_json_schema()


NFE, NFCE, NFSE = Published(NfeRequest), Published(NfceRequest), Published(NfseRequest)


class Told(NamedTuple):
    """An object in a body, with the way to it and the name of what is published of it."""

    kind: str
    way: Way
    value: Json


def fields_of(root: Published) -> set[str]:
    """Every published field, as `Fuel.codif`."""
    return {f"{kind}.{name}" for kind, schema in root.kinds.items() for name in schema["properties"]}


def objects_in(body: Json, root: Published) -> Iterator[Told]:
    """A body and every object in it."""
    yield from _objects(body, root.title, (), root)


def _objects(value: Json, kind: str, way: Way, root: Published) -> Iterator[Told]:
    yield Told(kind, way, value)
    for name, held in value.items():
        inner = alternatives(root.kinds[kind]["properties"][name], root)
        for step, one in _held(name, held):
            fitting = next(each for each in inner if one.keys() <= set(root.definitions[each]["properties"]))
            yield from _objects(one, fitting, (*way, *step), root)


def _held(name: str, held: Any) -> Iterator[tuple[Way, Json]]:
    if isinstance(held, dict):
        yield (name,), held
    elif isinstance(held, list):
        yield from (((name, at), one) for at, one in enumerate(held) if isinstance(one, dict))


def alternatives(field: Json, root: Published) -> list[str]:
    """The names of the objects that a field may hold, alone or in a list."""
    named = [form["$ref"].rpartition("/")[2] for form in forms_of(field) if "$ref" in form]
    in_lists = [
        name for form in forms_of(field) if "items" in form for name in alternatives(form["items"], root)
    ]
    return [name for name in named if "properties" in root.definitions[name]] + in_lists


def forms_of(field: Json) -> Iterator[Json]:
    """Everything that a field may be."""
    choices = (*field.get("anyOf", ()), *field.get("oneOf", ()))
    for choice in choices:
        yield from forms_of(choice)
    if not choices:
        yield field


def is_published(path: str, root: Published) -> bool:
    """Whether a path such as `items[0].ncm` leads to a field that a body may have."""
    kinds = [root.title]
    for step in path.split("."):
        name = step.partition("[")[0]
        holding = [root.kinds[kind]["properties"].get(name) for kind in kinds]
        if not any(holding):
            return False
        kinds = [one for field in holding if field for one in alternatives(field, root)]
    return True


def changed(body: Any, way: Way, value: Json) -> Any:
    """The body with another object in the place that the way leads to."""
    if not way:
        return value
    inner = changed(body[way[0]], way[1:], value)
    if isinstance(body, list):
        return [inner if at == way[0] else one for at, one in enumerate(body)]
    return {**body, way[0]: inner}
