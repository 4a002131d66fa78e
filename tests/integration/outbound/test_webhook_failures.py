"""Failed calls: receivers that fail in every way, and addresses that must not be called."""

import asyncio
import socket
import struct
from collections.abc import Callable, Sequence

import pytest
import uvloop

from carimbo.outbound.guard import WebhookGuard
from carimbo.outbound.target import AllowedHosts
from carimbo.service.ports import WebhookAnswer
from integration.outbound.webhook_calls import after, answer_of, call_to, client_of, writing
from receiver import Receiver, Reply
from support import LOOPBACK, free_port


async def drip(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.01)


def close(transport: asyncio.WriteTransport) -> None:
    transport.close()


def reset(transport: asyncio.WriteTransport) -> None:
    """Closes a connection without the usual goodbye."""
    connected = transport.get_extra_info("socket")
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


class TestFailure:
    async def test_an_unknown_host_is_reported(self) -> None:
        async def resolve(host: str, port: int) -> list[str]:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        async with client_of(guard=WebhookGuard(AllowedHosts(), resolve)) as client:
            answer = await client.post(call_to("https://hooks.example.com/"))
        assert answer == WebhookAnswer(None, "", error="O endereço do host não foi encontrado.")

    async def test_a_refused_connection_is_reported(self) -> None:
        answer = await answer_of(f"http://{LOOPBACK}:{free_port()}/")
        assert answer == WebhookAnswer(None, "", error="O servidor recusou a conexão.")

    async def test_a_closed_connection_is_reported(self, receiver: Receiver) -> None:
        receiver.default = Reply(drops=True)
        answer = await answer_of(receiver.url)
        assert answer == WebhookAnswer(None, "", error="O servidor encerrou a conexão sem responder.")
        assert len(receiver.calls) == 1

    @pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
    @pytest.mark.parametrize("end", [close, reset], ids=["closed", "reset"])
    def test_a_connection_that_is_closed_at_once_is_reported(
        self, end: Callable[[asyncio.WriteTransport], None], run: Callable[..., WebhookAnswer]
    ) -> None:
        """The loops differ in whether they notice it before the call is sent."""

        async def answer() -> WebhookAnswer:
            async with await asyncio.start_server(
                lambda _, writer: end(writer.transport), LOOPBACK, 0
            ) as server:
                return await answer_of(f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}/")

        assert run(answer()).error == "O servidor encerrou a conexão sem responder."

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
    async def test_an_answer_that_is_not_http_is_reported(self, receiver: Receiver, garbage: bytes) -> None:
        receiver.default = writing(garbage)
        answer = await answer_of(receiver.url)
        assert answer.status is None
        assert answer.error == "O servidor respondeu algo que não é HTTP."

    async def test_endless_headers_are_reported(self, receiver: Receiver) -> None:
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
    async def test_a_truncated_answer_is_reported(self, receiver: Receiver, head: bytes) -> None:
        receiver.default = writing(head)
        error = "A resposta do servidor foi cortada ou está malformada."
        assert await answer_of(receiver.url) == WebhookAnswer(None, "half", error=error)

    async def test_a_server_that_does_not_answer_is_reported(self, receiver: Receiver) -> None:
        receiver.default = Reply(hangs=True)
        answer = await answer_of(receiver.url, seconds=1)
        assert answer == WebhookAnswer(None, "", error="O servidor não respondeu em 1 s.")

    async def test_an_answer_that_arrives_too_slowly_is_reported(self, receiver: Receiver) -> None:
        """The timeout is for the whole call: single bytes do not extend it."""
        receiver.default = after(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", drip)
        answer = await answer_of(receiver.url, seconds=1)
        assert (answer.status, set(answer.body)) == (None, {"x"})
        assert answer.error == "A resposta do servidor não chegou inteira em 1 s."

    async def test_headers_that_arrive_too_slowly_are_reported(self, receiver: Receiver) -> None:
        receiver.default = after(b"HTTP/1.1 200 OK\r\nX-Drip: ", drip)
        answer = await answer_of(receiver.url, seconds=1)
        assert answer.error == "O servidor não respondeu em 1 s."

    async def test_endless_interim_answers_are_reported(self, receiver: Receiver) -> None:
        receiver.default = writing(b"HTTP/1.1 100 Continue\r\n\r\n", 0.01, times=1000)
        answer = await answer_of(receiver.url, seconds=1)
        assert answer.error == "O servidor não respondeu em 1 s."

    async def test_a_connection_that_is_not_accepted_is_reported(self) -> None:
        with socket.create_server((LOOPBACK, 0), backlog=0) as listener:
            address = listener.getsockname()
            # The kernel accepts no more than these by itself.
            waiting = [socket.socket() for _ in range(3)]
            for blocked in waiting:
                blocked.setblocking(False)
                blocked.connect_ex(address)
            answer = await answer_of(f"http://{LOOPBACK}:{address[1]}/", seconds=1)
            for blocked in waiting:
                blocked.close()
        assert answer.error == "A conexão com o servidor não foi estabelecida em 1 s."


class Dns:
    """A resolver whose answer changes with every lookup; counts the lookups."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.lookups = 0

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.lookups += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class TestGuard:
    async def test_calls_to_this_machine_are_refused(self, receiver: Receiver) -> None:
        async with client_of(allowed="") as client:
            answer = await client.post(call_to(receiver.url.replace("http", "https")))
        assert answer.error == "O host da URL leva a um endereço que não é público."
        assert receiver.connections == 0

    async def test_calls_without_tls_are_refused(self, receiver: Receiver) -> None:
        async with client_of(allowed="") as client:
            answer = await client.post(call_to(receiver.url))
        assert answer.error == "A URL deve começar com https://."
        assert receiver.connections == 0

    async def test_the_address_is_checked_again_at_every_call(self, receiver: Receiver) -> None:
        """The name is public when the webhook is created and resolves to this machine when it is called."""
        dns = Dns(["200.160.2.3"], [LOOPBACK])
        guard = WebhookGuard(AllowedHosts(), dns.resolve)
        url = f"https://hooks.example.com:{receiver.url.rpartition(':')[2]}/"
        assert await guard.objection_to(url) is None
        async with client_of(guard=guard) as client:
            answer = await client.post(call_to(url))
        assert answer.error == "O host da URL leva a um endereço que não é público."
        assert receiver.connections == 0

    async def test_no_address_is_called_if_one_of_several_is_not_public(self, receiver: Receiver) -> None:
        guard = WebhookGuard(AllowedHosts(), Dns([LOOPBACK, "200.160.2.3"]).resolve)
        url = f"https://hooks.example.com:{receiver.url.rpartition(':')[2]}/"
        async with client_of(guard=guard) as client:
            answer = await client.post(call_to(url))
        assert answer.error == "O host da URL leva a um endereço que não é público."
        assert receiver.connections == 0

    async def test_only_the_checked_address_is_called(self, receiver: Receiver) -> None:
        """There is one lookup, and its result is called: a second lookup could return something else."""
        dns = Dns([LOOPBACK], ["203.0.113.1"])
        guard = WebhookGuard(AllowedHosts.parse("hooks.example.com"), dns.resolve)
        port = receiver.url.rpartition(":")[2]
        async with client_of(guard=guard) as client:
            answer = await client.post(call_to(f"http://hooks.example.com:{port}/"))
        assert (answer.status, dns.lookups) == (200, 1)
        assert receiver.calls[0].headers["host"] == f"hooks.example.com:{port}"

    async def test_the_next_address_is_tried(self, receiver: Receiver) -> None:
        guard = WebhookGuard(AllowedHosts.parse("hooks.example.com"), Dns(["127.0.0.2", LOOPBACK]).resolve)
        async with client_of(guard=guard) as client:
            url = f"http://hooks.example.com:{receiver.url.rpartition(':')[2]}/"
            assert (await client.post(call_to(url))).status == 200
