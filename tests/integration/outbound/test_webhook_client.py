"""Calls to real receivers on loopback, however they behave; nothing else is ever dialled."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from carimbo.outbound.allowed_hosts import AllowedHosts
from carimbo.outbound.guard import Guard
from carimbo.outbound.webhook_client import HttpWebhookClient
from carimbo.service.ports import WebhookAnswer, WebhookCall
from receiver import LOOPBACK, Receiver, Reply, receiving
from support import free_port

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
OK = Reply(body=b"ok")


@asynccontextmanager
async def client_of(
    allowed: str = LOOPBACK, seconds: float = 5, guard: Guard | None = None
) -> AsyncIterator[HttpWebhookClient]:
    found = guard or Guard(AllowedHosts.parse(allowed))
    async with HttpWebhookClient(found, seconds, lambda: NOW) as client:
        yield client


def call_to(url: str, body: bytes = b"{}", headers: Mapping[str, str] = {}) -> WebhookCall:
    return WebhookCall(url, tuple(headers.items()), body)


async def answer_of(url: str, seconds: float = 5) -> WebhookAnswer:
    async with client_of(seconds=seconds) as client:
        return await client.post(call_to(url))


def writing(text: bytes, pause: float = 0, times: int = 1) -> Reply:
    """Answer with these bytes, some times over, and nothing of HTTP's own."""

    async def write(writer: asyncio.StreamWriter) -> None:
        for _ in range(times):
            writer.write(text)
            await writer.drain()
            await asyncio.sleep(pause)

    return Reply(write=write)


