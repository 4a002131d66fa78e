"""`carimbo simulator` as at a terminal: a real process, real TLS, real signals."""

import json
import os
import re
import signal
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest
from cryptography.hazmat.primitives.serialization import pkcs12
from typer.testing import CliRunner, Result

from acceptance.demo_runs import is_one_sentence
from acceptance.loaded_command import loaded_carimbo
from carimbo.cli import app
from carimbo.fiscal.identity.certificate import open_a1
from carimbo.service.company_status.certificate_expiry import days_left
from carimbo.simulator.program.certificates import CertificateFolder
from carimbo.simulator.trust import CertificateFlaw, JudgedCertificate
from support import CNPJ, TIMEOUT_SECONDS, free_port, local_http

TRIPLE_DES = bytes.fromhex("2a864886f70d010c0103")
"""pbeWithSHAAnd3-KeyTripleDES-CBC (RFC 7292, appendix C)."""
STATUS_SERVICE = "/svrs/nfe/NFeStatusServico4"


@dataclass(frozen=True)
class Running:
    """A simulator process, and the greeting that it printed."""

    process: subprocess.Popen[str]
    greeting: str

    def row(self, title: str) -> str:
        match = re.search(rf"^{title} +(\S+)", self.greeting, re.MULTILINE)
        assert match, self.greeting
        return match.group(1)

    @property
    def url(self) -> str:
        return self.row("Serviços").removesuffix("/svrs/nfe/NFeAutorizacao4")

    def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        self.process.communicate(timeout=TIMEOUT_SECONDS)
        return self.process.returncode


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("CARIMBO_")}


def command(*arguments: object) -> list[str]:
    return [str(loaded_carimbo()), "simulator", *map(str, arguments)]


