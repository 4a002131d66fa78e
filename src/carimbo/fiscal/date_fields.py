"""Types of the JSON fields that tell a day or a moment, as texts in the formats of ISO 8601."""

import re
from datetime import date, datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator, PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _only_texts(value: Any) -> Any:
    if not isinstance(value, str | date):
        raise PydanticCustomError("date_text", "Deve ser um texto com a data no formato ISO 8601.")
    return value


def _only_days(value: Any) -> Any:
    """Of a text, too, pydantic would take seconds since 1970, and a moment at midnight."""
    if isinstance(_only_texts(value), str) and not _DAY.fullmatch(value):
        raise PydanticCustomError("date_text", "Deve ser uma data no formato AAAA-MM-DD.")
    return value


def _day_of(value: Any) -> date:
    """Take a date, or a moment; what it leaves open, the company's clock tells."""
    if not isinstance(value, str):
        raise PydanticCustomError("date_text", "Deve ser um texto com a data no formato ISO 8601.")
    try:
        if _DAY.fullmatch(value):
            return date.fromisoformat(value)
        # The reader itself would take weeks and days without hyphens.
        return datetime.fromisoformat(value if _DAY.match(value) else "")
    except ValueError:
        raise PydanticCustomError("date_text", "Deve ser uma data no formato AAAA-MM-DD.") from None


# pydantic would also take a number, as the seconds since 1970.
Day = Annotated[date, BeforeValidator(_only_days)]
# A day, or a moment.
IsoDay = Annotated[
    date,
    PlainValidator(_day_of),
    PlainSerializer(lambda told: told.isoformat(), return_type=str),
    WithJsonSchema({"type": "string"}),
]
Moment = Annotated[AwareDatetime, BeforeValidator(_only_texts)]
