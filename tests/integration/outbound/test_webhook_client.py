"""Calls to real receivers on loopback, and their answers."""

import asyncio
from datetime import timedelta

import pytest

from carimbo.http_client import idle_connections
from carimbo.outbound import webhook_client
from carimbo.service.ports import WebhookAnswer
from integration.outbound.webhook_calls import after, answer_of, call_to, client_of, writing
from receiver import Receiver, Reply, receiving

OK = Reply(body=b"ok")


async def for_ever(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x" * 10_000)
        await writer.drain()


class TestCall:
    async def test_a_call_arrives_unchanged(self, receiver: Receiver) -> None:
        body = '{"ação": 1}'.encode()
        async with client_of() as client:
            await client.post(call_to(f"{receiver.url}/a%20b?c=d", body, {"X-One": "1", "X-Two": "é"}))
        (call,) = receiver.calls
        assert (call.method, call.path, call.body) == ("POST", "/a%20b?c=d", body)
        assert (call.headers["x-one"], call.headers["X-TWO"]) == ("1", "é")
        assert call.headers["host"] == receiver.url.removeprefix("http://")
        assert call.headers["accept-encoding"] == "identity"
        assert call.headers.get_list("content-length") == [str(len(body))]

    async def test_a_failed_call_is_not_repeated(self, receiver: Receiver) -> None:
        receiver.default = Reply(500, body=b"no")
        assert await answer_of(receiver.url) == WebhookAnswer(500, "no")
        assert len(receiver.calls) == 1

    async def test_a_header_that_cannot_be_written_is_reported(self, receiver: Receiver) -> None:
        async with client_of() as client:
            answer = await client.post(call_to(receiver.url, headers={"X-One": "a\r\nb"}))
        assert answer.error is not None
        assert answer.error.startswith("A chamada não pôde ser escrita (")
        assert receiver.calls == []

    async def test_a_call_ignores_proxy_settings(
        self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with receiving() as proxy:
            for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
                monkeypatch.setenv(name, proxy.url)
            assert (await answer_of(receiver.url)).status == 200
            assert proxy.connections == 0

    async def test_a_call_can_be_cancelled(self, receiver: Receiver) -> None:
        receiver.default = Reply(hangs=True)
        async with client_of() as client:
            calling = asyncio.create_task(client.post(call_to(receiver.url)))
            await receiver.until(1)
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling


class TestAnswer:
    @pytest.mark.parametrize("status", [200, 204, 299, 301, 400, 410, 503, 599])
    async def test_an_answer_may_have_any_status(self, receiver: Receiver, status: int) -> None:
        receiver.default = Reply(status)
        answer = await answer_of(receiver.url)
        assert (answer.status, answer.error) == (status, None)
        assert answer.is_success == (status < 300)

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    async def test_redirects_are_not_followed(self, receiver: Receiver, status: int) -> None:
        async with receiving() as other:
            receiver.default = Reply(status, {"Location": other.url})
            assert (await answer_of(receiver.url)).status == status
            assert other.connections == 0

    async def test_interim_statuses_are_skipped(self, receiver: Receiver) -> None:
        receiver.default = writing(
            b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
        )
        assert (await answer_of(receiver.url)).status == 202

    @pytest.mark.parametrize(
        "answer",
        [
            b"HTTP/1.0 200 OK\r\n\r\nok",
            b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
            b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
            b"HTTP/1.1 200 A\xe7\xe3o\r\nContent-Length: 2\r\n\r\nok",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2 \r\nok\r\n0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
        ],
        ids=[
            "until the close",
            "no phrase",
            "bare line feeds",
            "latin phrase",
            "space after chunk",
            "surplus",
        ],
    )
    async def test_an_answer_of_an_unusual_form_is_read(self, receiver: Receiver, answer: bytes) -> None:
        receiver.default = writing(answer)
        assert await answer_of(receiver.url) == WebhookAnswer(200, "ok")

    async def test_switching_protocols_is_a_failure(self, receiver: Receiver) -> None:
        receiver.default = writing(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
        answer = await answer_of(receiver.url)
        assert not answer.is_success

    @pytest.mark.parametrize(
        ("header", "wait"),
        [("120", 120), ("Sun, 01 Mar 2026 12:01:00 GMT", 60), ("yesterday", None), ("-3", None)],
    )
    async def test_the_retry_after_header_is_read(
        self, receiver: Receiver, header: str, wait: int | None
    ) -> None:
        receiver.default = Reply(503, {"retry-AFTER": header})
        answer = await answer_of(receiver.url)
        assert answer.retry_after == (None if wait is None else timedelta(seconds=wait))


class TestBody:
    async def test_the_body_is_text_without_invalid_characters(self, receiver: Receiver) -> None:
        receiver.default = Reply(body="ação\0".encode() + b"\xff!")
        assert (await answer_of(receiver.url)).body == "ação\ufffd!"

    async def test_the_body_is_read_up_to_its_limit(self, receiver: Receiver) -> None:
        receiver.default = Reply(body=b"x" * 20_000)
        async with client_of() as client:
            assert len((await client.post(call_to(receiver.url))).body) == 20_000
            await client.post(call_to(receiver.url))
        assert receiver.connections == 1

    async def test_the_body_is_cut_at_its_limit_between_characters(self, receiver: Receiver) -> None:
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
    async def test_an_endless_body_is_cut(self, receiver: Receiver, head: bytes) -> None:
        receiver.replies.append(after(head, for_ever))
        async with client_of() as client:
            assert await client.post(call_to(receiver.url)) == WebhookAnswer(200, "x" * 20_000)
            assert (await client.post(call_to(receiver.url))).status == 200
        assert receiver.connections == 2

    async def test_the_body_is_not_decompressed(self, receiver: Receiver) -> None:
        receiver.default = Reply(headers={"Content-Encoding": "gzip"}, body=b"plain")
        assert (await answer_of(receiver.url)).body == "plain"


class TestConnection:
    async def test_a_connection_is_kept_for_the_next_call(self, receiver: Receiver) -> None:
        async with client_of() as client:
            for _ in range(3):
                await client.post(call_to(receiver.url))
        assert (len(receiver.calls), receiver.connections) == (3, 1)

    async def test_a_closed_connection_is_not_used(self, receiver: Receiver) -> None:
        async with client_of() as client:
            await client.post(call_to(receiver.url))
            await receiver.hang_up()
            assert (await client.post(call_to(receiver.url))).status == 200
        assert receiver.connections == 2

    async def test_a_call_is_repeated_if_the_kept_connection_closes(self, receiver: Receiver) -> None:
        """The server closes the connection after the second call was sent."""
        receiver.replies.extend([OK, Reply(drops=True), OK])
        async with client_of() as client:
            await client.post(call_to(receiver.url))
            assert await client.post(call_to(receiver.url, b"second")) == WebhookAnswer(200, "ok")
        assert [call.body for call in receiver.calls] == [b"{}", b"second", b"second"]
        assert receiver.connections == 2

    async def test_a_call_is_repeated_only_once(self, receiver: Receiver) -> None:
        receiver.replies.append(OK)
        receiver.default = Reply(drops=True)
        async with client_of() as client:
            await client.post(call_to(receiver.url))
            answer = await client.post(call_to(receiver.url))
        assert answer.error == "O servidor encerrou a conexão sem responder."
        assert len(receiver.calls) == 3

    @pytest.mark.parametrize(
        "reply",
        [Reply(headers={"Connection": "close"}), Reply(body=b"x" * 20_001)],
        ids=["closed", "cut"],
    )
    async def test_a_connection_that_cannot_carry_another_call_is_not_used(
        self, receiver: Receiver, reply: Reply
    ) -> None:
        receiver.default = reply
        async with client_of() as client:
            for _ in range(2):
                assert (await client.post(call_to(receiver.url))).status == 200
        assert receiver.connections == 2

    async def test_bytes_after_an_answer_are_not_taken_for_the_next_one(self, receiver: Receiver) -> None:
        async def answer_twice(writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" * 2)
            await asyncio.Event().wait()

        receiver.replies.append(Reply(write=answer_twice))
        receiver.default = Reply(500)
        async with client_of() as client:
            assert (await client.post(call_to(receiver.url))).status == 200
            assert (await client.post(call_to(receiver.url))).status == 500

    async def test_an_idle_connection_is_closed_in_the_end(
        self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(idle_connections, "_IDLE_SECONDS", 0.05)
        async with client_of() as client:
            await client.post(call_to(receiver.url))
            await receiver.wait_until_closed()
            assert (await client.post(call_to(receiver.url))).status == 200
        assert receiver.connections == 2

    async def test_only_so_many_connections_are_kept(
        self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(webhook_client, "_MAX_IDLE", 1)
        gate = asyncio.Event()
        receiver.default = Reply(gate=gate)
        async with client_of() as client:
            for expected in (2, 3):
                calls = [asyncio.create_task(client.post(call_to(receiver.url))) for _ in range(2)]
                await receiver.until(len(receiver.calls) + 2)
                gate.set()
                await asyncio.gather(*calls)
                gate.clear()
                assert receiver.connections == expected

    async def test_a_closed_connection_makes_room_for_another(
        self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(webhook_client, "_MAX_IDLE", 1)
        async with client_of() as client:
            await client.post(call_to(receiver.url))
            await receiver.hang_up()
            for _ in range(2):
                await client.post(call_to(receiver.url))
        assert receiver.connections == 2

    async def test_a_slow_receiver_delays_no_other(self, receiver: Receiver) -> None:
        receiver.default = Reply(hangs=True)
        async with client_of(seconds=60) as client, receiving() as other:
            slow = [asyncio.create_task(client.post(call_to(receiver.url))) for _ in range(150)]
            await receiver.until(150)
            answer = await asyncio.wait_for(client.post(call_to(other.url)), 30)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)
        assert answer.status == 200

    async def test_connections_are_closed_with_the_client(self, receiver: Receiver) -> None:
        async with client_of() as client:
            await client.post(call_to(receiver.url))
            with pytest.raises(TimeoutError):
                await receiver.wait_until_closed(timeout_seconds=0.05)
        await receiver.wait_until_closed()
