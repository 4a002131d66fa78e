"""Portuguese messages for validation errors, by pydantic's type of the error."""

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel

from carimbo.fiscal.body.date_fields import is_no_day
from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.reading import parts_of
from carimbo.fiscal.problems import counted, quoted

# `itens` is similar enough to `items`; `frete` is not to `freight`.
_SIMILARITY = 0.75
# Short names must be equal: similar ones, as `nfe` and `nfce`, are different things.
_MIN_LENGTH = 5
UNKNOWN_FIELD = "extra_forbidden"

_UNKNOWN = "Valor inválido: confira o tipo e o formato deste campo em /docs."
# The security code of NFC-e, which no message may quote.
_NEVER_QUOTED = r"^[\x21-\x7e]{1,36}$"
_MAX_STEP_LENGTH = 60
UNION_TAGS = frozenset(
    {
        "in Brazil",
        "abroad",
        "by id",
        "described",
        "by road",
        "by air",
        "by water",
        "by rail",
        "by pipeline",
        "by several modes",
    }
)
"""Tags of unions, which appear in the location of an error and are no field names."""


def with_field_names(error: Mapping[str, Any], body: Any) -> Mapping[str, Any]:
    """Returns an error about an unknown field with the names of all fields; other errors unchanged.

    If the body has its own message for the name, it is in `refusal`.
    """
    if error["type"] != UNKNOWN_FIELD or body is None:
        return error
    *place, name = error["loc"]
    models = _models_at(body, place)
    refusals = [model.refused_names.get(str(name)) for model in models if issubclass(model, Body)]
    names = {field for model in models for field in _fields_of(model)}
    return {**error, "known_names": names, "refusal": next(filter(None, refusals), None)}


def closest_name(name: str, field_names: Collection[str]) -> str | None:
    """Returns the most similar of the known names, ignoring case."""
    by_lower_case = {other.lower(): other for other in field_names}
    cutoff = _SIMILARITY if len(name) >= _MIN_LENGTH else 1.0
    matches = get_close_matches(name.lower(), by_lower_case, 1, cutoff)
    return by_lower_case[matches[0]] if matches else None


def _models_at(body: Any, place: Sequence[int | str]) -> list[type[BaseModel]]:
    """Returns the models that a body may have at a path."""
    models = _models_in(body)
    for step in place:
        # Positions in lists and tags of unions are no field names.
        fields = [field for model in models for name, field in _fields_of(model).items() if name == step]
        if fields:
            models = [model for field in fields for model in _models_in(field.annotation)]
    return models


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    return [part for part in parts_of(annotation) if isinstance(part, type) and issubclass(part, BaseModel)]


def _fields_of(model: type[BaseModel]) -> dict[str, Any]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


