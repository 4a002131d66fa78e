"""A question to an authority, asked by a company once or over connections that are kept."""

import ssl

import pytest

from carimbo.authorities.connections import Connections
from carimbo.authorities.patience import Patience
from carimbo.authorities.transport import Transport
from carimbo.authorities.trust import Trust
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause, NotJudged
from integration.authorities.hosts import Host
from nfe_answers import dressed, status

ACTION = "http://www.portalfiscal.inf.br/nfe/wsdl/NFeStatusServico4/nfeStatusServicoNF"
QUESTION = "<pergunta>é</pergunta>".encode()
ANSWER = dressed(status("107", "Serviço em Operação"))[1]
PATIENT = Patience(connect_seconds=10, read_seconds=10)
BOTH_VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
MOST_CERTIFICATES = 2


class Client:
    """A company in front of the network."""

    def __init__(self, trust: Trust, company: A1Certificate) -> None:
        self._trust = trust
        self._company = company

    async def ask(self, address: str, patience: Patience = PATIENT) -> bytes | NotJudged:
        async with Connections(self._trust, patience) as connections:
            return await Transport(connections).exchange(self._company, address, ACTION, QUESTION)

    async def failure(self, address: str, patience: Patience = PATIENT) -> tuple[Cause, bool, str]:
        """What is told of a failure, without the host, which every text begins with."""
        outcome = await self.ask(address, patience)
        assert isinstance(outcome, NotJudged), outcome
        where, _, words = outcome.detail.partition(": ")
        assert address.startswith(f"https://{where}/")
        return outcome.cause, outcome.may_have_arrived, words


async def ask(connections: Connections, certificate: A1Certificate, server: Host) -> None:
    assert await Transport(connections).exchange(certificate, server.address, "urn:a", b"<a/>") == ANSWER


async def failure(connections: Connections, certificate: A1Certificate, server: Host) -> tuple[Cause, bool]:
    outcome = await Transport(connections).exchange(certificate, server.address, "urn:a", b"<a/>")
    assert isinstance(outcome, NotJudged), outcome
    return outcome.cause, outcome.may_have_arrived
