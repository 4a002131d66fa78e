"""What all modes of transport share."""

from typing import Any

from pydantic import BeforeValidator
from pydantic_core import PydanticKnownError

from carimbo.fiscal.body.fields import Coded
from carimbo.fiscal.problems import MISSING_FIELD, Incomplete, Problem


class TransportMode(Coded):
    """The mode of transport (`modal`)."""

    ROAD = "road", "01"
    AIR = "air", "02"
    WATER = "water", "03"
    RAIL = "rail", "04"
    PIPELINE = "pipeline", "05"
    MULTIMODAL = "multimodal", "06"


def _known_mode(kind: Any) -> Any:
    if isinstance(kind, str) and kind in list(TransportMode):
        return kind
    raise PydanticKnownError("enum", {"expected": " ou ".join(f"'{mode}'" for mode in TransportMode)})


KNOWN_MODE = BeforeValidator(_known_mode)
"""Refuses an unknown mode with the names of all; bodies of an unknown mode are read as those of road."""


def missing_in_mode(**fields: Any) -> Incomplete:
    """Returns the problem of every field of `modal` that is None, by the names of our JSON."""
    return Incomplete(
        *(
            Problem(MISSING_FIELD, f"modal.{name}", "Campo obrigatório, exceto no complemento.")
            for name, value in fields.items()
            if value is None
        )
    )
