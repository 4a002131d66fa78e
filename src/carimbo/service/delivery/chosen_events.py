"""The events that a webhook listens to, in lists by group, as bodies and records have them."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, create_model, model_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.fields import Body, Record
from carimbo.service.delivery.event_names import EVENT_GROUPS, SILENT_GROUPS, TEST

_GROUP_OF_NAME = {name: group for group, names in EVENT_GROUPS.items() for name in names}


def _require_group(name: Any, group: str | None) -> Any:
    """Raises if an event of another group is listed here; any other value is left to the list's own type."""
    own_group = _GROUP_OF_NAME.get(name) if isinstance(name, str) else None
    if own_group and own_group != group:
        raise PydanticCustomError(
            "of_another_type", "O evento {name} fica no grupo {group}.", {"name": name, "group": own_group}
        )
    return name


def _require_own_group(name: Any, field: ValidationInfo) -> Any:
    return _require_group(name, field.field_name)


class _EventGroups(Body):
    """Lists of events by group; an event in a group that does not exist is refused with its own group."""

    @model_validator(mode="before")
    @classmethod
    def refuse_unknown_groups(cls, given: Any) -> Any:
        """Raises for the first event of an unknown group; any other unknown field is left to the model."""
        groups = given if isinstance(given, dict) else {}
        for group, names in groups.items():
            if group not in EVENT_GROUPS and isinstance(names, list):
                for name in names:
                    _require_group(name, group)
        return given


if TYPE_CHECKING:
    EventName = str

    class ChosenEvents(Body):
        """What a type checker sees of the model below."""

    class ChosenEventsRecord(Record):
        """What a type checker sees of the model below."""

else:
    EventName = Literal[(*(name for names in EVENT_GROUPS.values() for name in names), TEST)]
    # One list per group that a registered type tells of, so that those of a new one appear by themselves.
    ChosenEvents = create_model(
        "ChosenEvents",
        __base__=_EventGroups,
        __doc__="Eventos escolhidos, por grupo.",
        **{
            group: (
                list[Annotated[Literal[names], BeforeValidator(_require_own_group)]] | None,
                Field(
                    default=None,
                    examples=[list(names)],
                    description="Documentos ainda não emitidos: nada chega."
                    if group in SILENT_GROUPS
                    else None,
                ),
            )
            for group, names in EVENT_GROUPS.items()
        },
    )
    ChosenEventsRecord = create_model(
        "ChosenEventsRecord",
        __base__=Record,
        __doc__="Eventos escolhidos, por grupo.",
        **{group: list[Literal[names]] for group, names in EVENT_GROUPS.items()},
    )


def names_of(chosen: ChosenEvents) -> list[str]:
    """The names that were chosen, each once."""
    told: dict[str, Any] = chosen.model_dump()
    return [name for group, names in EVENT_GROUPS.items() for name in names if name in (told[group] or ())]


def require_any(chosen: ChosenEvents) -> ChosenEvents:
    """Refuse a choice of nothing."""
    if not names_of(chosen):
        raise PydanticCustomError("no_event", "Escolha pelo menos um evento.")
    return chosen


def shown_events(names: list[str]) -> ChosenEventsRecord:
    """Chosen names by their groups."""
    return ChosenEventsRecord.model_validate(
        {group: [name for name in known if name in names] for group, known in EVENT_GROUPS.items()}
    )
