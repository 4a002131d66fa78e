"""`carimbo simulator`: runs the simulator, and makes certificates and companies that it accepts."""

import json
import sys
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
import uvloop

from carimbo.cli import tables
from carimbo.cli.console import fail, loaded_settings, say, warn
from carimbo.demo.ports import command
from carimbo.demo.sample_company import STATES, sample_company
from carimbo.fiscal.schemas import SchemaUnusable
from carimbo.logs import configure_logs
from carimbo.simulator import DEFAULT_CONTROL_PORT, DEFAULT_PORT
from carimbo.simulator.identifiers import plain_tax_id
from carimbo.simulator.program.certificates import MAX_DAYS, CertificateFolder, CertificateProblem
from carimbo.simulator.trust import CertificateFlaw
from carimbo.simulator.xml_messages import Xsds

if TYPE_CHECKING:
    from carimbo.simulator.program.run import Simulator

app = typer.Typer(name="simulator")

_FOLDER = Path(".carimbo/simulator")
_SAMPLE_CNPJ = "11222333000181"
_MAX_PORT = 65535
_PASSWORD = "carimbo"  # noqa: S105 - of certificates that only the simulator believes

_NEW_AUTHORITY = """\
Atenção: a pasta {folder} não tinha uma autoridade certificadora, e uma nova foi criada nela.
Um simulador que roda com outra pasta não aceita este certificado. Se o seu já está rodando, use a \
autoridade dele: rode este comando na pasta em que você o iniciou, ou com --data-dir /caminho/até/{usual}."""

DataDir = Annotated[Path, typer.Option(help="Pasta onde ficam os documentos e os certificados do simulador.")]


class FlawName(StrEnum):
    """The flaws that a certificate can be made with, as the command line names them."""

    INVALID = "invalid"
    EXPIRED = "expired"
    WITHOUT_TAX_ID = "without-tax-id"
    BROKEN_CHAIN = "broken-chain"
    REVOKED = "revoked"
    NOT_ICP_BRASIL = "not-icp-brasil"


_FLAWS = {
    FlawName.INVALID: CertificateFlaw.INVALID,
    FlawName.EXPIRED: CertificateFlaw.OUT_OF_DATE,
    FlawName.WITHOUT_TAX_ID: CertificateFlaw.WITHOUT_TAX_ID,
    FlawName.BROKEN_CHAIN: CertificateFlaw.BROKEN_CHAIN,
    FlawName.REVOKED: CertificateFlaw.REVOKED,
    FlawName.NOT_ICP_BRASIL: CertificateFlaw.NOT_ICP_BRASIL,
}


@app.callback(invoke_without_command=True)
def simulate(
    context: typer.Context,
    port: Annotated[
        int, typer.Option(help="Porta dos serviços (HTTPS); 0 escolhe uma livre.", min=0, max=_MAX_PORT)
    ] = DEFAULT_PORT,
    control_port: Annotated[
        int, typer.Option(help="Porta do painel de controle (HTTP).", min=0, max=_MAX_PORT)
    ] = DEFAULT_CONTROL_PORT,
    host: Annotated[str, typer.Option(help="Endereço em que os serviços escutam.")] = "127.0.0.1",
    hostname: Annotated[
        list[str] | None,
        typer.Option(help="Outro nome desta máquina no certificado do servidor; pode repetir."),
    ] = None,
    data_dir: DataDir = _FOLDER,
) -> None:
    """Simula as autoridades fiscais nesta máquina, para testar qualquer emissor. Não usa o banco."""
    from carimbo.simulator.program.run import SimulatorProblem, run

    if context.invoked_subcommand:
        return
    settings = loaded_settings(needs_database=False)
    tables.apply_tables(settings)
    configure_logs(settings.log_format, settings.log_level)
    try:
        xsds = Xsds(settings.schemas_folder)
        greet = partial(_greet, data_dir)
        uvloop.run(run(data_dir, port, control_port, host, hostname or (), xsds, greet=greet))
    except (SimulatorProblem, CertificateProblem, SchemaUnusable) as problem:
        fail(str(problem))


