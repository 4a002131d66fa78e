"""Fields that only the record of an NFS-e fills."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from carimbo.fiscal.document_type import OwnFields, StoredFacts
from carimbo.fiscal.fields import Record


class RequestNumber(Record):
    """The series and number of the request for an NFS-e, whose own number is the authority's."""

    series: int
    number: int


class _NoteFields(Record):
    """Our own number of an NFS-e."""

    dps: RequestNumber | None = Field(description="NFS-e: a série e o número da DPS, que são nossos.")


def _read(stored: StoredFacts) -> Mapping[str, Any]:
    return {"dps": RequestNumber(series=stored.series, number=stored.number)}


NOTE_FIELDS = OwnFields(_NoteFields, _read)
