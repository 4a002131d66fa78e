"""The headers that callers add to their deliveries: which are let through, and what is shown of them."""

import json
import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from carimbo.fiscal.fields import Body, Record
from carimbo.service.masked import masked, meant

HEADERS = "headers"
"""What they are kept as, among the secrets of each webhook."""
MOST_HEADERS = 20
# RFC 9110, 5.6.2 and 5.5; of what that lets through, only what every receiver reads alike.
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?")
# Ours to tell, or the connection's (RFC 9110, 7.6.1).
_TAKEN = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "date",
        "expect",
        "host",
        "http2-settings",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    }
)
_TAKEN_BEGINNINGS = ("content-", "proxy-", "svix-", "webhook-")

Pair = tuple[str, str]
"""The name of a header, and its value."""


def _usable_name(name: str) -> str:
    if not _TOKEN.fullmatch(name):
        raise PydanticCustomError(
            "header_name", "Nome de cabeçalho inválido: use letras, dígitos e hifens, como em X-Loja."
        )
    if name.lower() in _TAKEN or name.lower().startswith(_TAKEN_BEGINNINGS):
        raise PydanticCustomError(
            "header_name", "O cabeçalho {name} é do serviço ou da conexão: use outro nome.", {"name": name}
        )
    return name


def _usable_value(value: str) -> str:
    if not _VALUE.fullmatch(value):
        raise PydanticCustomError(
            "header_value",
            "Valor inválido: use caracteres ASCII, em uma só linha e sem espaços no início ou no fim.",
        )
    return value


class CustomHeader(Body):
    """A header to be added."""

    key: Annotated[str, StringConstraints(max_length=100), AfterValidator(_usable_name)] = Field(
        description="Nome do cabeçalho.", examples=["Authorization"]
    )
    value: Annotated[str, StringConstraints(max_length=1000), AfterValidator(_usable_value)] = Field(
        description="Valor, guardado cifrado e lido mascarado; o valor como foi lido mantém o guardado.",
        examples=["Bearer s3gr3d0"],
    )


class CustomHeaderRecord(Record):
    """A header as callers see it."""

    key: str = Field(examples=["Authorization"])
    value: str = Field(description="Valor mascarado.", examples=["********r3d0"])


def _each_once(headers: list[CustomHeader]) -> list[CustomHeader]:
    names = [header.key.lower() for header in headers]
    for position, name in enumerate(names):
        if name in names[:position]:
            key = headers[position].key
            raise PydanticCustomError("header_repeated", "O cabeçalho {name} se repete.", {"name": key})
    return headers


CustomHeaders = Annotated[list[CustomHeader], Field(max_length=MOST_HEADERS), AfterValidator(_each_once)]


def told_pairs(headers: Sequence[CustomHeader], stored: Sequence[Pair]) -> list[Pair]:
    """What the headers stand for: a mask that was read means the value that is stored by that name."""
    known = {key.lower(): value.encode() for key, value in stored}
    return [
        (
            header.key,
            meant(header.value, known.get(header.key.lower()), f"headers[{position}].value").decode(),
        )
        for position, header in enumerate(headers)
    ]


def shown_pairs(pairs: Sequence[Pair]) -> list[CustomHeaderRecord]:
    """Headers with their values masked."""
    return [CustomHeaderRecord(key=key, value=masked(value.encode())) for key, value in pairs]


def sealable(pairs: Sequence[Pair]) -> bytes:
    """Headers in the form that is sealed."""
    return json.dumps(pairs).encode()


def opened(content: bytes | None) -> list[Pair]:
    """Headers from the form that is sealed; whoever has none has nothing sealed."""
    return [(key, value) for key, value in json.loads(content or b"[]")]