def _greet(data_dir: Path, simulator: "Simulator") -> None:
    folder = () if data_dir == _FOLDER else ("--data-dir", str(data_dir))
    say("O simulador está no ar. Ctrl-C para parar; os dados ficam.")
    say(f"Serviços     {simulator.url}/svrs/nfe/NFeAutorizacao4 e os demais")
    say(f"Painel       {simulator.control_url}")
    say(f"Autoridade   {simulator.certificates.ca_file} (o seu emissor precisa confiar nela)")
    say(f"Certificado  {command('simulator', 'certificate', '--tax-id', _SAMPLE_CNPJ, *folder)}")
    # A program that reads through a pipe waits for these lines.
    sys.stdout.flush()


@app.command()
def certificate(
    tax_id: Annotated[str, typer.Option(help="CNPJ (também com letras) ou CPF do titular.")],
    name: Annotated[str, typer.Option(help="Nome do titular.")] = "EMITENTE DE TESTE",
    password: Annotated[str, typer.Option(help="Senha do arquivo.")] = _PASSWORD,
    out: Annotated[
        Path | None, typer.Option(help="Arquivo a escrever; por omissão, o CNPJ ou CPF com `.pfx`.")
    ] = None,
    flaw: Annotated[
        FlawName | None, typer.Option(help="Defeito de propósito, para ver as rejeições 280 a 285.")
    ] = None,
    days: Annotated[
        int,
        typer.Option(help="Dias que faltam para o vencimento, para ver os avisos.", min=1, max=MAX_DAYS),
    ] = MAX_DAYS,
    legacy: Annotated[bool, typer.Option("--legacy", help="Cifra 3DES, para programas antigos.")] = False,
    data_dir: DataDir = _FOLDER,
) -> None:
    """Faz um certificado A1 que o simulador aceita, esteja ele rodando ou não."""
    now = datetime.now(UTC)
    file = out or Path(f"{plain_tax_id(tax_id)}.pfx")
    try:
        folder = CertificateFolder.open(data_dir, now)
        if folder.has_new_authority:
            # Its certificates are unknown to a simulator that runs with another folder.
            warn(_NEW_AUTHORITY.format(folder=data_dir.resolve(), usual=_FOLDER))
        issued = folder.issue(tax_id, name, now, _FLAWS[flaw] if flaw else None, days)
        _write_new(file, issued.to_pfx(password, legacy=legacy))
    except CertificateProblem as problem:
        fail(str(problem))
    say(f"{file} (senha: {password}), assinado pela autoridade da pasta {data_dir.resolve()}")


@app.command()
def company(
    state: Annotated[str, typer.Option(help="Sigla da UF da empresa.")] = "SP",
    name: Annotated[str, typer.Option(help="Razão social.")] = "Minha Empresa de Teste Ltda",
    seed: Annotated[int, typer.Option(help="Outro número, outra empresa; o mesmo número, a mesma.")] = 1,
    whole: Annotated[
        bool,
        typer.Option("--json", help="Mostra tudo em JSON: cadastro, inscrição estadual e configurações."),
    ] = False,
) -> None:
    """Inventa uma empresa que o simulador aceita: o corpo de `POST /v1/companies`, com CNPJ e IE válidos."""
    if state.upper() not in STATES:
        fail(f"«{state}» não é uma UF: use uma de {', '.join(STATES)}.")
    if not name.strip():
        fail("A razão social está vazia: informe-a com --name.")
    sample = sample_company(state.upper(), name, seed)
    bodies = {
        "company": sample.company,
        "stateRegistration": sample.state_registration,
        "settings": sample.settings,
    }
    if not whole:
        # To stderr, so that the output alone is the body of a request.
        code, registration = sample.settings["nfce"]["homologation"], sample.state_registration
        warn(f"Inscrição estadual  {registration['number']} ({registration['state']})")
        warn(f"CSC de homologação  {code['csc']}, com o id {code['cscId']}")
        warn(
            f"Certificado         {command('simulator', 'certificate', '--tax-id', sample.company['taxId'])}"
        )
    say(json.dumps(bodies if whole else sample.company, indent=2, ensure_ascii=False))


def _write_new(file: Path, content: bytes) -> None:
    """Writes a new file and never replaces one: a real certificate may have the same name."""
    try:
        with file.open("xb") as stream:
            stream.write(content)
    except FileExistsError:
        fail(f"O arquivo {file} já existe: escolha outro com --out.")
    except OSError as error:
        fail(f"Não foi possível escrever {file}: {error.strerror}.")
