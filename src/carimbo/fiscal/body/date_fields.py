"""Field types for days and moments, as ISO 8601 texts.

Days, and moments without an offset, are in the time zone of the company (see `local_time`).
"""

import re
from datetime import date, datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator, PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body import published

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_no_day(value: Any) -> bool:
    """Returns whether a text begins with a day that does not exist, as 2026-02-30."""
    if not isinstance(value, str) or not _DAY.match(value):
        return False
    try:
        date.fromisoformat(value[:10])
    except ValueError:
        return True
    return False


def _only_texts(value: Any) -> Any:
    if not isinstance(value, str | date):
        raise PydanticCustomError("date_text", "Deve ser um texto com a data no formato ISO 8601.")
    return value


def _read_date(value: Any) -> date | None:
    """Returns a date, or a moment with or without an offset; None for a text that is neither."""
    if not isinstance(value, str):
        raise PydanticCustomError("date_text", "Deve ser um texto com a data no formato ISO 8601.")
    try:
        if _DAY.fullmatch(value):
            return date.fromisoformat(value)
        # fromisoformat() alone would accept weeks, and days without hyphens.
        return datetime.fromisoformat(value if _DAY.match(value) else "")
    except ValueError:
        return None


def _day_of(value: Any) -> date:
    """Returns a date, or a moment with or without an offset."""
    day = _read_date(value)
    if day is None:
        raise PydanticCustomError(
            "date_text", "Deve ser uma data (AAAA-MM-DD) ou data e hora no formato ISO 8601."
        )
    return day


def _written_day_of(value: Any) -> date:
    """Returns the date that is written in a day or moment, whatever its offset."""
    day = value if isinstance(value, date) else _day_of(value)
    return day.date() if isinstance(day, datetime) else day


def _moment_of(value: Any) -> date:
    """Returns a moment with or without an offset."""
    moment = _read_date(value)
    if not isinstance(moment, datetime):
        raise PydanticCustomError(
            "date_text", "Deve ter data e hora no formato ISO 8601, por exemplo 2026-11-14T10:00:00-03:00."
        )
    return moment


# pydantic itself would accept numbers (seconds since 1970), and moments only at midnight.
Day = Annotated[date, BeforeValidator(_written_day_of)]
# A day, or a moment.
IsoDay = Annotated[
    date,
    PlainValidator(_day_of),
    PlainSerializer(lambda day: day.isoformat(), return_type=str),
    WithJsonSchema({"type": "string", "pattern": published.DAY_PATTERN}),
]
# A moment; without an offset it is in the time zone of the company.
LocalMoment = Annotated[
    datetime,
    PlainValidator(_moment_of),
    PlainSerializer(lambda moment: moment.isoformat(), return_type=str),
    WithJsonSchema(
        {"type": "string", "pattern": published.MOMENT_PATTERN, "examples": ["2026-11-14T10:00:00-03:00"]}
    ),
]
Moment = Annotated[AwareDatetime, BeforeValidator(_only_texts)]
