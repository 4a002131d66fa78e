"""The fields of the bodies of NF-e, NFC-e and NFS-e as they are published, and where a body holds them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfse.request import NfseRequest

Json = dict[str, Any]
Way = tuple[str | int, ...]
NFE: Json = NfeRequest.model_json_schema()
NFCE: Json = NfceRequest.model_json_schema()
NFSE: Json = NfseRequest.model_json_schema()


class Told(NamedTuple):
    """An object in a body, with the way to it and the name of what is published of it."""

    kind: str
    way: Way
    value: Json


def _kinds(root: Json) -> dict[str, Json]:
    inner = {name: schema for name, schema in root["$defs"].items() if "properties" in schema}
    return {root["title"]: root, **inner}


_KINDS = {root["title"]: _kinds(root) for root in (NFE, NFCE, NFSE)}


def kinds_of(root: Json) -> dict[str, Json]:
    """What is published of a body and of every object that may stand in it, by name."""
    return _KINDS[root["title"]]


def fields_of(root: Json) -> set[str]:
    """Every published field, as `Fuel.codif`."""
    return {f"{kind}.{name}" for kind, schema in kinds_of(root).items() for name in schema["properties"]}


def objects_in(body: Json, root: Json) -> Iterator[Told]:
    """A body and every object in it."""
    yield from _objects(body, root["title"], (), root)


def _objects(value: Json, kind: str, way: Way, root: Json) -> Iterator[Told]:
    yield Told(kind, way, value)
    for name, held in value.items():
        inner = alternatives(kinds_of(root)[kind]["properties"][name], root)
        for step, one in _held(name, held):
            fitting = next(each for each in inner if one.keys() <= set(root["$defs"][each]["properties"]))
            yield from _objects(one, fitting, (*way, *step), root)


def _held(name: str, held: Any) -> Iterator[tuple[Way, Json]]:
    if isinstance(held, dict):
        yield (name,), held
    elif isinstance(held, list):
        yield from (((name, at), one) for at, one in enumerate(held) if isinstance(one, dict))


def alternatives(field: Json, root: Json) -> list[str]:
    """The names of the objects that a field may hold, alone or in a list."""
    named = [form["$ref"].rpartition("/")[2] for form in forms_of(field) if "$ref" in form]
    in_lists = [
        name for form in forms_of(field) if "items" in form for name in alternatives(form["items"], root)
    ]
    return [name for name in named if "properties" in root["$defs"][name]] + in_lists


def forms_of(field: Json) -> Iterator[Json]:
    """Everything that a field may be."""
    choices = (*field.get("anyOf", ()), *field.get("oneOf", ()))
    for choice in choices:
        yield from forms_of(choice)
    if not choices:
        yield field


def is_published(path: str, root: Json) -> bool:
    """Whether a path such as `items[0].ncm` leads to a field that a body may have."""
    kinds = [root["title"]]
    for step in path.split("."):
        name = step.partition("[")[0]
        holding = [kinds_of(root)[kind]["properties"].get(name) for kind in kinds]
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