def after(head: bytes, then: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> Reply:
    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await then(writer)

    return Reply(write=write)


async def for_ever(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x" * 10_000)
        await writer.drain()


async def drip(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.01)


class TestCall:
    async def test_arrives_as_it_is(self, receiver: Receiver) -> None:
        body = '{"ação": 1}'.encode()
        async with client_of() as client:
            await client.post(call_to(f"{receiver.url}/a%20b?c=d", body, {"X-One": "1", "X-Two": "é"}))
        (call,) = receiver.calls
        assert (call.method, call.path, call.body) == ("POST", "/a%20b?c=d", body)
        assert (call.headers["x-one"], call.headers["X-TWO"]) == ("1", "é")
        assert call.headers["host"] == receiver.url.removeprefix("http://")
        assert call.headers["accept-encoding"] == "identity"
        assert call.headers.get_list("content-length") == [str(len(body))]

    async def test_is_made_once(self, receiver: Receiver) -> None:
        receiver.default = Reply(500, body=b"no")
        assert await answer_of(receiver.url) == WebhookAnswer(500, "no")
        assert len(receiver.calls) == 1

    async def test_whose_header_can_not_be_written_is_told(self, receiver: Receiver) -> None:
        async with client_of() as client:
            answer = await client.post(call_to(receiver.url, headers={"X-One": "a\r\nb"}))
        assert answer.error is not None
        assert answer.error.startswith("A chamada não pôde ser escrita (")
        assert receiver.calls == []

    async def test_goes_through_no_proxy(self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
        async with receiving() as proxy:
            for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
                monkeypatch.setenv(name, proxy.url)
            assert (await answer_of(receiver.url)).status == 200
            assert proxy.connections == 0

    async def test_can_be_cancelled(self, receiver: Receiver) -> None:
        receiver.default = Reply(hangs=True)
        async with client_of() as client:
            calling = asyncio.create_task(client.post(call_to(receiver.url)))
            await receiver.until(1)
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling


class TestAnswer:
    @pytest.mark.parametrize("status", [200, 204, 299, 301, 400, 410, 503, 599])
    async def test_may_have_any_status(self, receiver: Receiver, status: int) -> None:
        receiver.default = Reply(status)
        answer = await answer_of(receiver.url)
        assert (answer.status, answer.error) == (status, None)
        assert answer.is_success == (status < 300)

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    async def test_is_not_followed_elsewhere(self, receiver: Receiver, status: int) -> None:
        async with receiving() as other:
            receiver.default = Reply(status, {"Location": other.url})
            assert (await answer_of(receiver.url)).status == status
            assert other.connections == 0

    async def test_has_a_status_after_those_that_announce_it(self, receiver: Receiver) -> None:
        receiver.default = writing(
            b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
        )
        assert (await answer_of(receiver.url)).status == 202

    async def test_to_switch_protocols_is_a_failure(self, receiver: Receiver) -> None:
        receiver.default = writing(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
        answer = await answer_of(receiver.url)
        assert not answer.is_success

    @pytest.mark.parametrize(
        ("header", "wait"),
        [("120", 120), ("Sun, 01 Mar 2026 12:01:00 GMT", 60), ("yesterday", None), ("-3", None)],
    )
    async def test_may_ask_us_to_wait(self, receiver: Receiver, header: str, wait: int | None) -> None:
        receiver.default = Reply(503, {"retry-AFTER": header})
        answer = await answer_of(receiver.url)
        assert answer.retry_after == (None if wait is None else timedelta(seconds=wait))


class TestBody:
    async def test_is_text_without_what_can_not_be_kept(self, receiver: Receiver) -> None:
        receiver.default = Reply(body="ação\0".encode() + b"\xff!")
        assert (await answer_of(receiver.url)).body == "ação\ufffd!"

    async def test_is_read_whole_up_to_its_limit(self, receiver: Receiver) -> None:
        receiver.default = Reply(body=b"x" * 20_000)
        async with client_of() as client:
            assert len((await client.post(call_to(receiver.url))).body) == 20_000
            await client.post(call_to(receiver.url))
        assert receiver.connections == 1

    async def test_is_cut_after_its_limit_between_letters(self, receiver: Receiver) -> None:
        receiver.default = Reply(body=b"x" + "ã".encode() * 20_000)
        assert (await answer_of(receiver.url)).body == "x" + "ã" * 9999

    @pytest.mark.parametrize(
        "head",
        [
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n",
        ],
        ids=["unbounded", "long", "chunked"],
    )
    async def test_without_end_is_cut_too(self, receiver: Receiver, head: bytes) -> None:
        receiver.replies.append(after(head, for_ever))
        async with client_of() as client:
            assert await client.post(call_to(receiver.url)) == WebhookAnswer(200, "x" * 20_000)
            assert (await client.post(call_to(receiver.url))).status == 200
        assert receiver.connections == 2

    async def test_is_shown_as_it_came_even_if_compressed(self, receiver: Receiver) -> None:
        receiver.default = Reply(headers={"Content-Encoding": "gzip"}, body=b"plain")
        assert (await answer_of(receiver.url)).body == "plain"


class TestFailure:
    async def test_is_told_of_a_name_that_nobody_knows(self) -> None:
        async def resolve(host: str, port: int) -> list[str]:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        async with client_of(guard=Guard(AllowedHosts(), resolve)) as client:
            answer = await client.post(call_to("https://hooks.example.com/"))
        assert answer == WebhookAnswer(None, "", error="O endereço do host não foi encontrado.")

    async def test_is_told_of_a_refused_connection(self) -> None:
        answer = await answer_of(f"http://{LOOPBACK}:{free_port()}/")
        assert answer == WebhookAnswer(None, "", error="O servidor recusou a conexão.")

    async def test_is_told_of_a_server_that_hangs_up(self, receiver: Receiver) -> None:
        receiver.default = Reply(drops=True)
        answer = await answer_of(receiver.url)
        assert answer == WebhookAnswer(None, "", error="O servidor encerrou a conexão sem responder.")
        assert len(receiver.calls) == 1

    @pytest.mark.parametrize(
        "garbage",
        [
            b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
            b"HTTP/1.1 abc\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            b"\x16\x03\x01\x00\x00" * 100,
        ],
        ids=["ssh", "status", "header", "lengths", "octets"],
    )
    async def test_is_told_of_what_is_no_http(self, receiver: Receiver, garbage: bytes) -> None:
        receiver.default = writing(garbage)
        answer = await answer_of(receiver.url)
        assert answer.status is None
        assert answer.error == "O servidor respondeu algo que não é HTTP."

    async def test_is_told_of_a_flood_of_headers(self, receiver: Receiver) -> None:
        async def flood(writer: asyncio.StreamWriter) -> None:
            while True:
                writer.write(b"X-Flood: %s\r\n" % (b"x" * 1000))
                await writer.drain()

        receiver.default = after(b"HTTP/1.1 200 OK\r\n", flood)
        answer = await answer_of(receiver.url)
        assert answer.status is None
        assert answer.error == "O servidor respondeu algo que não é HTTP."

    @pytest.mark.parametrize(
        "head",
        [
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nxyz\r\n",
        ],
        ids=["length", "chunk", "malformed"],
    )
    async def test_is_told_of_half_an_answer(self, receiver: Receiver, head: bytes) -> None:
        receiver.default = writing(head)
        error = "A resposta do servidor foi cortada ou está malformada."
        assert await answer_of(receiver.url) == WebhookAnswer(None, "half", error=error)

    async def test_is_told_of_a_server_that_hangs(self, receiver: Receiver) -> None:
        receiver.default = Reply(hangs=True)
        answer = await answer_of(receiver.url, seconds=0.2)
        assert answer == WebhookAnswer(None, "", error="O servidor não respondeu em 0,2 s.")

    async def test_is_told_of_an_answer_that_drips(self, receiver: Receiver) -> None:
        """Time counts for the whole call: bytes that come one by one win none."""
        receiver.default = after(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", drip)
        began = time.monotonic()
        answer = await answer_of(receiver.url, seconds=0.3)
        assert time.monotonic() - began < 2
        assert (answer.status, set(answer.body)) == (None, {"x"})
        assert answer.error == "A resposta do servidor não chegou inteira em 0,3 s."

    async def test_is_told_of_a_head_that_drips(self, receiver: Receiver) -> None:
        receiver.default = after(b"HTTP/1.1 200 OK\r\nX-Drip: ", drip)
        answer = await answer_of(receiver.url, seconds=0.3)
        assert answer.error == "O servidor não respondeu em 0,3 s."

    async def test_is_told_of_announcements_without_end(self, receiver: Receiver) -> None:
        receiver.default = writing(b"HTTP/1.1 100 Continue\r\n\r\n", 0.01, times=1000)
        answer = await answer_of(receiver.url, seconds=0.3)
        assert answer.error == "O servidor não respondeu em 0,3 s."

    async def test_is_told_of_a_connection_that_nobody_accepts(self) -> None:
        with socket.create_server((LOOPBACK, 0), backlog=0) as listener:
            place = listener.getsockname()
            # The kernel takes no more than these by itself.
            waiting = [socket.socket() for _ in range(3)]
            for one in waiting:
                one.setblocking(False)
                one.connect_ex(place)
            answer = await answer_of(f"http://{LOOPBACK}:{place[1]}/", seconds=0.3)
            for one in waiting:
                one.close()
        assert answer.error == "A conexão com o servidor não foi estabelecida em 0,3 s."


class TestConnection:
    async def test_is_kept_for_the_next_call(self, receiver: Receiver) -> None:
        async with client_of() as client:
            for _ in range(3):
                await client.post(call_to(receiver.url))
        assert (len(receiver.calls), receiver.connections) == (3, 1)

    async def test_that_ended_meanwhile_is_not_used(self, receiver: Receiver) -> None:
        async with client_of() as client:
            await client.post(call_to(receiver.url))
            await receiver.hang_up()
            assert (await client.post(call_to(receiver.url))).status == 200
        assert receiver.connections == 2

    async def test_that_ends_under_a_call_does_not_lose_it(self, receiver: Receiver) -> None:
        """The server closes when the second call is already on its way."""
        receiver.replies.extend([OK, Reply(drops=True), OK])
        async with client_of() as client:
            await client.post(call_to(receiver.url))
            assert await client.post(call_to(receiver.url, b"second")) == WebhookAnswer(200, "ok")
        assert [call.body for call in receiver.calls] == [b"{}", b"second", b"second"]
        assert receiver.connections == 2

    async def test_is_tried_once_more_only(self, receiver: Receiver) -> None:
        receiver.replies.append(OK)
        receiver.default = Reply(drops=True)
        async with client_of() as client:
            await client.post(call_to(receiver.url))
            answer = await client.post(call_to(receiver.url))
        assert answer.error == "O servidor encerrou a conexão sem responder."
        assert len(receiver.calls) == 3

    async def test_of_a_slow_receiver_delays_no_other(self, receiver: Receiver) -> None:
        receiver.default = Reply(hangs=True)
        async with client_of(seconds=60) as client, receiving() as other:
            slow = [asyncio.create_task(client.post(call_to(receiver.url))) for _ in range(150)]
            await receiver.until(150, patience=30)
            answer = await asyncio.wait_for(client.post(call_to(other.url)), 2)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)
        assert answer.status == 200

    async def test_is_closed_with_the_client(self, receiver: Receiver) -> None:
        async with client_of() as client:
            await client.post(call_to(receiver.url))
            with pytest.raises(TimeoutError):
                await receiver.until_alone(patience=0.05)
        await receiver.until_alone()


class Dns:
    """A name whose addresses change with every lookup, and how often it was looked up."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.lookups = 0

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.lookups += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class TestGuard:
    async def test_keeps_calls_from_this_machine(self, receiver: Receiver) -> None:
        async with client_of(allowed="") as client:
            answer = await client.post(call_to(receiver.url.replace("http", "https")))
        assert answer.error == "O host da URL leva a um endereço que não é público."
        assert receiver.connections == 0

    async def test_keeps_calls_from_http_to_what_is_not_allowed(self, receiver: Receiver) -> None:
        async with client_of(allowed="") as client:
            answer = await client.post(call_to(receiver.url))
        assert answer.error == "A URL deve começar com https://."
        assert receiver.connections == 0

    async def test_looks_again_at_a_name_that_has_changed_its_address(self, receiver: Receiver) -> None:
        """Public when the webhook was made, this machine when it is called."""
        dns = Dns(["200.160.2.3"], [LOOPBACK])
        guard = Guard(AllowedHosts(), dns.resolve)
        url = f"https://hooks.example.com:{receiver.url.rpartition(':')[2]}/"
        assert await guard.objection_to(url) is None
        async with client_of(guard=guard) as client:
            answer = await client.post(call_to(url))
        assert answer.error == "O host da URL leva a um endereço que não é público."
        assert receiver.connections == 0

    async def test_dials_nothing_if_one_of_several_addresses_is_not_public(self, receiver: Receiver) -> None:
        guard = Guard(AllowedHosts(), Dns([LOOPBACK, "200.160.2.3"]).resolve)
        url = f"https://hooks.example.com:{receiver.url.rpartition(':')[2]}/"
        async with client_of(guard=guard) as client:
            answer = await client.post(call_to(url))
        assert answer.error == "O host da URL leva a um endereço que não é público."
        assert receiver.connections == 0

    async def test_lets_dial_what_it_looked_at_and_nothing_else(self, receiver: Receiver) -> None:
        """One lookup, whose result is dialled: a second could tell something else."""
        dns = Dns([LOOPBACK], ["203.0.113.1"])
        guard = Guard(AllowedHosts.parse("hooks.example.com"), dns.resolve)
        port = receiver.url.rpartition(":")[2]
        async with client_of(guard=guard) as client:
            answer = await client.post(call_to(f"http://hooks.example.com:{port}/"))
        assert (answer.status, dns.lookups) == (200, 1)
        assert receiver.calls[0].headers["host"] == f"hooks.example.com:{port}"

    async def test_lets_try_the_next_address(self, receiver: Receiver) -> None:
        guard = Guard(AllowedHosts.parse("hooks.example.com"), Dns(["127.0.0.2", LOOPBACK]).resolve)
        async with client_of(guard=guard) as client:
            url = f"http://hooks.example.com:{receiver.url.rpartition(':')[2]}/"
            assert (await client.post(call_to(url))).status == 200
