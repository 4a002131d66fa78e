"""`carimbo authorities`: asks the tax authorities whether they are in operation."""

import asyncio
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from carimbo.authorities.endpoints import UnknownEndpoint
from carimbo.authorities.registry import AUTHORITIES
from carimbo.authorities.tls import CaFileUnusable
from carimbo.cli import tables
from carimbo.cli.console import fail, loaded_settings, say
from carimbo.fiscal.authority import Authority
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import AuthorityCredentials, CertificateError, open_a1
from carimbo.fiscal.outcome import NotJudged
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.tables.authorities import AUTHORIZERS, states_of
from carimbo.fiscal.tables.geography import STATES
from carimbo.main.authorities import authorities_of
from carimbo.settings import Settings

app = typer.Typer(
    name="authorities", help="As autoridades fiscais, vistas desta máquina.", no_args_is_help=True
)


class Model(StrEnum):
    """The fiscal model whose authorities are asked."""

    NFE = "55"
    NFCE = "65"
    NFSE = "nfse"
    CTE = "57"
    CTE_OS = "67"
    MDFE = "58"


_TYPES = {
    Model(document_type.model or document_type.name): document_type.name
    for document_type in DOCUMENT_TYPES
    if document_type.name in AUTHORITIES
}
# A model with one authority for the whole country has no rows in the table of authorizers.
_NATIONAL_AUTHORIZER = "SEFIN"
_WHOLE_COUNTRY = "BR"


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answer of one authority, or why there is none."""

    authorizer: str
    states: str
    milliseconds: int
    text: str
    is_answered: bool


@app.callback()
def options() -> None:
    """As autoridades fiscais, vistas desta máquina."""


CertificateFile = Annotated[
    Path,
    typer.Option(
        help="Certificado A1 (.pfx) que se apresenta às autoridades; sem ele, é perguntado.",
        prompt="Certificado A1 (.pfx)",
    ),
]
Password = Annotated[
    str, typer.Option(help="Senha do certificado; sem ela, é perguntada.", prompt="Senha", hide_input=True)
]


@app.command()
def status(
    certificate: CertificateFile,
    password: Password,
    uf: Annotated[str | None, typer.Option(help="Só as autoridades desta UF; sem ela, todas.")] = None,
    model: Annotated[Model, typer.Option(help="55 é a NF-e; 65, a NFC-e; nfse, a NFS-e nacional.")] = (
        Model.NFE
    ),
    environment: Annotated[Environment, typer.Option(help="Ambiente das autoridades.")] = (
        Environment.HOMOLOGATION
    ),
) -> None:
    """Pergunta às autoridades se estão em operação e mostra o que cada uma respondeu. Não usa o banco."""
    settings = loaded_settings(needs_database=False)
    tables.apply_tables(settings)
    state = uf and uf.upper()
    if state is not None and state not in STATES:
        fail(f"Não existe a UF {uf}.")
    sender = _sender(certificate, password, environment)
    try:
        answers = asyncio.run(_ask_all(settings, sender, model, state))
    except CaFileUnusable as error:
        fail(str(error))
    width = max(len(answer.states) for answer in answers)
    for answer in answers:
        say(f"{answer.authorizer:<5}  {answer.states:<{width}}  {answer.milliseconds:>6} ms  {answer.text}")
    raise typer.Exit(not any(answer.is_answered for answer in answers))


def _sender(file: Path, password: str, environment: Environment) -> AuthorityCredentials:
    try:
        certificate = open_a1(file.read_bytes(), password)
    except OSError as error:
        fail(f"O certificado {file} não pode ser lido: {error.strerror}.")
    except CertificateError as error:
        fail(str(error))
    return AuthorityCredentials(certificate, certificate.owner or "", environment)


async def _ask_all(
    settings: Settings, sender: AuthorityCredentials, model: Model, state: str | None
) -> list[_Answer]:
    async with authorities_of(settings) as authorities:
        authority = authorities[_TYPES[model]]
        return await asyncio.gather(
            *(_ask(authority, sender, model, authorizer, state) for authorizer in _authorizers(model, state))
        )


def _authorizers(model: Model, state: str | None) -> list[str]:
    """Returns each authority once, those of contingency last."""
    rows = [row for row in AUTHORIZERS.values() if row.model == model and state in (None, row.state)]
    normal = sorted({row.authorizer for row in rows}) or [_NATIONAL_AUTHORIZER]
    return normal + sorted({row.contingency for row in rows if row.contingency} - set(normal))


async def _ask(
    authority: Authority,
    sender: AuthorityCredentials,
    model: Model,
    authorizer: str,
    state: str | None,
) -> _Answer:
    states = sorted(states_of(model, authorizer)) or [_WHOLE_COUNTRY]
    started = time.perf_counter()
    try:
        answer = await authority.status(sender, model, state or states[0], authorizer=authorizer)
    except UnknownEndpoint as error:
        return _Answer(authorizer, " ".join(states), 0, str(error), is_answered=False)
    milliseconds = round((time.perf_counter() - started) * 1000)
    if isinstance(answer, NotJudged) and answer.code is None:
        return _Answer(authorizer, " ".join(states), milliseconds, f"sem resposta: {answer.detail}", False)
    return _Answer(
        authorizer, " ".join(states), milliseconds, f"{answer.code} {answer.message}".strip(), True
    )