_MESSAGES = {
    "missing": "Campo obrigatório.",
    "unexpected_keyword_argument": "Campo desconhecido.",
    "missing_argument": "Campo obrigatório.",
    "repeated": "Campo enviado mais de uma vez.",
    "string_type": "Deve ser um texto.",
    "string_too_short": "Deve ter pelo menos {min_length:caractere|caracteres}.",
    "string_too_long": "Deve ter no máximo {max_length:caractere|caracteres}.",
    "string_pattern_mismatch": "Formato inválido: deve seguir a expressão {pattern}.",
    "bool_type": "Deve ser true ou false.",
    "bool_parsing": "Deve ser true ou false.",
    "int_type": "Deve ser um número inteiro.",
    "int_parsing": "Deve ser um número inteiro.",
    "int_parsing_size": "Número grande demais.",
    "int_from_float": "Deve ser um número inteiro.",
    "float_type": "Deve ser um número.",
    "float_parsing": "Deve ser um número.",
    "decimal_type": "Deve ser um número.",
    "decimal_parsing": "Deve ser um número.",
    "decimal_max_digits": "Deve ter no máximo {max_digits:dígito|dígitos}.",
    "decimal_max_places": "Deve ter no máximo {decimal_places:casa decimal|casas decimais}.",
    "decimal_whole_digits": "Deve ter no máximo {whole_digits:dígito|dígitos} antes da vírgula.",
    "finite_number": "Número pequeno ou grande demais.",
    "greater_than": "Deve ser maior que {gt}.",
    "greater_than_equal": "Deve ser maior ou igual a {ge}.",
    "less_than": "Deve ser menor que {lt}.",
    "less_than_equal": "Deve ser menor ou igual a {le}.",
    "enum": "Valor inválido: use {expected}.",
    "literal_error": "Valor inválido: use {expected}.",
    "uuid_type": "Deve ser um UUID.",
    "uuid_parsing": "Deve ser um UUID.",
    "list_type": "Deve ser uma lista.",
    "too_short": "Deve ter pelo menos {min_length:item|itens}.",
    "too_long": "Deve ter no máximo {max_length:item|itens}.",
    "tuple_type": "Deve ser uma lista.",
    "set_type": "Deve ser uma lista.",
    "frozen_set_type": "Deve ser uma lista.",
    "dataclass_type": "Deve ser um objeto JSON.",
    "dict_type": "Deve ser um objeto JSON.",
    "model_type": "Deve ser um objeto JSON.",
    "model_attributes_type": "Deve ser um objeto JSON.",
    "datetime_type": "Deve ser data e hora no formato ISO 8601.",
    "datetime_parsing": "Deve ser data e hora no formato ISO 8601.",
    "datetime_from_date_parsing": "Deve ser data e hora no formato ISO 8601.",
    "timezone_aware": "A data e hora deve trazer o fuso horário.",
    "date_type": "Deve ser uma data no formato AAAA-MM-DD.",
    "date_parsing": "Deve ser uma data no formato AAAA-MM-DD.",
    "date_from_datetime_parsing": "Deve ser uma data no formato AAAA-MM-DD.",
    "date_from_datetime_inexact": "Deve ser uma data no formato AAAA-MM-DD, sem hora.",
}
# The patterns of fields, in words.
FORMS = {
    r"^[1-7][0-9]{3}$": "informe 4 dígitos, por exemplo 5102",
    r"^([0-9]{2}|[0-9]{8})$": "informe os 8 dígitos, por exemplo 69120000",
    r"^[0-9]{7}$": "informe 7 dígitos",
    r"^([0-9]{8}|[0-9]{12,14}|SEM GTIN)$": "informe 8, 12, 13 ou 14 dígitos, ou SEM GTIN",
    r"^[!-ÿ]{2,20}$": "informe de 2 a 20 caracteres, sem espaços",
    r"^[!-ÿ]{5,20}$": "informe de 5 a 20 caracteres, sem espaços",
    r"^[0-9]{1,20}$": "informe até 20 dígitos",
    r"^[0-9]{15}$": "informe os 15 dígitos do protocolo",
    r"^[0-9]{36}$": "informe os 36 dígitos do código de barras",
    r"^[1-9][0-9]{0,7}$": "informe até 8 dígitos, sem zeros à esquerda",
    "^[1-59]$": "informe o código do motivo, de 1 a 5 ou 9",
    r"^20[0-9]{2}-(0[1-9]|1[0-2])$": "informe o mês como AAAA-MM, por exemplo 2026-11",
    r"^[0-8]$": "informe um dígito de 0 a 8",
    r"^[0-9]$": "informe um dígito",
    r"^[0-9]{1,2}$": "informe os 2 dígitos do código",
    r"^[0-9]{2}$": "informe os 2 dígitos do código",
    r"^[0-9]{3}$": "informe os 3 dígitos do código",
    r"^[0-9]{4}$": "informe os 4 dígitos do código",
    r"^[0-9]{6}$": "informe os 6 dígitos do código",
    r"^[0-9]{9}$": "informe os 9 dígitos do código",
    r"^[0-9]{9,11}$": "informe de 9 a 11 dígitos",
    r"^[0-9]{12}$": "informe 12 dígitos",
    r"^[0-9]{25}$": "informe 25 dígitos",
    r"^[0-9]{11}$": "informe os 11 dígitos",
    r"^[0-9]{30}$": "informe os 30 dígitos do processo",
    r"^[0-9]{1,2}\.[0-9]{2}(\.[0-9]{2})?$|^[0-9]{6}$": "informe um item, 01.05, ou um código, 01.05.01",
    r"^[0-9]{2}\.[0-9]{2}\.[0-9]{2}(\.[0-9]{3})?$|^[0-9]{6}([0-9]{3})?$": (
        "informe o código nacional do serviço, como 01.05.01 ou 010501, ou com os 3 dígitos do município"
    ),
    r"^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$": "informe os 26 caracteres do id",
    r"^([A-Z]{2,3}[0-9]{4}|[A-Z]{3,4}[0-9]{3}|[A-Z0-9]{7})$": "informe a placa, como ABC1D23",
    r"^[A-Za-z0-9+/]{27}=$": "informe os 28 caracteres de um SHA-1 em base64",
    r"^BR$": "informe BR, ou nada",
    r"^[1-6]$": "informe um dígito de 1 a 6",
    r"^[1-5]$": "informe um dígito de 1 a 5",
    r"^[1-4]$": "informe um dígito de 1 a 4",
    r"^[1-3]$": "informe um dígito de 1 a 3",
    r"^[1-9][0-9]{0,9}$": "informe de 1 a 10 dígitos, sem zero no começo",
    r"^[1-9][0-9]{0,5}$": "informe de 1 a 6 dígitos, sem zero no começo",
    r"^[A-Z0-9]{17}$": "informe 17 letras maiúsculas e dígitos",
    r"^[0-2]$": "informe 0, 1 ou 2",
    r"^[12]$": "informe 1 ou 2",
    r"^[129]$": "informe 1, 2 ou 9",
    r"^[0-69]$": "informe um dígito de 0 a 6, ou 9",
    r"^1$": "informe 1, ou nada",
    r"^[0-4]$": "informe um dígito de 0 a 4",
    r"^[SN]$": "informe S ou N",
    r"^[0-9]{8}$": "informe os 8 dígitos",
    r"^[0-9]{20}$": "informe os 20 dígitos",
    r"^[0-9]{8,9}$": "informe 8 ou 9 dígitos",
    r"^[0-9]{2,3}$": "informe 2 ou 3 dígitos",
    r"^[0-9]{1,6}$": "informe de 1 a 6 dígitos",
    r"^[A-Z]{2}[0-9]{4}$": "informe 2 letras maiúsculas e 4 dígitos, por exemplo AA0001",
    r"^[A-Z0-9]{8,10}$": "informe de 8 a 10 letras maiúsculas e dígitos, por exemplo SP012345",
    r"^[A-Z0-9]{8,10}$|^SEM CBENEF$": "informe de 8 a 10 letras maiúsculas e dígitos, ou SEM CBENEF",
    r"^([A-Z0-9]{8}|[A-Z0-9]{10})$": "informe 8 ou 10 letras maiúsculas e dígitos, por exemplo SP012345",
    r"^[A-Z0-9]{1,20}$": "informe até 20 letras maiúsculas e dígitos",
    r"^([0-9]{8}|ISENTO)$": "informe os 8 dígitos, ou ISENTO",
    r"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$": "informe hora e minuto, por exemplo 14:30",
    r"^[1-9][0-9]{1,8}$": "informe de 2 a 9 dígitos, sem zero à esquerda",
    r"^([0-9]{4}|ND)$": "informe os 4 dígitos do número ONU, ou ND",
    r"^(0[1-9]|1[0-5]|99)$": "informe um código de 01 a 15, ou 99",
    r"^[0-9]{1,4}X[0-9]{1,4}X[0-9]{1,4}$": (
        "informe comprimento, largura e altura em cm, por exemplo 120X80X60"
    ),
    r"^(01|04)$": "informe 01 ou 04",
    r"^(00|20|40|41|51|60|90)$": "informe um CST de transporte: 00, 20, 40, 41, 51, 60 ou 90",
    r"^[0-9A-Za-z ]{44,60}$": "informe os 44 caracteres da chave de acesso",
    r"^(0[0-9]|49|5[0-6]|6[0-7]|7[0-5]|9[89])$": "informe um CST de PIS e COFINS, por exemplo 01",
    r"^(0[1-5]|99)$": "informe um código de 01 a 05, ou 99",
    r"^20[0-9]{2}-[12]$": "informe ano e semestre, por exemplo 2027-1",
    r"^[^\x00-\x1f\x7f]*$": "informe um texto sem caracteres de controle",
    _NEVER_QUOTED: "informe até 36 letras, dígitos e sinais, sem espaços",
}


