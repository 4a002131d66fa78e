"""Bodies of changes to a record: any field of the record's body, all of them optional.

Such a body is published field by field, but validated only after it is merged with the record: whether a
field is right may depend on fields that the caller left out.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, WrapValidator, create_model
from pydantic_core import PydanticKnownError

from carimbo.fiscal.fields import Body


class _NothingRequired(Body):
    model_config = ConfigDict(json_schema_extra=lambda schema: schema.pop("required", None))


def partial_of(form: type[BaseModel], *more: type[BaseModel]) -> Any:
    """Returns a model that publishes the fields of a body, and of `more`, with none of them required."""
    bases: Any = (_NothingRequired, *more, form)
    return create_model(f"{form.__name__}Changes", __base__=bases, __doc__="What changes in a record.")


def _as_sent(body: Any, _: Any) -> Any:
    if not isinstance(body, dict):
        raise PydanticKnownError("dict_type")
    return body


AS_SENT = WrapValidator(_as_sent)
"""Takes any JSON object as it is."""