def run_command(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a command that ends by itself."""
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


@contextmanager
def simulator(folder: Path, *arguments: object) -> Iterator[Running]:
    process = subprocess.Popen(
        command("--port", 0, "--control-port", 0, *arguments),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    try:
        lines: list[str] = []
        while not lines or not lines[-1].startswith("Certificado"):
            line = process.stdout.readline()
            assert line, (lines, process.communicate())
            lines.append(line)
        yield Running(process, "".join(lines))
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simulator")
    CertificateFolder.open(folder / ".carimbo/simulator", datetime.now(UTC))
    return folder


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Running]:
    with simulator(folder) as process:
        yield process


def request_certificate(folder: Path, *arguments: object) -> Result:
    """Runs `simulator certificate` in this process, which is quicker than a new one."""
    where = ("--data-dir", folder / ".carimbo/simulator")
    return CliRunner().invoke(app, ["simulator", "certificate", *map(str, (*arguments, *where))])


def certificate(folder: Path, *arguments: object) -> Path:
    """Creates a certificate, and returns its file."""
    file = folder / f"{len(list(folder.iterdir()))}.pfx"
    result = request_certificate(folder, "--tax-id", CNPJ, "--out", file, *arguments)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return file


def client(folder: Path, ca_file: Path, pfx: Path, password: str) -> httpx2.Client:
    pem = folder / f"{pfx.stem}.pem"
    pem.write_bytes(open_a1(pfx.read_bytes(), password).to_bundle())
    context = ssl.create_default_context(cafile=ca_file)
    context.load_cert_chain(pem)
    return httpx2.Client(verify=context, timeout=TIMEOUT_SECONDS)


class TestRunning:
    def test_certificate_created_while_it_runs_opens_its_services(
        self, folder: Path, running: Running
    ) -> None:
        ca_file = folder / running.row("Autoridade")
        with client(folder, ca_file, certificate(folder), "carimbo") as http:
            answer = http.get(f"{running.url}{STATUS_SERVICE}?wsdl")
        assert answer.status_code == 200 and b"definitions" in answer.content

    def test_certificate_with_a_flaw_opens_its_services_too(self, folder: Path, running: Running) -> None:
        pfx = certificate(folder, "--flaw", "expired", "--password", "x")
        with client(folder, folder / running.row("Autoridade"), pfx, "x") as http:
            assert http.get(f"{running.url}{STATUS_SERVICE}?wsdl").status_code == 200

    def test_connection_without_a_certificate_is_refused(self, folder: Path, running: Running) -> None:
        context = ssl.create_default_context(cafile=folder / running.row("Autoridade"))
        with pytest.raises(httpx2.TransportError):
            httpx2.get(running.url, verify=context)

    def test_body_of_50_megabytes_is_refused_and_the_next_request_is_answered(
        self, folder: Path, running: Running
    ) -> None:
        with client(folder, folder / running.row("Autoridade"), certificate(folder), "carimbo") as http:
            sizes = (50_000_000, 5)
            answers = [http.post(f"{running.url}/nowhere", content=b"x" * size) for size in sizes]
        assert [answer.status_code for answer in answers] == [413, 404]

    def test_control_page_is_served_with_security_headers(self, running: Running) -> None:
        answer = local_http().get(running.row("Painel"))
        assert answer.status_code == 200 and "<html" in answer.text
        policy = set(answer.headers["Content-Security-Policy"].split("; "))
        assert {"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} <= policy
        for reply in (answer, local_http().get(f"{running.row('Painel')}/nowhere")):
            assert reply.headers["X-Content-Type-Options"] == "nosniff"

    def test_second_simulator_on_the_same_folder_is_refused(self, folder: Path, running: Running) -> None:
        refused = run_command(folder)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and "Outro simulador já usa a pasta" in refused.stderr

    @pytest.mark.parametrize("option", ["--port", "--control-port"])
    def test_port_in_use_is_reported_with_its_option(
        self, tmp_path: Path, running: Running, option: str
    ) -> None:
        taken = running.row("Painel").rpartition(":")[2]
        others = {"--port": free_port(), "--control-port": free_port()} | {option: taken}
        refused = run_command(tmp_path, *(part for pair in others.items() for part in pair))
        assert (refused.returncode, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and option in refused.stderr and taken in refused.stderr


class TestEnding:
    def test_ending_by_a_signal_is_no_failure_and_keeps_the_authority(self, tmp_path: Path) -> None:
        authorities = set()
        for how in (signal.SIGINT, signal.SIGTERM):
            with simulator(tmp_path, "--data-dir", "elsewhere") as process:
                authorities.add((tmp_path / process.row("Autoridade")).read_bytes())
                assert process.end(how) == 0
        assert len(authorities) == 1


class TestFolder:
    def test_damaged_database_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "simulator.sqlite").write_bytes(b"no database" * 1000)
        refused = run_command(tmp_path, "--data-dir", tmp_path)
        assert refused.returncode == 1 and is_one_sentence(refused.stderr)
        assert "simulator.sqlite está danificado" in refused.stderr

    @pytest.mark.parametrize("arguments", [(), ("certificate", "--tax-id", CNPJ)])
    def test_data_folder_that_is_a_file_is_reported(self, tmp_path: Path, arguments: tuple[str, ...]) -> None:
        (tmp_path / "file").touch()
        refused = run_command(tmp_path, *arguments, "--data-dir", "file")
        assert refused.returncode == 1 and is_one_sentence(refused.stderr)
        assert "Não foi possível usar a pasta file" in refused.stderr


class TestCertificate:
    def test_certificate_is_created_without_a_running_simulator_and_named_after_its_owner(
        self, tmp_path: Path
    ) -> None:
        result = run_command(
            tmp_path, "certificate", "--tax-id", "11.222.333/0001-81", "--name", "Padaria do Zé"
        )
        line = (
            f"{CNPJ}.pfx (senha: carimbo), assinado pela autoridade da pasta {tmp_path}/.carimbo/simulator\n"
        )
        assert (result.returncode, result.stdout) == (0, line)
        assert open_a1((tmp_path / f"{CNPJ}.pfx").read_bytes(), "carimbo").owner == CNPJ

    def test_certificate_command_says_that_it_created_a_new_authority(self, tmp_path: Path) -> None:
        first = request_certificate(tmp_path, "--tax-id", CNPJ, "--out", tmp_path / "first.pfx")
        assert first.exit_code == 0 and first.stdout.startswith(f"{tmp_path}/first.pfx (senha: carimbo), ")
        assert f"a pasta {tmp_path}/.carimbo/simulator não tinha uma autoridade certificadora" in first.stderr
        assert "--data-dir" in first.stderr
        second = request_certificate(tmp_path, "--tax-id", CNPJ, "--out", tmp_path / "second.pfx")
        assert (second.exit_code, second.stderr) == (0, "")

    def test_certificate_for_old_software_can_be_opened(self, folder: Path) -> None:
        modern, old = certificate(folder), certificate(folder, "--legacy")
        assert open_a1(old.read_bytes(), "carimbo").owner == CNPJ
        assert TRIPLE_DES in old.read_bytes() and TRIPLE_DES not in modern.read_bytes()

    def test_certificate_with_few_days_left_can_be_created(self, folder: Path) -> None:
        opened = open_a1(certificate(folder, "--days", 7).read_bytes(), "carimbo")
        assert days_left(opened.not_after, datetime.now(UTC)) == 7
        assert request_certificate(folder, "--tax-id", CNPJ, "--days", 0).exit_code == 2

    def test_certificate_never_overwrites_a_file(self, folder: Path) -> None:
        file = folder / "mine.pfx"
        file.write_bytes(b"dear")
        refused = request_certificate(folder, "--tax-id", CNPJ, "--out", file)
        assert refused.exit_code == 1 and is_one_sentence(refused.stderr)
        assert file.read_bytes() == b"dear"

    @pytest.mark.parametrize(
        ("name", "flaw"),
        [
            ("invalid", CertificateFlaw.INVALID),
            ("expired", CertificateFlaw.OUT_OF_DATE),
            ("without-tax-id", CertificateFlaw.WITHOUT_TAX_ID),
            ("broken-chain", CertificateFlaw.BROKEN_CHAIN),
            ("revoked", CertificateFlaw.REVOKED),
            ("not-icp-brasil", CertificateFlaw.NOT_ICP_BRASIL),
        ],
    )
    def test_certificate_has_the_requested_flaw(self, folder: Path, name: str, flaw: CertificateFlaw) -> None:
        pfx = certificate(folder, "--flaw", name).read_bytes()
        _, issued, _ = pkcs12.load_key_and_certificates(pfx, b"carimbo")
        now = datetime.now(UTC)
        trust = CertificateFolder.open(folder / ".carimbo/simulator", now).trust()
        assert issued and trust.flaws_of(JudgedCertificate.of(issued), now) == {flaw}

    @pytest.mark.parametrize(
        ("arguments", "word"),
        [
            (("--tax-id", "11222333000180"), "11222333000180"),
            (("--tax-id", CNPJ, "--out", "nowhere/a.pfx"), "nowhere/a.pfx"),
        ],
    )
    def test_certificate_that_cannot_be_created_is_reported(
        self, folder: Path, arguments: tuple[str, ...], word: str
    ) -> None:
        refused = request_certificate(folder, *arguments)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and word in refused.stderr


class TestCompany:
    def test_company_command_prints_a_body_and_explains_the_next_steps(self) -> None:
        result = CliRunner().invoke(app, ["simulator", "company", "--state", "rj", "--name", "Loja do Zé"])
        body = json.loads(result.stdout)
        assert (result.exit_code, body["legalName"], body["address"]["state"]) == (0, "Loja do Zé", "RJ")
        assert re.search(r"^Inscrição estadual  7\d{7} \(RJ\)$", result.stderr, re.MULTILINE)
        assert "CSC de homologação  0123456789ABCDEF0123456789ABCDEF, com o id 1\n" in result.stderr
        assert f"carimbo simulator certificate --tax-id {body['taxId']}\n" in result.stderr

    def test_company_command_prints_the_bodies_of_all_calls_as_json(self) -> None:
        result = CliRunner().invoke(app, ["simulator", "company", "--json"])
        assert (result.exit_code, result.stderr) == (0, "")
        assert set(json.loads(result.stdout)) == {"company", "stateRegistration", "settings"}

    def test_company_of_an_unknown_state_is_refused(self) -> None:
        refused = CliRunner().invoke(app, ["simulator", "company", "--state", "XX"])
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and "«XX» não é uma UF" in refused.stderr

    @pytest.mark.parametrize("name", ["", "  "])
    def test_company_without_a_name_is_refused(self, name: str) -> None:
        refused = CliRunner().invoke(app, ["simulator", "company", "--name", name])
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and "--name" in refused.stderr
