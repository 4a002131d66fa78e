"""Request bodies of webhooks, with the events that a webhook chooses."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StringConstraints,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import Body, Flag, Record, Text
from carimbo.service.change_bodies import READ_ONLY, ReadOnlyDates
from carimbo.service.delivery.event_names import EVENT_GROUPS, TEST
from carimbo.service.delivery.webhook_headers import CustomHeaders

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
        """The model below, for type checkers."""

    class ChosenEventsRecord(Record):
        """The model below, for type checkers."""

else:
    EventName = Literal[(*(name for names in EVENT_GROUPS.values() for name in names), TEST)]
    # One list per group, so that the events of a new type appear by themselves.
    ChosenEvents = create_model(
        "ChosenEvents",
        __base__=_EventGroups,
        __doc__="Eventos escolhidos, por grupo.",
        **{
            group: (
                list[Annotated[Literal[names], BeforeValidator(_require_own_group)]] | None,
                Field(default=None, examples=[list(names)]),
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


def chosen_names(chosen: ChosenEvents) -> list[str]:
    """Returns the chosen event names, without duplicates."""
    lists: dict[str, Any] = chosen.model_dump()
    return [name for group, names in EVENT_GROUPS.items() for name in names if name in (lists[group] or ())]


def require_any_event(chosen: ChosenEvents) -> ChosenEvents:
    """Refuses an empty choice."""
    if not chosen_names(chosen):
        raise PydanticCustomError("no_event", "Escolha pelo menos um evento.")
    return chosen


def chosen_events_record(names: list[str]) -> ChosenEventsRecord:
    """Returns chosen event names by group."""
    return ChosenEventsRecord.model_validate(
        {group: [name for name in listed if name in names] for group, listed in EVENT_GROUPS.items()}
    )


def _require_web_address(url: str) -> str:
    """Refuses a text that no installation can call; the guard checks the rest, with the network."""
    if not url.lower().startswith(("https://", "http://")):
        raise PydanticCustomError("url_scheme", "A URL deve começar com https://.")
    return url


Url = Annotated[Text, StringConstraints(max_length=2048), AfterValidator(_require_web_address)]


class WebhookBody(Body):
    """The body that creates a webhook."""

    url: Url = Field(
        description="Endereço https que recebe os eventos.", examples=["https://example.com/webhooks"]
    )
    name: Annotated[Text, StringConstraints(max_length=64)] | None = Field(default=None, examples=["Loja"])
    headers: CustomHeaders | None = Field(
        default=None, description="Cabeçalhos a acrescentar a cada entrega, além dos do serviço."
    )
    events: Annotated[ChosenEvents, AfterValidator(require_any_event)] = Field(
        description="Eventos a receber, por grupo; pelo menos um."
    )
    active: Flag | None = Field(
        default=None, description="Sem o campo, um webhook novo é ativo, e um que existe fica como está."
    )


class WebhookChanges(ReadOnlyDates, WebhookBody):
    """The body that changes a webhook: an absent field stays as it is, null clears it."""

    url: Url = Field(
        default="",
        description="Endereço https que recebe os eventos.",
        examples=["https://example.com/webhooks"],
    )
    events: Annotated[ChosenEvents, AfterValidator(require_any_event)] = Field(
        default=ChosenEvents(), description="Eventos a receber, por grupo; pelo menos um."
    )
    id: UUID | None = Field(default=None, description="Só de leitura.", json_schema_extra=READ_ONLY)
    last_delivery: Any = Field(
        default=None, description="Só de leitura, e sempre ignorado.", json_schema_extra=READ_ONLY
    )
    disabled_reason: str | None = Field(
        default=None, description="Só de leitura.", json_schema_extra=READ_ONLY
    )
    previous_secret_valid_until: datetime | None = Field(
        default=None, description="Só de leitura.", json_schema_extra=READ_ONLY
    )


class Activity(Body):
    """Whether a webhook is to be called."""

    active: Flag
