"""Bodies that change a record: read-only fields, masked secrets and partial bodies.

A record that was read can be sent back whole in a PUT. A read-only field with its current value is ignored;
with another value it is refused, because the caller expects a change that will not happen. `updatedAt` is
always ignored, because it changes with every write.
"""

from collections.abc import Set
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, WrapValidator, create_model
from pydantic_core import PydanticKnownError

from carimbo.fiscal.body.fields import Body, Changes, Record
from carimbo.service.errors import ErrorCode, Refusal, invalid_field

READ_ONLY: Any = {"readOnly": True}
"""The mark of a read-only field in the published schema."""
_MESSAGE = "Só de leitura: envie o valor que o registro tem, ou deixe o campo de fora."


class ReadOnlyDates(Changes):
    """The dates of a record, which callers can't set."""

    created_at: datetime | None = Field(
        default=None, description="Só de leitura.", json_schema_extra=READ_ONLY
    )
    updated_at: datetime | None = Field(
        default=None, description="Só de leitura.", json_schema_extra=READ_ONLY
    )


def refuse_read_only_changes(sent: Changes, record: Record | None, names: Set[str]) -> None:
    """Refuses read-only fields whose values differ from the record's, all at once.

    `record` is None when the record is about to be created: then no value can be sent back.
    """
    values = sent.model_dump(include=set(names), exclude_none=True, by_alias=True)
    current = record.model_dump(include=set(names), by_alias=True) if record else {}
    changed = sorted(name for name, value in values.items() if value != current.get(name))
    if changed:
        raise Refusal(
            ErrorCode.VALIDATION_ERROR, fields=[{"field": name, "error": _MESSAGE} for name in changed]
        )


MASK = "********"
"""The text that replaces a secret; the last characters of a long secret follow it."""
_SHOWN = 4


def mask_secret(secret: bytes) -> str:
    """Returns the mask of a secret, with its last characters unless it is short."""
    text = secret.decode()
    return MASK + (text[-_SHOWN:] if len(text) > 2 * _SHOWN else "")


def is_masked(value: str) -> bool:
    """Returns whether a value is a mask and not a secret."""
    return value.startswith(MASK)


def unmask_secret(value: str, stored: bytes | None, path: str) -> bytes:
    """Returns the secret that a caller means: the stored one if the value is its mask, else the value itself.

    Refuses any other mask.
    """
    if not is_masked(value):
        return value.encode()
    if stored is None or value != mask_secret(stored):
        raise invalid_field(path, "Valor mascarado: envie o valor inteiro, ou exatamente como foi lido.")
    return stored


class _NothingRequired(Body):
    model_config = ConfigDict(json_schema_extra=lambda schema: schema.pop("required", None))


def partial_of(form: type[BaseModel], *more: type[BaseModel]) -> Any:
    """Returns a model that publishes the fields of a body, and of `more`, with none of them required."""
    bases: Any = (_NothingRequired, *more, form)
    return create_model(f"{form.__name__}Changes", __base__=bases, __doc__="The changes of a record.")


def _as_sent(body: Any, _: Any) -> Any:
    if not isinstance(body, dict):
        raise PydanticKnownError("dict_type")
    return body


AS_SENT = WrapValidator(_as_sent)
"""Accepts any JSON object and does not validate it: the use case does, after merging it with the record."""
