"""The command that asks the tax authorities whether they are at work."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from carimbo.authorities.endpoints import UnknownPlace
from carimbo.authorities.port import Authority
from carimbo.authorities.registry import AUTHORITIES
from carimbo.authorities.trust import TrustUnusable
from carimbo.cli import tables
from carimbo.cli.console import fail, loaded_settings, say
from carimbo.fiscal.certificate import CertificateError, open_a1
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.outcome import NotJudged
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.tables.authorizers import AUTHORIZERS, states_of
from carimbo.fiscal.tables.states import STATES
from carimbo.main.authorities import authorities_of
from carimbo.settings import Settings

app = typer.Typer(
    name="authorities", help="As autoridades fiscais, vistas desta máquina.", no_args_is_help=True
)


class Model(StrEnum):
    """What authorities are asked for."""

    NFE = "55"
    NFCE = "65"
    NFSE = "nfse"


_TYPES = {Model(kind.model or kind.name): kind.name for kind in DOCUMENT_TYPES if kind.name in AUTHORITIES}
# What is authorised by one authority for the whole country has no line in the table of states.
_NATIONAL = "SEFIN"
_EVERYWHERE = "BR"


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one authority said, or why it said nothing."""

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
    tables.put_in_force(settings)
    state = uf and uf.upper()
    if state is not None and state not in STATES:
        fail(f"Não existe a UF {uf}.")
    sender = _sender(certificate, password, environment)
    try:
        answers = asyncio.run(_ask_all(settings, sender, model, state))
    except TrustUnusable as error:
        fail(str(error))
    _show(answers)
    raise typer.Exit(not any(answer.is_answered for answer in answers))


def _sender(file: Path, password: str, environment: Environment) -> Sender:
    try:
        certificate = open_a1(file.read_bytes(), password)
    except OSError as error:
        fail(f"O certificado {file} não pode ser lido: {error.strerror}.")
    except CertificateError as error:
        fail(str(error))
    return Sender(certificate, certificate.owner or "", environment)


async def _ask_all(settings: Settings, sender: Sender, model: Model, state: str | None) -> list[_Answer]:
    async with authorities_of(settings) as authorities:
        one = authorities[_TYPES[model]]
        asking = (_ask(one, sender, model, authorizer, state) for authorizer in _authorizers(model, state))
        return await asyncio.gather(*asking)


def _authorizers(model: Model, state: str | None) -> Iterator[str]:
    """Each authority once, those of contingency last."""
    serving = [one for one in AUTHORIZERS.values() if one.model == model and state in (None, one.state)]
    normal = sorted({one.authorizer for one in serving}) or [_NATIONAL]
    yield from normal
    yield from sorted({one.contingency for one in serving if one.contingency} - set(normal))


async def _ask(
    authority: Authority, sender: Sender, model: Model, authorizer: str, state: str | None
) -> _Answer:
    states = sorted(states_of(model, authorizer)) or [_EVERYWHERE]
    began = time.perf_counter()
    try:
        answer = await authority.status(sender, model, state or states[0], authorizer=authorizer)
    except UnknownPlace as error:
        return _Answer(authorizer, " ".join(states), 0, str(error), is_answered=False)
    milliseconds = round((time.perf_counter() - began) * 1000)
    if isinstance(answer, NotJudged) and answer.code is None:
        return _Answer(authorizer, " ".join(states), milliseconds, f"sem resposta: {answer.detail}", False)
    return _Answer(
        authorizer, " ".join(states), milliseconds, f"{answer.code} {answer.message}".strip(), True
    )


def _show(answers: list[_Answer]) -> None:
    width = max(len(answer.states) for answer in answers)
    for answer in answers:
        say(f"{answer.authorizer:<5}  {answer.states:<{width}}  {answer.milliseconds:>6} ms  {answer.text}")
