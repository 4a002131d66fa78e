"""Read-only fields of records: a record that was read can be sent back whole in a PUT.

A read-only field with its present value is ignored; with another value it is refused, because the caller
expects a change that will not happen. `updatedAt` is always ignored: it changes with every write.
"""

from collections.abc import Set
from datetime import datetime
from typing import Any

from pydantic import Field

from carimbo.fiscal.fields import Changes, Record
from carimbo.service.errors import Code, Refusal

READ_ONLY: Any = {"readOnly": True}
"""What the published schema says of a read-only field."""
_MESSAGE = "Só de leitura: envie o valor que o registro tem, ou deixe o campo de fora."


class Dated(Changes):
    """The dates of a record, which no caller sets."""

    created_at: datetime | None = Field(
        default=None, description="Só de leitura.", json_schema_extra=READ_ONLY
    )
    updated_at: datetime | None = Field(
        default=None, description="Só de leitura.", json_schema_extra=READ_ONLY
    )


def refuse_changed(sent: Changes, record: Record | None, names: Set[str]) -> None:
    """Refuses read-only fields whose values are not those of the record, all at once.

    A record that is yet to be made is None: it has no value that could be sent back.
    """
    values = sent.model_dump(include=set(names), exclude_none=True, by_alias=True)
    current = record.model_dump(include=set(names), by_alias=True) if record else {}
    changed = sorted(name for name, value in values.items() if value != current.get(name))
    if changed:
        raise Refusal(Code.VALIDATION_ERROR, fields=[{"field": name, "error": _MESSAGE} for name in changed])
