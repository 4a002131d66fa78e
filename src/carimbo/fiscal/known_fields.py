"""Finds the names that a JSON object may have at the place of an unknown one."""

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel

from carimbo.fiscal.body_reading import parts_of
from carimbo.fiscal.fields import Body

# `itens` is near enough to `items`, `frete` is not to `freight`.
_NEARNESS = 0.75
# Of short names, as `nfe` and `nfce`, near ones mean other things.
_SHORTEST = 5
UNKNOWN_NAME = "extra_forbidden"


def with_known_names(error: Mapping[str, Any], body: Any) -> Mapping[str, Any]:
    """Returns an error about an unknown field with the names of the known ones; any other error as it is.

    A name that a body refuses with a sentence of its own brings that sentence as `refusal`.
    """
    if error["type"] != UNKNOWN_NAME or body is None:
        return error
    *place, name = error["loc"]
    models = _models_at(body, place)
    refusals = [model.refused_names.get(str(name)) for model in models if issubclass(model, Body)]
    names = {field for model in models for field in _fields_of(model)}
    return {**error, "known_names": names, "refusal": next(filter(None, refusals), None)}


def nearest(name: str, known: Collection[str]) -> str | None:
    """Returns the known name that is most like a name, whatever the case of its letters."""
    by_lower_case = {other.lower(): other for other in known}
    near = get_close_matches(name.lower(), by_lower_case, 1, _NEARNESS if len(name) >= _SHORTEST else 1.0)
    return by_lower_case[near[0]] if near else None


def _models_at(body: Any, place: Sequence[int | str]) -> list[type[BaseModel]]:
    """Returns the models that may be at a place of a body."""
    models = _models_in(body)
    for step in place:
        # Neither the numbers of a list nor the tags of a union are names of fields.
        fields = [field for model in models for name, field in _fields_of(model).items() if name == step]
        if fields:
            models = [model for field in fields for model in _models_in(field.annotation)]
    return models


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    return [part for part in parts_of(annotation) if isinstance(part, type) and issubclass(part, BaseModel)]


def _fields_of(model: type[BaseModel]) -> dict[str, Any]:
    return {field.alias or name: field for name, field in model.model_fields.items()}
