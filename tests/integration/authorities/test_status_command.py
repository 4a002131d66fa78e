"""`carimbo authorities status`, which queries authorities over the network."""

import asyncio
import os
from itertools import count
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from carimbo.cli import app
from carimbo.fiscal.sample_certificate import SampleCertificate
from integration.authorities.conftest import NewTls
from integration.authorities.hosts import hang_up, host, responding
from nfe_answers import dressed, status
from support import free_port

UP = responding(dressed(status("107", "Serviço em Operação"))[1])
DOWN = responding(dressed(status("108", "Serviço Paralisado Momentaneamente"))[1])
PASSWORD = "segredo"


class Command:
    """Runs the command with the company's certificate."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file = file
        self._monkeypatch = monkeypatch

    async def run(self, address: str, *options: str, typed: str | None = None) -> Result:
        """Runs with all authorities at one address; in a thread, because the command has its own loop."""
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
    async def test_status_queries_every_authority_once(self, command: Command, tls: NewTls) -> None:
        async with host(UP, tls()) as server:
            result = await command.run(server.address)
            paths = sorted(seen.head.split()[1] for seen in server.seen)
        lines = result.stdout.splitlines()
        own = ["AM", "BA", "GO", "MG", "MS", "MT", "PE", "PR", "RS", "SP"]
        assert result.exit_code == 0
        assert [line.split()[0] for line in lines] == [*own, "SVAN", "SVRS", "SVCAN", "SVCRS"]
        assert all(line.endswith(" ms  107 Serviço em Operação") for line in lines)
        assert paths == sorted(f"/{line.split()[0].lower()}/nfe/NFeStatusServico4" for line in lines)

    async def test_status_lists_the_states_of_each_authority(self, command: Command, tls: NewTls) -> None:
        async with host(UP, tls()) as server:
            result = await command.run(server.address, "--uf", "rj", "--model", "65")
        (line,) = result.stdout.splitlines()
        served = "AC AL AP BA CE DF ES MA PA PB PE PI RJ RN RO RR SC SE TO"
        assert line.startswith(f"SVRS   {served}  ")

    async def test_status_of_a_state_includes_its_contingency_authority(
        self, command: Command, tls: NewTls
    ) -> None:
        async with host(UP, tls()) as server:
            result = await command.run(server.address, "--uf", "SP", "--environment", "production")
            paths = sorted(seen.head.split()[1] for seen in server.seen)
            names_sp = {b"<cUF>35</cUF>" in seen.body for seen in server.seen}
        assert [line.split()[0] for line in result.stdout.splitlines()] == ["SP", "SVCAN"]
        assert paths == ["/producao/sp/nfe/NFeStatusServico4", "/producao/svcan/nfe/NFeStatusServico4"]
        assert names_sp == {True}

    async def test_status_of_nfse_queries_the_national_authority(self, command: Command, tls: NewTls) -> None:
        async with host(responding(b"", "404 Not Found"), tls()) as server:
            result = await command.run(server.address, "--model", "nfse", "--uf", "SP")
            (seen,) = server.seen
        assert result.exit_code == 0
        assert result.stdout.startswith("SEFIN  BR  ")
        assert result.stdout.endswith(" ms  A Sefin Nacional responde\n")
        assert seen.head.startswith("HEAD /sefin/nfse/SefinNacional/dps/DPS")

    async def test_status_shows_why_an_authority_does_not_answer(self, command: Command, tls: NewTls) -> None:
        turns = count()

        async def every_other(writer: asyncio.StreamWriter) -> None:
            await (DOWN if next(turns) % 2 else hang_up)(writer)

        async with host(every_other, tls()) as server:
            result = await command.run(server.address, "--uf", "SP")
        texts = sorted(line.split(" ms  ")[1] for line in result.stdout.splitlines())
        where = server.address.split("/")[2]
        assert result.exit_code == 0
        assert texts == [
            "108 Serviço Paralisado Momentaneamente",
            f"sem resposta: {where}: a conexão foi encerrada sem resposta",
        ]

    async def test_status_fails_if_no_authority_answers(self, command: Command) -> None:
        result = await command.run(f"https://127.0.0.1:{free_port()}/")
        assert result.exit_code == 1
        assert result.stdout.count("conexão recusada\n") == len(result.stdout.splitlines()) == 14

    async def test_status_prompts_for_certificate_and_password(self, command: Command, tls: NewTls) -> None:
        async with host(UP, tls()) as server:
            result = await command.run(server.address, "--uf", "SP", typed=f"{command.file}\n{PASSWORD}\n")
        assert result.exit_code == 0
        assert PASSWORD not in result.stdout

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (["--uf", "XX"], "Não existe a UF XX."),
            (["--password", "outra"], "A senha do certificado está incorreta."),
            (["--certificate", "/nowhere.pfx"], "O certificado /nowhere.pfx não pode ser lido: No such file"),
            (["--certificate", __file__], "O arquivo não é um certificado A1"),
        ],
    )
    async def test_unusable_option_is_reported_in_one_sentence(
        self, command: Command, options: list[str], sentence: str
    ) -> None:
        result = await command.run("https://127.0.0.1:1/", *options)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith(sentence)
        assert result.stderr.count("\n") == 1

    async def test_unusable_ca_file_is_reported(
        self, command: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CARIMBO_AUTHORITY_CA_FILE", __file__)
        result = await command.run("https://127.0.0.1:1/")
        assert (result.exit_code, result.stderr) == (
            1,
            f"O arquivo de autoridades {__file__} não tem certificados em PEM.\n",
        )
