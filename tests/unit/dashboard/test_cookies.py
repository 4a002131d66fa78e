"""Cookies: the headers that browsers and strangers send."""

import pytest
from starlette.requests import Request

from carimbo.dashboard.options import DashboardOptions
from carimbo.dashboard.security import session_token


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        (["other=1; carimbo-local=abc"], "abc"),
        (["other=1", "x=2; carimbo-local=abc=="], "abc=="),
        # Unquoting takes quadratic time in older versions of Python, so a quoted value stays as it is.
        ([r'a="\\\\"; carimbo-local="\\141"'], r'"\\141"'),
        (["carimbo-local=; other=carimbo-local"], None),
        ([], None),
    ],
)
def test_session_cookie_is_read_as_it_is_sent(headers: list[str], token: str | None) -> None:
    scope = {"type": "http", "headers": [(b"cookie", header.encode()) for header in headers]}
    assert session_token(Request(scope), DashboardOptions(None)) == token
