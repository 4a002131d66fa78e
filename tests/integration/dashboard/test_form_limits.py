"""Forms that can't be read, that are too large, or that arrive after what they rely on has changed."""

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx2
import pytest

from carimbo.dashboard.security import SHORT_FORM
from carimbo.storage.database import Database
from integration.dashboard.panel import ORIGIN, Panel, strings_of
from support import Caller

_HEADERS = {"Origin": ORIGIN}
_UNREADABLE = "O formulário não pôde ser lido: abra a página de novo e repita."
_URLENCODED = "application/x-www-form-urlencoded"
_PART = b'--b\r\nContent-Disposition: form-data; name="email"%s\r\n\r\nana\r\n--b--\r\n'

Change = Callable[[Database, Panel], Awaitable[None]]


async def _post(http: httpx2.AsyncClient, content_type: str, content: bytes) -> httpx2.Response:
    headers = {**_HEADERS, "Content-Type": content_type}
    return await http.post("/painel/entrar", content=content, headers=headers)


class TestUnreadableForms:
    @pytest.mark.parametrize("charset", ["punycode", "undefined", "raw_unicode_escape", '"UTF-16"'])
    async def test_charset_other_than_that_of_browsers_is_refused(
        self, browser_without_session: httpx2.AsyncClient, charset: str
    ) -> None:
        content_type = f"multipart/form-data; boundary=b; charset={charset}"
        answer = await _post(browser_without_session, content_type, _PART % b"")
        assert (answer.status_code, strings_of(answer.text, "//main/p[2]/text()")) == (400, [_UNREADABLE])

    async def test_every_unreadable_form_is_refused_with_the_same_sentence(
        self, browser_without_session: httpx2.AsyncClient
    ) -> None:
        fields = b"&".join(b"a%d=1" % number for number in range(SHORT_FORM.max_fields + 1))
        for content_type, content in (
            ("multipart/form-data", _PART % b""),
            ("multipart/form-data; boundary=b", b"x"),
            ("multipart/form-data; boundary=b", _PART % b'; filename="x"'),
            (_URLENCODED, fields),
        ):
            answer = await _post(browser_without_session, content_type, content)
            sentences = strings_of(answer.text, "//main/p[2]/text()")
            assert (answer.status_code, sentences) == (400, [_UNREADABLE]), content_type

    async def test_form_may_be_as_large_as_the_limit_and_no_larger(
        self, browser_without_session: httpx2.AsyncClient
    ) -> None:
        for size, status in ((SHORT_FORM.max_bytes, 403), (SHORT_FORM.max_bytes + 1, 413)):
            answer = await _post(browser_without_session, _URLENCODED, b"&" * size)
            assert answer.status_code == status, size


async def _end_session(database: Database, panel: Panel) -> None:
    async with database.connection() as connection:
        await connection.execute("delete from sessions where person_id = $1", panel.person.id)


async def _remove_membership(database: Database, panel: Panel) -> None:
    async with database.connection() as connection:
        await connection.execute("delete from memberships where person_id = $1", panel.person.id)


async def _wait_eleven_minutes(database: Database, panel: Panel) -> None:
    async with database.connection() as connection:
        await connection.execute(
            "update sessions set authenticated_at = now() - interval '11 minutes' where person_id = $1",
            panel.person.id,
        )


class TestSlowForms:
    """A form whose body is held back until something has changed."""

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            (_end_session, (303, "/painel/entrar?para=/conta")),
            (_remove_membership, (404, None)),
            (_wait_eleven_minutes, (303, "/painel/confirmar?para=/conta")),
        ],
    )
    async def test_session_role_and_confirmation_are_those_when_the_form_is_complete(
        self,
        panel: Panel,
        caller: Caller,
        database: Database,
        change: Change,
        expected: tuple[int, str | None],
    ) -> None:
        company_id = await caller.create_company()
        page = await panel.page("/painel/conta")
        (token, *_) = page.xpath("//input[@name='form_token']/@value")

        async def body() -> AsyncIterator[bytes]:
            yield b"form_token="
            await change(database, panel)
            yield token.encode()

        headers = {**_HEADERS, "Content-Type": _URLENCODED, "Referer": f"{ORIGIN}/painel/conta"}
        address = f"{panel.company(company_id)}/exportacoes/envio"
        answer = await panel.http.post(address, content=body(), headers=headers)
        assert (answer.status_code, answer.headers.get("location")) == expected

    async def test_body_is_not_read_for_a_browser_without_a_session(
        self, browser_without_session: httpx2.AsyncClient
    ) -> None:
        is_read = False

        async def body() -> AsyncIterator[bytes]:
            nonlocal is_read
            is_read = True
            yield b""

        headers = {**_HEADERS, "Content-Type": _URLENCODED}
        answer = await browser_without_session.post("/painel/sair", content=body(), headers=headers)
        assert (answer.status_code, is_read) == (303, False)
