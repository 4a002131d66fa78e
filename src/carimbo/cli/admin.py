"""`carimbo admin`: subscriptions, plans, credentials and secrets."""

import json
import re
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar
from uuid import UUID

import typer

from carimbo.cli.console import fail, loaded_settings, say
from carimbo.cli.database import with_database
from carimbo.fiscal.problems import counted
from carimbo.service import subscriptions
from carimbo.service.access import Authenticator, RotatedCredential, RotationRequest, rotate_credential
from carimbo.service.maintenance import probe_queue, rekey_secrets
from carimbo.service.plan_bodies import MAX_LIMIT, PLAN_NAME, TWO_COUNTS, WRONG_NAME
from carimbo.storage.database import Database
from carimbo.storage.envelope import new_key
from carimbo.storage.subscriptions import SubscriptionPlan

app = typer.Typer(
    name="admin",
    help="Comandos do operador: assinaturas, planos, credenciais e segredos.",
    no_args_is_help=True,
)
T = TypeVar("T")

SubscriptionId = Annotated[UUID, typer.Argument(help="Id da assinatura (é também a chave da API).")]


def _with_database(use: Callable[[Database], Awaitable[T]]) -> T:
    return with_database(loaded_settings(), use)


@app.command()
def create_subscription(
    name: Annotated[str, typer.Option(help="Nome da assinatura.")],
    plan: Annotated[str, typer.Option(help="Plano; veja `list-plans`.")] = subscriptions.TRIAL,
) -> None:
    """Cria uma assinatura com todos os recursos e mostra sua credencial uma única vez."""

    async def use(database: Database) -> subscriptions.NewCredentials:
        return await subscriptions.create_subscription(await Authenticator.open(database), name, plan)

    created = _with_database(use)
    say(json.dumps({"apiKey": str(created.subscription_id), "apiSecret": created.secret}, indent=2))


@app.command()
def list_subscriptions() -> None:
    """Lista as assinaturas com plano e recursos."""
    for subscription in _with_database(subscriptions.list_subscriptions):
        features = ",".join(sorted(subscription.features)) or "-"
        say(f"{subscription.id}  {subscription.plan.name}  {features}  {subscription.name}")


@app.command()
def set_plan(
    subscription_id: SubscriptionId, plan: Annotated[str, typer.Argument(help="Nome do plano.")]
) -> None:
    """Troca o plano de uma assinatura; vale na próxima requisição."""
    _with_database(lambda database: subscriptions.set_plan(database, subscription_id, plan))
    say("plano trocado")


@app.command()
def set_features(
    subscription_id: SubscriptionId,
    features: Annotated[
        list[str] | None, typer.Argument(help="Recursos ligados; nenhum desliga todos.")
    ] = None,
) -> None:
    """Liga só os recursos informados, entre nfceEmission, cteEmission e mdfeEmission."""
    _with_database(lambda database: subscriptions.set_features(database, subscription_id, features or []))
    say("recursos trocados")


@app.command()
def define_plan(
    name: Annotated[str, typer.Argument(help="Letras minúsculas, dígitos e hífens.")],
    monthly_documents: Annotated[
        int | None, typer.Option(min=0, max=MAX_LIMIT, help="Documentos por mês; sem limite se ausente.")
    ] = None,
    total_documents: Annotated[
        int | None, typer.Option(min=0, max=MAX_LIMIT, help="Documentos em toda a vida da assinatura.")
    ] = None,
    requests_per_minute: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_LIMIT, help="Requisições por minuto; sem limite se ausente."),
    ] = None,
) -> None:
    """Cria um plano ou troca os limites de um plano existente."""
    if not PLAN_NAME.fullmatch(name):
        fail(WRONG_NAME)
    if monthly_documents is not None and total_documents is not None:
        fail(TWO_COUNTS)
    plan = SubscriptionPlan(name, monthly_documents, total_documents, requests_per_minute)
    _with_database(lambda database: subscriptions.define_plan(database, plan))
    say("plano gravado")


@app.command()
def list_plans() -> None:
    """Lista os planos e seus limites."""
    for plan in _with_database(subscriptions.list_plans):
        limits = {
            "documentos/mês": plan.monthly_documents,
            "documentos": plan.total_documents,
            "requisições/min": plan.requests_per_minute,
        }
        shown = ", ".join(f"{limit} {name}" for name, limit in limits.items() if limit is not None)
        say(f"{plan.name}: {shown or 'sem limite'}")


@app.command()
def rotate_credentials(
    subscription_id: SubscriptionId,
    overlap_hours: Annotated[
        int | None, typer.Option(min=1, max=72, help="Horas em que a senha antiga ainda vale.")
    ] = None,
) -> None:
    """Troca a senha da API de uma assinatura e mostra a nova uma única vez."""
    request = RotationRequest.model_validate({"overlapHours": overlap_hours})

    async def use(database: Database) -> RotatedCredential:
        return await rotate_credential(await Authenticator.open(database), subscription_id, request)

    say(_with_database(use).model_dump_json(indent=2))


@app.command()
def generate_key(
    key_id: Annotated[str, typer.Option(help="Nome da chave, por exemplo o mês em que foi criada.")] = "k1",
) -> None:
    """Gera uma chave para CARIMBO_SECRET_KEYS. Não usa o banco."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", key_id):
        fail("O nome da chave usa letras, dígitos, hífen e sublinhado.")
    say(new_key(key_id))


@app.command()
def rekey() -> None:
    """Passa todos os segredos para a primeira chave de CARIMBO_SECRET_KEYS, com o serviço no ar."""
    report = _with_database(rekey_secrets)
    moved = counted(report.rewrapped, "segredo passado", "segredos passados")
    say(f"{moved} para a chave {report.active_key}")
    if report.left:
        fail(f"Ainda restam segredos sob outras chaves: {report.left}. Rode de novo.")


@app.command()
def check_queue(
    timeout: Annotated[
        float, typer.Option("--patience", help="Segundos a esperar pela resposta de um worker.")
    ] = 30,
) -> None:
    """Envia um teste pela fila e espera a resposta de um worker."""
    seconds = _with_database(lambda database: probe_queue(database, timeout))
    if seconds is None:
        fail("Nenhum worker respondeu: confira se `carimbo worker` está rodando.")
    say(f"um worker respondeu em {seconds:.2f} s")
