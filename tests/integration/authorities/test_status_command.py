"""`carimbo authorities status`, which asks authorities over the network."""

import asyncio
import os
from itertools import count
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from carimbo.cli import app
from carimbo.fiscal.sample_certificate import SampleCertificate
from integration.authorities.conftest import NewTls
from integration.authorities.hosts import hang_up, host, saying
from nfe_answers import dressed, status
from support import free_port

UP = saying(dressed(status("107", "Serviço em Operação"))[1])
DOWN = saying(dressed(status("108", "Serviço Paralisado Momentaneamente"))[1])
PASSWORD = "segredo"


class Command:
    """The command with the company's certificate."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file = file
        self._monkeypatch = monkeypatch

    async def run(self, address: str, *options: str, typed: str | None = None) -> Result:
        """Ask as if all authorities were at one address; in a thread, for the command has its own loop."""
        self._monkeypatch.setenv("CARIMBO_SIMULATOR_URL", "/".join(address.split("/")[:3]))
        given = [] if typed else ["--certificate", str(self.file), "--password", PASSWORD]
        arguments = ["authorities", "status", *given, *options]
        return await asyncio.to_thread(CliRunner().invoke, app, arguments, input=typed)


@pytest.fixture(scope="module")
def pfx_file(company_certificate: SampleCertificate, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("pfx") / "company.pfx"
    file.write_bytes(company_certificate.to_pfx(PASSWORD))
    return file


@pytest.fixture
def command(pfx_file: Path, ca_file: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    for name in [name for name in os.environ if name.startswith("CARIMBO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CARIMBO_AUTHORITY_CA_FILE", str(ca_file))
    return Command(pfx_file, monkeypatch)


class TestAuthoritiesStatus:
    async def test_asks_every_authority_once(self, command: Command, tls: NewTls) -> None:
        async with host(UP, tls()) as server:
            told = await command.run(server.address)
            paths = sorted(seen.head.split()[1] for seen in server.seen)
        lines = told.stdout.splitlines()
        own = ["AM", "BA", "GO", "MG", "MS", "MT", "PE", "PR", "RS", "SP"]
        assert told.exit_code == 0
        assert [line.split()[0] for line in lines] == [*own, "SVAN", "SVRS", "SVCAN", "SVCRS"]
        assert all(line.endswith(" ms  107 Serviço em Operação") for line in lines)
        assert paths == sorted(f"/{line.split()[0].lower()}/nfe/NFeStatusServico4" for line in lines)

    async def test_tells_the_states_that_each_serves(self, command: Command, tls: NewTls) -> None:
        async with host(UP, tls()) as server:
            told = await command.run(server.address, "--uf", "rj", "--model", "65")
        (line,) = told.stdout.splitlines()
        served = "AC AL AP BA CE DF ES MA PA PB PE PI RJ RN RO RR SC SE TO"
        assert line.startswith(f"SVRS   {served}  ")

    async def test_asks_those_of_a_state_and_of_its_contingency(self, command: Command, tls: NewTls) -> None:
        async with host(UP, tls()) as server:
            told = await command.run(server.address, "--uf", "SP", "--environment", "production")
            paths = sorted(seen.head.split()[1] for seen in server.seen)
            asked = {b"<cUF>35</cUF>" in seen.body for seen in server.seen}
        assert [line.split()[0] for line in told.stdout.splitlines()] == ["SP", "SVCAN"]
        assert paths == ["/producao/sp/nfe/NFeStatusServico4", "/producao/svcan/nfe/NFeStatusServico4"]
        assert asked == {True}

    async def test_asks_the_one_authority_of_nfse(self, command: Command, tls: NewTls) -> None:
        async with host(saying(b"", "404 Not Found"), tls()) as server:
            told = await command.run(server.address, "--model", "nfse", "--uf", "SP")
            (seen,) = server.seen
        assert told.exit_code == 0
        assert told.stdout.startswith("SEFIN  BR  ")
        assert told.stdout.endswith(" ms  A Sefin Nacional responde\n")
        assert seen.head.startswith("HEAD /sefin/nfse/SefinNacional/dps/DPS")

    async def test_tells_why_one_does_not_answer(self, command: Command, tls: NewTls) -> None:
        turns = count()

        async def every_other(writer: asyncio.StreamWriter) -> None:
            await (DOWN if next(turns) % 2 else hang_up)(writer)

        async with host(every_other, tls()) as server:
            told = await command.run(server.address, "--uf", "SP")
        texts = sorted(line.split(" ms  ")[1] for line in told.stdout.splitlines())
        where = server.address.split("/")[2]
        assert told.exit_code == 0
        assert texts == [
            "108 Serviço Paralisado Momentaneamente",
            f"sem resposta: {where}: a conexão foi encerrada sem resposta",
        ]

    async def test_fails_if_nobody_answers(self, command: Command) -> None:
        told = await command.run(f"https://127.0.0.1:{free_port()}/")
        assert told.exit_code == 1
        assert told.stdout.count("conexão recusada\n") == len(told.stdout.splitlines()) == 14

    async def test_asks_for_certificate_and_password(self, command: Command, tls: NewTls) -> None:
        async with host(UP, tls()) as server:
            told = await command.run(server.address, "--uf", "SP", typed=f"{command.file}\n{PASSWORD}\n")
        assert told.exit_code == 0
        assert PASSWORD not in told.stdout

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (["--uf", "XX"], "Não existe a UF XX."),
            (["--password", "outra"], "A senha do certificado está incorreta."),
            (["--certificate", "/nowhere.pfx"], "O certificado /nowhere.pfx não pode ser lido: No such file"),
            (["--certificate", __file__], "O arquivo não é um certificado A1"),
        ],
    )
    async def test_tells_in_a_sentence_what_cannot_be_used(
        self, command: Command, options: list[str], sentence: str
    ) -> None:
        told = await command.run("https://127.0.0.1:1/", *options)
        assert (told.exit_code, told.stdout) == (1, "")
        assert told.stderr.startswith(sentence)
        assert told.stderr.count("\n") == 1

    async def test_tells_an_unusable_file_of_authorities(
        self, command: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CARIMBO_AUTHORITY_CA_FILE", __file__)
        told = await command.run("https://127.0.0.1:1/")
        assert (told.exit_code, told.stderr) == (
            1,
            f"O arquivo de autoridades {__file__} não tem certificados em PEM.\n",
        )
