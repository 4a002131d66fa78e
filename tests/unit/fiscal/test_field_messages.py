"""Messages about fields are in Portuguese and give the reason."""

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError

from carimbo.fiscal.body.date_fields import Day, IsoDay, LocalMoment, Moment
from carimbo.fiscal.body.fields import (
    Body,
    Cnpj,
    Email,
    Flag,
    Integer,
    Money,
    Percent,
    StateCode,
    Text,
    Zipcode,
)
from carimbo.fiscal.body.messages import in_portuguese
from carimbo.fiscal.module_settings import Series


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Thing(Body):
    name: Text


MESSAGES: list[tuple[Any, object, str]] = [
    (Thing, {}, "Campo obrigatório."),
    (Thing, {"name": "a", "other": 1}, "Campo desconhecido."),
    (Thing, 5, "Deve ser um objeto JSON."),
    (Text, 5, "Deve ser um texto."),
    (Text, "   ", "Deve ter pelo menos 1 caractere."),
    (Annotated[Text, Field(min_length=15)], "abc", "Deve ter pelo menos 15 caracteres."),
    (Annotated[Text, Field(max_length=1)], "ab", "Deve ter no máximo 1 caractere."),
    (Text, "a\x07b", "Não pode conter caracteres de controle."),
    (Annotated[Text, Field(max_length=3)], "abcd", "Deve ter no máximo 3 caracteres."),
    (Annotated[str, Field(pattern="^a$")], "b", "Formato inválido: deve seguir a expressão ^a$."),
    (Flag, "yes", "Deve ser true ou false."),
    (Flag, 1, "Deve ser true ou false."),
    (Integer, "1", "Deve ser um número inteiro."),
    (Integer, Decimal("1.5"), "Deve ser um número inteiro."),
    (Annotated[Integer, Field(ge=1)], 0, "Deve ser maior ou igual a 1."),
    (Annotated[Integer, Field(gt=1)], 1, "Deve ser maior que 1."),
    (Annotated[Integer, Field(lt=1)], 1, "Deve ser menor que 1."),
    (Money, "1", "Deve ser um número."),
    (Money, True, "Deve ser um número."),
    (Money, Decimal("1.005"), "Deve ter no máximo 2 casas decimais."),
    (Money, Decimal("1e20"), "Deve ter no máximo 15 dígitos."),
    (Money, float("inf"), "Número pequeno ou grande demais."),
    (Percent, 101, "Deve ser menor ou igual a 100."),
    (Colour, "green", "Valor inválido: use 'red' ou 'blue'."),
    (Literal[2, 3], 4, "Valor inválido: use 2 ou 3."),
    (UUID, "x", "Deve ser um UUID."),
    (list[int], 5, "Deve ser uma lista."),
    (Annotated[list[int], Field(min_length=1)], [], "Deve ter pelo menos 1 item."),
    (Annotated[list[int], Field(min_length=2)], [], "Deve ter pelo menos 2 itens."),
    (Annotated[list[int], Field(max_length=1)], [1, 2], "Deve ter no máximo 1 item."),
    (datetime, "x", "Deve ser data e hora no formato ISO 8601."),
    (AwareDatetime, "2026-01-01T00:00:00", "A data e hora deve trazer o fuso horário."),
    (date, "x", "Deve ser uma data no formato AAAA-MM-DD."),
    (Cnpj, "1", "CNPJ inválido: confira os 14 caracteres e os dígitos verificadores."),
    (Email, "a@b", "E-mail inválido: informe um endereço como nome@example.com."),
    (StateCode, "XX", "UF inválida: informe a sigla, por exemplo SP."),
    (Zipcode, "1", "CEP inválido: informe 8 dígitos."),
    (frozenset[int], 5, "Deve ser uma lista."),
    (bytes, 5, "Valor inválido: confira o tipo e o formato deste campo em /docs."),
    (Day, "2026-02-30", "Esta data não existe: “2026-02-30”."),
    (IsoDay, "2026-13-01", "Esta data não existe: “2026-13-01”."),
    (LocalMoment, "2026-02-30T10:00:00", "Esta data não existe: “2026-02-30T10:00:00”."),
    (Moment, "2026-02-30T10:00:00Z", "Esta data não existe: “2026-02-30T10:00:00Z”."),
    (Series, 890, "A série vai de 0 a 889; de 890 em diante é reservada."),
]


def message_of(kind: Any, value: object) -> str:
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError as wrong:
        return in_portuguese(wrong.errors()[0])
    return "nothing"


def test_messages_say_in_portuguese_what_is_wrong() -> None:
    messages = [(kind, value, message_of(kind, value)) for kind, value, _ in MESSAGES]
    assert messages == MESSAGES