class _Filled(str):
    """A value for a placeholder, which may have a noun to count: `{max_length:item|itens}`."""

    def __format__(self, noun: str) -> str:
        singular, _, plural = noun.partition("|")
        return counted(self, singular, plural) if noun else str(self)


def without_short_lists(errors: Sequence[Any]) -> list[Any]:
    """Returns the errors without those about lists that are too short because of their invalid items."""
    inside = {tuple(error["loc"][:length]) for error in errors for length in range(len(error["loc"]))}
    return [error for error in errors if error["type"] != "too_short" or tuple(error["loc"]) not in inside]


def in_portuguese(error: Any) -> str:
    """Returns the Portuguese message of a validation error of pydantic or of our own validators."""
    error_type = error["type"]
    # pydantic treats a text like a list if a limit follows one of our validators.
    if error_type in ("too_short", "too_long") and isinstance(error["input"], str):
        error_type = f"string_{error_type}"
    if error_type == "string_pattern_mismatch" and (form := FORMS.get(error["ctx"]["pattern"])):
        given = "" if error["ctx"]["pattern"] == _NEVER_QUOTED else f", e não {quoted(error['input'])}"
        return f"Formato inválido: {form}{given}."
    if error_type == UNKNOWN_FIELD:
        return _about_unknown_field(error)
    if error_type.startswith("date") and is_no_day(error.get("input")):
        return f"Esta data não existe: {quoted(error['input'])}."
    template = _MESSAGES.get(error_type)
    if template is not None:
        context = error.get("ctx") or {}
        return template.format(
            **{name: _Filled(str(value).replace(" or ", " ou ")) for name, value in context.items()}
        )
    # Our validators raise PydanticCustomError; pydantic's own errors have a link to its manual.
    is_ours = "url" not in error and error["type"] in OWN_ERROR_TYPES
    return str(error["msg"]) if is_ours else _UNKNOWN


