import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from carimbo.service.delivery.custom_headers import (
    CustomHeader,
    CustomHeaders,
    opened,
    sealable,
    shown_pairs,
    told_pairs,
)
from carimbo.service.errors import Refusal

HEADERS = TypeAdapter[list[CustomHeader]](CustomHeaders)
STORED = [("Authorization", "Bearer 0123456789"), ("X-Short", "1234")]
TOKEN_MARKS = "!#$%&'*+-.^_`|~"


def header(key: str = "X-Loja", value: str = "7") -> CustomHeader:
    return CustomHeader(key=key, value=value)


def wrong_with(key: str = "X-Loja", value: str = "7") -> str:
    """The kind of the one error that a header has."""
    with pytest.raises(ValidationError) as caught:
        header(key, value)
    (error,) = caught.value.errors()
    return error["type"]


class TestNames:
    @pytest.mark.parametrize(
        "name",
        [
            "Authorization",
            "X-Api-Key",
            "cookie",
            "Accept-Language",
            "x",
            "X_1.a",
            TOKEN_MARKS,
            "Webhook",
            "Tea",
            "X" * 100,
        ],
    )
    def test_that_are_tokens_are_free(self, name: str) -> None:
        assert header(key=name).key == name

    @pytest.mark.parametrize(
        "name",
        [
            "Connection", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer",
            "Transfer-Encoding", "Upgrade", "Host", "HOST", "Content-Length", "content-type",
            "Content-Encoding", "Expect", "User-Agent", "Accept", "accept",
            "Accept-Encoding", "Date", "HTTP2-Settings", "http2-settings", "webhook-id", "Webhook-Signature",
            "svix-id",
        ],
    )  # fmt: skip
    def test_of_the_service_or_the_connection_are_taken(self, name: str) -> None:
        assert wrong_with(key=name) == "header_name"

    @pytest.mark.parametrize(
        "name", ["X Loja", " X", "X:", "X\r\nHost", "X\n", "Ação", "X\0", "(x)", 'x"', "x,y", "ﬁ"]
    )
    def test_that_are_no_tokens_are_refused(self, name: str) -> None:
        assert wrong_with(key=name) == "header_name"

    def test_are_not_long(self) -> None:
        assert wrong_with(key="X" * 101) == "string_too_long"

    def test_come_once_whatever_their_case(self) -> None:
        twice = [{"key": "X-Loja", "value": "1"}, {"key": "Y", "value": "1"}, {"key": "x-loja", "value": "2"}]
        with pytest.raises(ValidationError, match="O cabeçalho x-loja se repete"):
            HEADERS.validate_python(twice)
        assert len(HEADERS.validate_python(twice[:2])) == 2


class TestValues:
    @given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=1000))
    def test_of_visible_ascii_go_through(self, value: str) -> None:
        assert header(value=value).value == value

    @pytest.mark.parametrize("value", ["Bearer abc", "a\tb", "a  b"])
    def test_may_have_spaces_inside(self, value: str) -> None:
        assert header(value=value).value == value

    @pytest.mark.parametrize(
        "value", [" a", "a ", "a\n", "a\r\nX-Other: b", "a\0b", "a\x7f", "ação", "a\u2028b", "\ta"]
    )
    def test_of_anything_else_are_refused(self, value: str) -> None:
        assert wrong_with(value=value) == "header_value"

    def test_are_not_long(self) -> None:
        assert wrong_with(value="x" * 1001) == "string_too_long"


class TestStored:
    def test_are_shown_masked(self) -> None:
        shown = [(one.key, one.value) for one in shown_pairs(STORED)]
        assert shown == [("Authorization", "********6789"), ("X-Short", "********")]

    def test_are_meant_by_their_masks(self) -> None:
        again = [header("x-short", "********"), header("authorization", "********6789")]
        assert told_pairs(again, STORED) == [("x-short", "1234"), ("authorization", "Bearer 0123456789")]

    def test_give_way_to_other_values(self) -> None:
        assert told_pairs([header("X-Short", "4321")], STORED) == [("X-Short", "4321")]

    @pytest.mark.parametrize(
        ("key", "value"),
        [("Authorization", "********"), ("Authorization", "********0000"), ("X-Other", "********6789")],
    )
    def test_are_not_meant_by_another_s_mask(self, key: str, value: str) -> None:
        with pytest.raises(Refusal) as caught:
            told_pairs([header(), header(key, value)], STORED)
        assert caught.value.details is not None
        assert caught.value.details["fields"] == [
            {
                "field": "headers[1].value",
                "error": "Valor mascarado: envie o valor inteiro, ou exatamente como foi lido.",
            }
        ]

    def test_come_back_as_they_were_sealed(self) -> None:
        assert opened(sealable(STORED)) == STORED
        assert opened(None) == []
