import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from carimbo.service.delivery.webhook_headers import (
    CustomHeader,
    CustomHeaders,
    dump_headers,
    header_pairs,
    load_headers,
    masked_headers,
)
from carimbo.service.errors import Refusal

HEADERS = TypeAdapter[list[CustomHeader]](CustomHeaders)
STORED = [("Authorization", "Bearer 0123456789"), ("X-Short", "1234")]
TOKEN_MARKS = "!#$%&'*+-.^_`|~"


def header(key: str = "X-Loja", value: str = "7") -> CustomHeader:
    return CustomHeader(key=key, value=value)


def wrong_with(key: str = "X-Loja", value: str = "7") -> str:
    """Returns the type of the only error that a header has."""
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
    def test_any_token_is_accepted_as_a_name(self, name: str) -> None:
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
    def test_names_of_the_service_and_of_the_connection_are_reserved(self, name: str) -> None:
        assert wrong_with(key=name) == "header_name"

    @pytest.mark.parametrize(
        "name", ["X Loja", " X", "X:", "X\r\nHost", "X\n", "Ação", "X\0", "(x)", 'x"', "x,y", "ﬁ"]
    )
    def test_name_that_is_not_a_token_is_refused(self, name: str) -> None:
        assert wrong_with(key=name) == "header_name"

    def test_long_name_is_refused(self) -> None:
        assert wrong_with(key="X" * 101) == "string_too_long"

    def test_repeated_name_is_refused_whatever_its_case(self) -> None:
        twice = [{"key": "X-Loja", "value": "1"}, {"key": "Y", "value": "1"}, {"key": "x-loja", "value": "2"}]
        with pytest.raises(ValidationError, match="O cabeçalho x-loja se repete"):
            HEADERS.validate_python(twice)
        assert len(HEADERS.validate_python(twice[:2])) == 2


class TestValues:
    @given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=1000))
    def test_value_of_visible_ascii_is_accepted(self, value: str) -> None:
        assert header(value=value).value == value

    @pytest.mark.parametrize("value", ["Bearer abc", "a\tb", "a  b"])
    def test_value_may_have_inner_spaces(self, value: str) -> None:
        assert header(value=value).value == value

    @pytest.mark.parametrize(
        "value", [" a", "a ", "a\n", "a\r\nX-Other: b", "a\0b", "a\x7f", "ação", "a\u2028b", "\ta"]
    )
    def test_value_with_other_characters_is_refused(self, value: str) -> None:
        assert wrong_with(value=value) == "header_value"

    def test_long_value_is_refused(self) -> None:
        assert wrong_with(value="x" * 1001) == "string_too_long"


class TestStored:
    def test_stored_values_are_shown_masked(self) -> None:
        shown = [(header.key, header.value) for header in masked_headers(STORED)]
        assert shown == [("Authorization", "********6789"), ("X-Short", "********")]

    def test_mask_keeps_the_stored_value(self) -> None:
        again = [header("x-short", "********"), header("authorization", "********6789")]
        assert header_pairs(again, STORED) == [("x-short", "1234"), ("authorization", "Bearer 0123456789")]

    def test_new_value_replaces_the_stored_value(self) -> None:
        assert header_pairs([header("X-Short", "4321")], STORED) == [("X-Short", "4321")]

    @pytest.mark.parametrize(
        ("key", "value"),
        [("Authorization", "********"), ("Authorization", "********0000"), ("X-Other", "********6789")],
    )
    def test_mask_of_another_header_does_not_keep_the_value(self, key: str, value: str) -> None:
        with pytest.raises(Refusal) as caught:
            header_pairs([header(), header(key, value)], STORED)
        assert caught.value.details is not None
        assert caught.value.details["fields"] == [
            {
                "field": "headers[1].value",
                "error": "Valor mascarado: envie o valor inteiro, ou exatamente como foi lido.",
            }
        ]

    def test_sealed_headers_open_unchanged(self) -> None:
        assert load_headers(dump_headers(STORED)) == STORED
        assert load_headers(None) == []
