"""Arguments of handlers that we do not read are refused when the route is created, not when it is called."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from fastapi import APIRouter, BackgroundTasks, Cookie, Depends, Query, Response

from carimbo.api.route import OpenEndpoint


async def _with_a_cookie(cookie: Annotated[str, Cookie()]) -> Response:
    return Response(cookie)


async def _with_the_answer(response: Response) -> Response:
    return response


async def _with_tasks(tasks: BackgroundTasks) -> Response:
    return Response(background=tasks)


async def _with_a_list(values: Annotated[list[int], Query()]) -> Response:
    return Response(str(values))


def _plain_function() -> str:
    return ""


async def _with_a_plain_dependency(value: Annotated[str, Depends(_plain_function)]) -> Response:
    return Response(value)


@pytest.mark.parametrize(
    "handler", [_with_a_cookie, _with_the_answer, _with_tasks, _with_a_list, _with_a_plain_dependency]
)
def test_route_whose_arguments_we_do_not_read_is_refused(handler: Callable[..., Any]) -> None:
    router = APIRouter(route_class=OpenEndpoint)
    with pytest.raises(TypeError):
        router.add_api_route("/", handler)
