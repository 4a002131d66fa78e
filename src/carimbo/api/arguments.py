"""Reads the arguments of handlers from requests.

Handlers declare their arguments as for any FastAPI application, and the contract is generated from these
declarations. FastAPI's own reader supports much that we do not use, and takes longer than most handlers.
"""

from collections.abc import Callable, Mapping
from inspect import iscoroutinefunction
from typing import Any, cast

from fastapi import Request
from fastapi._compat import ModelField, field_annotation_is_scalar, lenient_issubclass
from fastapi.dependencies.models import Dependant
from pydantic import BaseModel

Errors = list[dict[str, Any]]


class _Parameter:
    """A parameter in the path, the query or the headers, or a model of all parameters in the query."""

    def __init__(self, field: ModelField, source: str) -> None:
        info = field.field_info
        self._is_model = lenient_issubclass(info.annotation, BaseModel)
        if not self._is_model and not field_annotation_is_scalar(info.annotation):
            raise TypeError(f"{field.alias}: only single values are read from the {source}")
        self.name = field.name
        self._alias = field.alias
        self._location = (source,) if self._is_model else (source, field.alias)
        self._validate = field.validate
        self._is_required = info.is_required()
        self._default = field.get_default()

    def read(self, given: Mapping[str, str], values: dict[str, Any], errors: Errors) -> None:
        value = dict(given) if self._is_model else given.get(self._alias)
        if value is not None:
            values[self.name], invalid = self._validate(value, loc=self._location)
            errors += invalid
        elif self._is_required:
            errors.append({"type": "missing", "loc": self._location, "msg": "", "input": None})
        else:
            values[self.name] = self._default


class Arguments:
    """The arguments of a handler, or of a dependency that computes one of its arguments."""

    def __init__(self, dependant: Dependant) -> None:
        unsupported = (
            dependant.cookie_params,
            dependant.response_param_name,
            dependant.background_tasks_param_name,
            dependant.http_connection_param_name,
            dependant.security_scopes_param_name,
        )
        self.call = cast(Callable[..., Any], dependant.call)
        if any(unsupported) or not (iscoroutinefunction(self.call) or _is_async_object(self.call)):
            raise TypeError(f"{self.call} must be a coroutine function with arguments that we can read")
        self.name = dependant.name
        self._request_name = dependant.request_param_name
        self._dependencies = [Arguments(dependency) for dependency in dependant.dependencies]
        self._path = [_Parameter(field, "path") for field in dependant.path_params]
        self._query = [_Parameter(field, "query") for field in dependant.query_params]
        self._headers = [_Parameter(field, "header") for field in dependant.header_params]

    async def read(self, request: Request, errors: Errors) -> dict[str, Any]:
        """Returns the arguments by their names, except the body; adds every invalid value to the errors."""
        values: dict[str, Any] = {}
        for dependency in self._dependencies:
            earlier = len(errors)
            arguments = await dependency.read(request, errors)
            if len(errors) == earlier:
                value = await dependency.call(**arguments)
                if dependency.name is not None:
                    values[dependency.name] = value
        for parameter in self._path:
            parameter.read(request.path_params, values, errors)
        for parameter in self._query:
            parameter.read(request.query_params, values, errors)
        for parameter in self._headers:
            parameter.read(request.headers, values, errors)
        if self._request_name is not None:
            values[self._request_name] = request
        return values


def _is_async_object(call: Any) -> bool:
    """Returns whether an object is called like a coroutine function."""
    return iscoroutinefunction(type(call).__call__)
