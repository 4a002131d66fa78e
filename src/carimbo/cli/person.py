"""`carimbo person`: the people who sign in to the dashboard."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

import typer

from carimbo.cli.console import fail, loaded_settings, say
from carimbo.cli.database import with_database
from carimbo.fiscal.local_time import BRASILIA
from carimbo.main.process import now
from carimbo.service.people.context import LinkPurpose, link_address
from carimbo.service.people.new_links import ResetLink, create_reset_link
from carimbo.service.people.people import (
    Invitation,
    find_person,
    invite,
    list_all_people,
    remove_operator,
    set_disabled,
)
from carimbo.service.people.roles import MemberRole
from carimbo.settings import Settings
from carimbo.storage.database import Database
from carimbo.storage.people import PersonRow

app = typer.Typer(
    name="person",
    help="Pessoas que entram no painel: convites, senhas esquecidas e desligamentos.",
    no_args_is_help=True,
)
T = TypeVar("T")

Email = Annotated[str, typer.Argument(help="E-mail da pessoa.")]


@app.command("invite")
def invite_person(
    email: Email,
    name: Annotated[str | None, typer.Option(help="Nome da pessoa.")] = None,
    operator: Annotated[
        bool, typer.Option("--operator", help="Torna a pessoa operadora desta instalação.")
    ] = False,
    subscription: Annotated[UUID | None, typer.Option(help="Id da assinatura.")] = None,
    role: Annotated[MemberRole | None, typer.Option(help="Papel na assinatura.")] = None,
    company: Annotated[
        list[UUID] | None, typer.Option(help="Id de uma empresa; repita a opção. Na falta, todas.")
    ] = None,
) -> None:
    """Convida uma pessoa e mostra o link, que vale uma única vez."""
    if subscription is None and (role is not None or company):
        fail("--role e --company só valem junto com --subscription: informe o id da assinatura.")
    settings = loaded_settings()

    async def use(database: Database) -> Invitation:
        return await invite(
            database,
            email,
            name,
            subscription_id=subscription,
            role=role,
            company_ids=company or None,
            is_operator=operator,
            now=now(),
        )

    invitation = with_database(settings, use)
    _show_link(settings, LinkPurpose.INVITATION, invitation.token, invitation.expires_at)


@app.command("reset")
def reset_password(
    email: Email,
    without_code: Annotated[
        bool,
        typer.Option(
            "--remove-second-factor",
            help="O uso do link desliga também o segundo fator (aparelho perdido).",
        ),
    ] = False,
) -> None:
    """Mostra um link para a pessoa criar uma nova senha, que vale uma única vez."""
    settings = loaded_settings()

    async def use(database: Database) -> ResetLink:
        return await create_reset_link(database, email, now(), removes_second_factor=without_code)

    reset = with_database(settings, use)
    _show_link(settings, LinkPurpose.RESET, reset.token, reset.expires_at)


@app.command("remove-operator")
def remove_operator_role(email: Email) -> None:
    """Tira de uma pessoa as permissões de operadora desta instalação."""

    async def use(database: Database) -> None:
        person = await find_person(database, email)
        await remove_operator(database, person.id)

    _with_database(use)
    say("a pessoa não é mais operadora; os acessos a assinaturas continuam")


@app.command("list")
def list_people() -> None:
    """Lista as pessoas desta instalação."""
    for person in _with_database(list_all_people):
        say(f"{person.id}  {person.email}  {_state(person)}  {person.name or '-'}")


@app.command("disable")
def disable_person(email: Email) -> None:
    """Impede uma pessoa de entrar e encerra suas sessões."""
    _set_disabled(email, is_disabled=True)
    say("pessoa desativada; suas sessões terminaram")


@app.command("enable")
def enable_person(email: Email) -> None:
    """Permite de novo que uma pessoa entre."""
    _set_disabled(email, is_disabled=False)
    say("pessoa ativada")


def _set_disabled(email: str, *, is_disabled: bool) -> None:
    async def use(database: Database) -> None:
        person = await find_person(database, email)
        await set_disabled(database, person.id, is_disabled=is_disabled)

    _with_database(use)


def _with_database(use: Callable[[Database], Awaitable[T]]) -> T:
    return with_database(loaded_settings(), use)


def _show_link(settings: Settings, purpose: LinkPurpose, token: str, expires_at: datetime) -> None:
    say(link_address(settings.link_base, purpose, token))
    shown = expires_at.astimezone(BRASILIA)
    say(f"vale uma única vez, até {shown:%d/%m/%Y %H:%M} (horário de Brasília)")


def _state(person: PersonRow) -> str:
    """Returns what an operator looks for in the list."""
    states = {
        "operador": person.is_operator,
        "desativada": person.disabled_at is not None,
        "não entrou ainda": not person.has_account,
        "chave de acesso": person.passkeys > 0,
        "segundo fator": person.has_totp,
    }
    return ", ".join(state for state, applies in states.items() if applies) or "ativa"
