"""Questions over connections that are kept."""

from carimbo.authorities.connections import Connections
from carimbo.authorities.transport import Transport
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause, NotJudged
from integration.authorities.hosts import Host
from integration.authorities.questions import ANSWER

MOST_CERTIFICATES = 2


async def ask(connections: Connections, certificate: A1Certificate, server: Host) -> None:
    assert await Transport(connections).exchange(certificate, server.address, "urn:a", b"<a/>") == ANSWER


async def failure(connections: Connections, certificate: A1Certificate, server: Host) -> tuple[Cause, bool]:
    outcome = await Transport(connections).exchange(certificate, server.address, "urn:a", b"<a/>")
    assert isinstance(outcome, NotJudged), outcome
    return outcome.cause, outcome.may_have_arrived
