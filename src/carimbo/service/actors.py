"""Actors as callers see them."""

from typing import Annotated, Any

from pydantic import Field

from carimbo.fiscal.body.fields import AS_STORED, Record
from carimbo.storage.actors import ActorKind


class ActorRecord(Record):
    """The author of a change, without their id."""

    kind: Annotated[ActorKind, AS_STORED] = Field(
        description="`person`, `credential` (a credencial da API), `agent` ou `schedule` (o próprio serviço)."
    )
    name: str | None = Field(default=None, description="O nome que tinha então; nulo se não tem.")


CREATED_BY: Any = Field(description="Quem o criou; nulo no que é anterior a este campo.")


def actor_record(stored: Any) -> ActorRecord | None:
    """Returns the record of a stored actor; None if there is none, or it can't be read."""
    if not isinstance(stored, dict):
        return None
    # Not validated: a newer release may have stored another kind, which is shown as it is.
    values: dict[str, Any] = {name: stored.get(name) for name in ("kind", "name")}
    return ActorRecord.model_construct(**values)
