"""`carimbo simulator` as somebody at a terminal meets it: a real process, real TLS, real signals."""

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
from carimbo.fiscal.certificate import open_a1
from carimbo.service.certificate_expiry import days_left
from carimbo.simulator.certificates import CertificateFolder
from carimbo.simulator.trust import Credential, Flaw
from support import CNPJ, PATIENCE, free_port, local_http

TRIPLE_DES = bytes.fromhex("2a864886f70d010c0103")
"""pbeWithSHAAnd3-KeyTripleDES-CBC (RFC 7292, appendix C)."""
STATUS_SERVICE = "/svrs/nfe/NFeStatusServico4"


@dataclass(frozen=True)
class Running:
    """A simulator in a process of its own, and what it printed when it was ready."""

    process: subprocess.Popen[str]
    greeting: str

    def row(self, title: str) -> str:
        found = re.search(rf"^{title} +(\S+)", self.greeting, re.MULTILINE)
        assert found, self.greeting
        return found.group(1)

    @property
    def url(self) -> str:
        return self.row("Serviços").removesuffix("/svrs/nfe/NFeAutorizacao4")

    def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        self.process.communicate(timeout=PATIENCE)
        return self.process.returncode


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("CARIMBO_")}


def command(*arguments: object) -> list[str]:
    return [str(loaded_carimbo()), "simulator", *map(str, arguments)]


