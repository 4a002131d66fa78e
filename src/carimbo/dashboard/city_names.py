"""Municipalities in forms: people type names, and bodies have IBGE codes.

The state beside a municipality, a field with the name `state` in the same object, tells equal names apart.
"""

from collections.abc import Iterator

from carimbo.dashboard.body_form import TypedForm
from carimbo.fiscal.body.form_layout import FieldKind
from carimbo.fiscal.tables.geography import (
    STATES,
    Municipality,
    find_municipality,
    municipality_of_ibge,
)
from carimbo.service.errors import ErrorCode, Refusal

_MOST_LISTED = 8


def with_city_names(typed: TypedForm) -> TypedForm:
    """Returns a form with the names of municipalities in place of their codes."""
    names = {}
    for path in _city_paths(typed):
        city = municipality_of_ibge(typed.texts.get(path, ""))
        if city:
            names[path] = city.name
    return typed.with_texts(names)


def with_city_codes(typed: TypedForm) -> TypedForm:
    """Returns a form with the codes of municipalities in place of their names.

    Raises Refusal if there is no municipality with a name, or if several states have one.
    """
    codes, fields = {}, []
    for path in _city_paths(typed):
        text = typed.texts.get(path, "")
        if not text or text.isdigit():
            continue
        state = typed.texts.get(_state_path(path), "")
        cities = _cities_named(text, state)
        if len(cities) == 1:
            codes[path] = cities[0].ibge
        else:
            fields.append({"field": path, "error": _unclear(text, state, cities)})
    if fields:
        raise Refusal(ErrorCode.VALIDATION_ERROR, fields=fields)
    return typed.with_texts(codes)


def _city_paths(typed: TypedForm) -> Iterator[str]:
    return (field.path for field in typed.layout.fields if field.kind is FieldKind.CITY)


def _state_path(path: str) -> str:
    group, _, _ = path.rpartition(".")
    return f"{group}.state" if group else "state"


def _cities_named(name: str, state: str) -> list[Municipality]:
    """Returns the municipalities with a name, in a state or in all states."""
    cities = (find_municipality(name, each) for each in ([state] if state else STATES))
    return [city for city in cities if city]


def _unclear(name: str, state: str, cities: list[Municipality]) -> str:
    """Returns what is wrong with a name that is not that of exactly one municipality."""
    others = cities or (_cities_named(name, "") if state else [])
    listed = ", ".join(f"{city.name}/{city.state} ({city.ibge})" for city in others[:_MOST_LISTED])
    if cities:
        return f"Mais de um município tem este nome. Escolha a UF, ou informe o código: {listed}."
    if others:
        return f"Nenhum município de {state} tem este nome; há {listed}."
    return "Nenhum município tem este nome: confira-o, ou informe o código IBGE, de sete dígitos."
