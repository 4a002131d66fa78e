"""Headers of webhook deliveries: those that callers add, and the signature (Standard Webhooks)."""

import base64
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import Body, Record
from carimbo.service.change_bodies import mask_secret, unmask_secret

HEADERS = "headers"
"""Name of the custom headers among the secrets of a webhook."""
MAX_HEADERS = 20
# RFC 9110, 5.6.2 and 5.5, restricted to what all receivers read in the same way.
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?")
# Headers of the service or of the connection (RFC 9110, 7.6.1).
_RESERVED = frozenset(
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
_RESERVED_PREFIXES = ("content-", "proxy-", "svix-", "webhook-")

HeaderPair = tuple[str, str]
"""Name and value of a header."""


def _require_usable_name(name: str) -> str:
    if not _TOKEN.fullmatch(name):
        raise PydanticCustomError(
            "header_name", "Nome de cabeçalho inválido: use letras, dígitos e hifens, como em X-Loja."
        )
    if name.lower() in _RESERVED or name.lower().startswith(_RESERVED_PREFIXES):
        raise PydanticCustomError(
            "header_name", "O cabeçalho {name} é do serviço ou da conexão: use outro nome.", {"name": name}
        )
    return name


def _require_usable_value(value: str) -> str:
    if not _VALUE.fullmatch(value):
        raise PydanticCustomError(
            "header_value",
            "Valor inválido: use caracteres ASCII, em uma só linha e sem espaços no início ou no fim.",
        )
    return value


class CustomHeader(Body):
    """A header to be added."""

    key: Annotated[str, StringConstraints(max_length=100), AfterValidator(_require_usable_name)] = Field(
        description="Nome do cabeçalho.", examples=["Authorization"]
    )
    value: Annotated[str, StringConstraints(max_length=1000), AfterValidator(_require_usable_value)] = Field(
        description="Valor, guardado cifrado e lido mascarado; o valor como foi lido mantém o guardado.",
        examples=["Bearer s3gr3d0"],
    )


class CustomHeaderRecord(Record):
    """A header as callers see it."""

    key: str = Field(examples=["Authorization"])
    value: str = Field(description="Valor mascarado.", examples=["********r3d0"])


def _require_unique(headers: list[CustomHeader]) -> list[CustomHeader]:
    names = [header.key.lower() for header in headers]
    for position, name in enumerate(names):
        if name in names[:position]:
            key = headers[position].key
            raise PydanticCustomError("header_repeated", "O cabeçalho {name} se repete.", {"name": key})
    return headers


CustomHeaders = Annotated[list[CustomHeader], Field(max_length=MAX_HEADERS), AfterValidator(_require_unique)]


def header_pairs(headers: Sequence[CustomHeader], stored: Sequence[HeaderPair]) -> list[HeaderPair]:
    """Returns the headers with a masked value replaced by the stored value of the same name."""
    stored_values = {key.lower(): value.encode() for key, value in stored}
    return [
        (
            header.key,
            unmask_secret(
                header.value, stored_values.get(header.key.lower()), f"headers[{position}].value"
            ).decode(),
        )
        for position, header in enumerate(headers)
    ]


def masked_headers(pairs: Sequence[HeaderPair]) -> list[CustomHeaderRecord]:
    """Returns headers with masked values."""
    return [CustomHeaderRecord(key=key, value=mask_secret(value.encode())) for key, value in pairs]


def dump_headers(pairs: Sequence[HeaderPair]) -> bytes:
    """Returns headers as bytes, to be encrypted."""
    return json.dumps(pairs).encode()


def load_headers(content: bytes | None) -> list[HeaderPair]:
    """Returns headers from their decrypted bytes; None means no headers."""
    return [(key, value) for key, value in json.loads(content or b"[]")]


SIGNING, PREVIOUS = "signing", "signing.previous"
"""Names of the signing secret and of its predecessors among the secrets of a webhook."""
SECRET_BYTES = 32
_SECRET_PREFIX = "whsec_"  # noqa: S105 - what a secret begins with


def new_secret() -> bytes:
    """Returns a new signing secret."""
    return secrets.token_bytes(SECRET_BYTES)


@dataclass(frozen=True)
class PreviousSecret:
    """A replaced secret, and until when it still signs beside the new one."""

    secret: bytes = field(repr=False)
    until: datetime


def dump_previous_secrets(previous: Iterable[PreviousSecret]) -> bytes:
    """Returns replaced secrets as bytes, to be encrypted."""
    return json.dumps(
        [(base64.b64encode(item.secret).decode(), item.until.isoformat()) for item in previous]
    ).encode()


def load_previous_secrets(content: bytes | None, now: datetime) -> list[PreviousSecret]:
    """Returns the replaced secrets that still sign, from their decrypted bytes."""
    stored = [
        PreviousSecret(base64.b64decode(secret), datetime.fromisoformat(until))
        for secret, until in json.loads(content or b"[]")
    ]
    return [item for item in stored if item.until > now]


def current_secrets(secrets: Mapping[str, bytes], now: datetime) -> tuple[bytes, ...]:
    """Returns all secrets of a webhook that sign now, the newest first."""
    return (secrets[SIGNING], *(item.secret for item in load_previous_secrets(secrets.get(PREVIOUS), now)))


def secret_text(secret: bytes) -> str:
    """Returns a secret in the format that libraries of receivers expect."""
    return _SECRET_PREFIX + base64.b64encode(secret).decode()


def signed_headers(
    message_id: str, at: datetime, body: bytes, signers: Sequence[bytes]
) -> tuple[tuple[str, str], ...]:
    """Returns the signature headers of a body, with one signature for each current secret."""
    timestamp = str(int(at.timestamp()))
    signed = f"{message_id}.{timestamp}.".encode() + body
    signatures = " ".join(_signature(secret, signed) for secret in signers)
    return (
        ("webhook-id", message_id),
        ("webhook-timestamp", timestamp),
        ("webhook-signature", signatures),
    )


def _signature(secret: bytes, signed: bytes) -> str:
    return "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
