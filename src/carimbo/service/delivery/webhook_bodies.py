"""The bodies that callers send of webhooks."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from carimbo.fiscal.fields import Body, Flag, Text
from carimbo.service.delivery.chosen_events import ChosenEvents, require_any
from carimbo.service.delivery.custom_headers import CustomHeaders
from carimbo.service.read_only import READ_ONLY, Dated


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
    events: Annotated[ChosenEvents, AfterValidator(require_any)] = Field(
        description="Eventos a receber, por grupo; pelo menos um."
    )
    active: Flag | None = Field(
        default=None, description="Sem o campo, um webhook novo é ativo, e um que existe fica como está."
    )


class WebhookChanges(Dated, WebhookBody):
    """The body that changes a webhook: an absent field stays as it is, null clears it."""

    url: Url = Field(
        default="",
        description="Endereço https que recebe os eventos.",
        examples=["https://example.com/webhooks"],
    )
    events: Annotated[ChosenEvents, AfterValidator(require_any)] = Field(
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
