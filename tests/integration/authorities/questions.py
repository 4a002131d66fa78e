"""Requests of a company to an authority, single or over kept connections."""

import ssl

import pytest

from carimbo.authorities.connection_pool import ConnectionPools
from carimbo.authorities.request import AuthorityTimeouts
from carimbo.authorities.tls import TrustStore
from carimbo.authorities.transport import HttpsTransport
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause, NotJudged
from integration.authorities.hosts import Host
from nfe_answers import dressed, status

ACTION = "http://www.portalfiscal.inf.br/nfe/wsdl/NFeStatusServico4/nfeStatusServicoNF"
QUESTION = "<pergunta>é</pergunta>".encode()
ANSWER = dressed(status("107", "Serviço em Operação"))[1]
PATIENT = AuthorityTimeouts(connect_seconds=10, read_seconds=10)
BOTH_VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
MAX_CERTIFICATES = 2


class Client:
    """Sends requests with the certificate of a company."""

    def __init__(self, trust: TrustStore, company: A1Certificate) -> None:
        self._trust = trust
        self._company = company

    async def ask(self, address: str, timeouts: AuthorityTimeouts = PATIENT) -> bytes | NotJudged:
        async with ConnectionPools(self._trust, timeouts) as connections:
            return await HttpsTransport(connections).exchange(self._company, address, ACTION, QUESTION)

    async def failure(self, address: str, timeouts: AuthorityTimeouts = PATIENT) -> tuple[Cause, bool, str]:
        """Returns the cause, whether the request may have arrived, and the text after the host."""
        outcome = await self.ask(address, timeouts)
        assert isinstance(outcome, NotJudged), outcome
        where, _, words = outcome.detail.partition(": ")
        assert address.startswith(f"https://{where}/")
        return outcome.cause, outcome.may_have_arrived, words


async def ask(connections: ConnectionPools, certificate: A1Certificate, server: Host) -> None:
    assert await HttpsTransport(connections).exchange(certificate, server.address, "urn:a", b"<a/>") == ANSWER


async def failure(
    connections: ConnectionPools, certificate: A1Certificate, server: Host
) -> tuple[Cause, bool]:
    outcome = await HttpsTransport(connections).exchange(certificate, server.address, "urn:a", b"<a/>")
    assert isinstance(outcome, NotJudged), outcome
    return outcome.cause, outcome.may_have_arrived