def _about_unknown_field(error: Any) -> str:
    if refusal := error.get("refusal"):
        return str(refusal)
    name = str(error["loc"][-1])
    suggestion = closest_name(name, error.get("known_names", ()))
    if suggestion == name:
        # Another form of the object has the field, as an address in Brazil has a state.
        return "Este campo não se usa com os outros campos informados aqui."
    return f"Campo desconhecido: seria {suggestion}?" if suggestion else "Campo desconhecido."


def json_path(location: Sequence[int | str]) -> str:
    """Returns the JSON path of an error: `items[0].ncm`."""
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        # Tags of unions are no fields.
        elif part not in UNION_TAGS:
            # An unknown name comes from the caller and may have any length.
            step = part[:_MAX_STEP_LENGTH]
            path += f".{step}" if path else step
    return path


# The types of our own validation errors, whose messages are Portuguese already.
OWN_ERROR_TYPES = frozenset(
    {
        "base64",
        "checked_once",
        "city_code",
        "city_mismatch",
        "city_unknown",
        "cnae",
        "cnpj",
        "component",
        "control_characters",
        "country",
        "cpf",
        "date_text",
        "depends_on_sale",
        "email",
        "header_name",
        "header_repeated",
        "header_value",
        "ibs_cbs_options",
        "missing_in_form",
        "modal_kind",
        "named_otherwise",
        "no_event",
        "number_type",
        "of_another_type",
        "payment_method",
        "phone",
        "plan_name",
        "range_end",
        "recipient_registration",
        "series",
        "service_key",
        "state",
        "state_registration",
        "tax_id",
        "two_counts",
        "url_scheme",
        "zipcode",
    }
)
