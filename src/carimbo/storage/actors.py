"""Actors: people and programs, stored with the rows that they create and change."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID


class ActorKind(StrEnum):
    """The kind of an actor."""

    PERSON = "person"
    """Somebody who signed in to the dashboard, or the operator at the command line."""
    CREDENTIAL = "credential"
    """A program with the API credential of a subscription."""
    AGENT = "agent"
    """A program to which a person granted a part of their own permissions."""
    SCHEDULE = "schedule"
    """This installation itself: a date that was set, or periodic work."""


@dataclass(frozen=True)
class Actor:
    """Somebody or something that uses the service."""

    kind: ActorKind
    id: UUID | None = None
    """Of the person, the credential or the agent."""
    name: str | None = None
    """As it was at that moment: an entry of the history stays readable when the person is gone."""

    def as_json(self) -> dict[str, Any]:
        """Returns the actor as it is stored."""
        return {"kind": self.kind.value, "id": self.id and str(self.id), "name": self.name}


SCHEDULE = Actor(ActorKind.SCHEDULE)
OPERATOR_AT_TERMINAL = Actor(ActorKind.PERSON, name="operador (linha de comando)")


def actor_of(stored: Mapping[str, Any]) -> Actor:
    """Returns a stored actor."""
    actor_id = stored["id"]
    return Actor(ActorKind(stored["kind"]), None if actor_id is None else UUID(actor_id), stored["name"])


def stored_actor(actor: Actor | None) -> dict[str, Any] | None:
    """Returns the value of a column for an actor, or for none."""
    return None if actor is None else actor.as_json()