def told(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command that ends by itself."""
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
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
    made = tmp_path_factory.mktemp("simulator")
    CertificateFolder.open(made / ".carimbo/simulator", datetime.now(UTC))
    return made


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Running]:
    with simulator(folder) as one:
        yield one


def asked(folder: Path, *arguments: object) -> Result:
    """Ask for a certificate in this process, which is quicker than another one."""
    where = ("--data-dir", folder / ".carimbo/simulator")
    return CliRunner().invoke(app, ["simulator", "certificate", *map(str, (*arguments, *where))])


def certificate(folder: Path, *arguments: object) -> Path:
    """Have a certificate made, and return its file."""
    file = folder / f"{len(list(folder.iterdir()))}.pfx"
    made = asked(folder, "--tax-id", CNPJ, "--out", file, *arguments)
    assert (made.exit_code, made.stderr) == (0, ""), made.output
    return file


def client(folder: Path, ca_file: Path, pfx: Path, password: str) -> httpx2.Client:
    pem = folder / f"{pfx.stem}.pem"
    pem.write_bytes(open_a1(pfx.read_bytes(), password).to_bundle())
    context = ssl.create_default_context(cafile=ca_file)
    context.load_cert_chain(pem)
    return httpx2.Client(verify=context, timeout=PATIENCE)


class TestRunning:
    def test_a_certificate_made_while_it_runs_opens_its_services(
        self, folder: Path, running: Running
    ) -> None:
        ca_file = folder / running.row("Autoridade")
        with client(folder, ca_file, certificate(folder), "carimbo") as http:
            answer = http.get(f"{running.url}{STATUS_SERVICE}?wsdl")
        assert answer.status_code == 200 and b"definitions" in answer.content

    def test_one_with_a_flaw_opens_them_too(self, folder: Path, running: Running) -> None:
        pfx = certificate(folder, "--flaw", "expired", "--password", "x")
        with client(folder, folder / running.row("Autoridade"), pfx, "x") as http:
            assert http.get(f"{running.url}{STATUS_SERVICE}?wsdl").status_code == 200

    def test_nobody_gets_in_without_one(self, folder: Path, running: Running) -> None:
        context = ssl.create_default_context(cafile=folder / running.row("Autoridade"))
        with pytest.raises(httpx2.TransportError):
            httpx2.get(running.url, verify=context)

    def test_a_body_of_50_megabytes_is_refused_and_the_next_one_heard(
        self, folder: Path, running: Running
    ) -> None:
        with client(folder, folder / running.row("Autoridade"), certificate(folder), "carimbo") as http:
            sizes = (50_000_000, 5)
            answers = [http.post(f"{running.url}/nowhere", content=b"x" * size) for size in sizes]
        assert [answer.status_code for answer in answers] == [413, 404]

    def test_the_control_page_is_there(self, running: Running) -> None:
        answer = local_http().get(running.row("Painel"))
        assert answer.status_code == 200 and "<html" in answer.text
        policy = set(answer.headers["Content-Security-Policy"].split("; "))
        assert {"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} <= policy
        for reply in (answer, local_http().get(f"{running.row('Painel')}/nowhere")):
            assert reply.headers["X-Content-Type-Options"] == "nosniff"

    def test_another_one_on_the_same_folder_is_refused(self, folder: Path, running: Running) -> None:
        refused = told(folder)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and "Outro simulador já usa a pasta" in refused.stderr

    @pytest.mark.parametrize("option", ["--port", "--control-port"])
    def test_a_port_in_use_is_told_with_its_option(
        self, tmp_path: Path, running: Running, option: str
    ) -> None:
        taken = running.row("Painel").rpartition(":")[2]
        others = {"--port": free_port(), "--control-port": free_port()} | {option: taken}
        refused = told(tmp_path, *(part for pair in others.items() for part in pair))
        assert (refused.returncode, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and option in refused.stderr and taken in refused.stderr


class TestEnding:
    def test_by_a_signal_is_no_failure_and_the_authority_stays(self, tmp_path: Path) -> None:
        authorities = set()
        for how in (signal.SIGINT, signal.SIGTERM):
            with simulator(tmp_path, "--data-dir", "elsewhere") as one:
                authorities.add((tmp_path / one.row("Autoridade")).read_bytes())
                assert one.end(how) == 0
        assert len(authorities) == 1


class TestFolder:
    def test_a_damaged_memory_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "simulator.sqlite").write_bytes(b"no database" * 1000)
        refused = told(tmp_path, "--data-dir", tmp_path)
        assert refused.returncode == 1 and is_one_sentence(refused.stderr)
        assert "simulator.sqlite está danificado" in refused.stderr

    @pytest.mark.parametrize("arguments", [(), ("certificate", "--tax-id", CNPJ)])
    def test_that_is_a_file_is_told(self, tmp_path: Path, arguments: tuple[str, ...]) -> None:
        (tmp_path / "file").touch()
        refused = told(tmp_path, *arguments, "--data-dir", "file")
        assert refused.returncode == 1 and is_one_sentence(refused.stderr)
        assert "Não foi possível usar a pasta file" in refused.stderr


class TestCertificate:
    def test_is_made_without_a_simulator_that_runs_and_named_after_its_owner(self, tmp_path: Path) -> None:
        made = told(tmp_path, "certificate", "--tax-id", "11.222.333/0001-81", "--name", "Padaria do Zé")
        line = (
            f"{CNPJ}.pfx (senha: carimbo), assinado pela autoridade da pasta {tmp_path}/.carimbo/simulator\n"
        )
        assert (made.returncode, made.stdout) == (0, line)
        assert open_a1((tmp_path / f"{CNPJ}.pfx").read_bytes(), "carimbo").owner == CNPJ

    def test_says_that_a_folder_without_an_authority_got_a_new_one(self, tmp_path: Path) -> None:
        first = asked(tmp_path, "--tax-id", CNPJ, "--out", tmp_path / "first.pfx")
        assert first.exit_code == 0 and first.stdout.startswith(f"{tmp_path}/first.pfx (senha: carimbo), ")
        assert f"a pasta {tmp_path}/.carimbo/simulator não tinha uma autoridade certificadora" in first.stderr
        assert "--data-dir" in first.stderr
        second = asked(tmp_path, "--tax-id", CNPJ, "--out", tmp_path / "second.pfx")
        assert (second.exit_code, second.stderr) == (0, "")

    def test_for_old_software_opens_too(self, folder: Path) -> None:
        modern, old = certificate(folder), certificate(folder, "--legacy")
        assert open_a1(old.read_bytes(), "carimbo").owner == CNPJ
        assert TRIPLE_DES in old.read_bytes() and TRIPLE_DES not in modern.read_bytes()

    def test_that_ends_soon_is_made_to_see_the_warnings(self, folder: Path) -> None:
        made = open_a1(certificate(folder, "--days", 7).read_bytes(), "carimbo")
        assert days_left(made.not_after, datetime.now(UTC)) == 7
        assert asked(folder, "--tax-id", CNPJ, "--days", 0).exit_code == 2

    def test_never_takes_the_place_of_another_file(self, folder: Path) -> None:
        file = folder / "mine.pfx"
        file.write_bytes(b"dear")
        refused = asked(folder, "--tax-id", CNPJ, "--out", file)
        assert refused.exit_code == 1 and is_one_sentence(refused.stderr)
        assert file.read_bytes() == b"dear"

    @pytest.mark.parametrize(
        ("name", "flaw"),
        [
            ("invalid", Flaw.INVALID),
            ("expired", Flaw.OUT_OF_DATE),
            ("without-tax-id", Flaw.WITHOUT_TAX_ID),
            ("broken-chain", Flaw.BROKEN_CHAIN),
            ("revoked", Flaw.REVOKED),
            ("not-icp-brasil", Flaw.NOT_ICP_BRASIL),
        ],
    )
    def test_is_made_with_the_flaw_that_was_asked_for(self, folder: Path, name: str, flaw: Flaw) -> None:
        pfx = certificate(folder, "--flaw", name).read_bytes()
        _, made, _ = pkcs12.load_key_and_certificates(pfx, b"carimbo")
        now = datetime.now(UTC)
        trust = CertificateFolder.open(folder / ".carimbo/simulator", now).trust()
        assert made and trust.flaws_of(Credential.of(made), now) == {flaw}

    @pytest.mark.parametrize(
        ("arguments", "word"),
        [
            (("--tax-id", "11222333000180"), "11222333000180"),
            (("--tax-id", CNPJ, "--out", "nowhere/a.pfx"), "nowhere/a.pfx"),
        ],
    )
    def test_that_cannot_be_made_is_told(self, folder: Path, arguments: tuple[str, ...], word: str) -> None:
        refused = asked(folder, *arguments)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and word in refused.stderr


class TestCompany:
    def test_prints_the_body_of_a_company_and_explains_the_rest_beside_it(self) -> None:
        made = CliRunner().invoke(app, ["simulator", "company", "--state", "rj", "--name", "Loja do Zé"])
        body = json.loads(made.stdout)
        assert (made.exit_code, body["legalName"], body["address"]["state"]) == (0, "Loja do Zé", "RJ")
        assert re.search(r"^Inscrição estadual  7\d{7} \(RJ\)$", made.stderr, re.MULTILINE)
        assert "CSC de homologação  0123456789ABCDEF0123456789ABCDEF, com o id 1\n" in made.stderr
        assert f"carimbo simulator certificate --tax-id {body['taxId']}\n" in made.stderr

    def test_prints_the_bodies_of_all_calls_as_json(self) -> None:
        made = CliRunner().invoke(app, ["simulator", "company", "--json"])
        assert (made.exit_code, made.stderr) == (0, "")
        assert set(json.loads(made.stdout)) == {"company", "stateRegistration", "settings"}

    def test_of_a_state_that_does_not_exist_is_refused(self) -> None:
        refused = CliRunner().invoke(app, ["simulator", "company", "--state", "XX"])
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and "«XX» não é uma UF" in refused.stderr

    @pytest.mark.parametrize("name", ["", "  "])
    def test_without_a_name_is_refused(self, name: str) -> None:
        refused = CliRunner().invoke(app, ["simulator", "company", "--name", name])
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and "--name" in refused.stderr
