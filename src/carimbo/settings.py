"""Every setting of the service. Only this module reads the environment.

Each is an environment variable with the prefix `CARIMBO_`; a variable with that prefix that is not in this
list is refused at start, because a misspelt setting that is silently ignored costs a night's sleep.
"""

import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, DirectoryPath, Field, FilePath, SecretStr, ValidationError

from carimbo import __version__
from carimbo.authorities.patience import Patience
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.fiscal.software import Csrt, Software
from carimbo.fiscal.taxpayer import is_cnpj
from carimbo.service.backoff import Backoff
from carimbo.storage.database import PoolOptions
from carimbo.storage.envelope import KeyRing, UnusableKey
from carimbo.storage.jobs import QueueOptions

PREFIX = "CARIMBO_"

Port = Annotated[int, Field(ge=0, le=65_535)]
Seconds = Annotated[float, Field(gt=0)]
Minutes = Annotated[float, Field(gt=0)]


def _absolute(path: Path) -> Path:
    """A relative path would depend on where the process was started; an empty one would be that place."""
    if not path.is_absolute():
        raise ValueError("informe um caminho absoluto")
    return path


Folder = Annotated[DirectoryPath, AfterValidator(_absolute)]
File = Annotated[FilePath, AfterValidator(_absolute)]


class SettingsError(Exception):
    """The environment can't be used; the message says what to change."""


def _cnpj_or_nothing(text: str) -> str:
    if text and not is_cnpj(text):
        raise ValueError("não é um CNPJ, só com letras maiúsculas e dígitos")
    return text


class Settings(BaseModel):
    """Typed settings; the descriptions are the reference page."""

    database_url: SecretStr = Field(
        default=SecretStr(""),
        description="PostgreSQL 14 or newer, as `postgresql://user:password@host/database`. Required.",
    )
    database_pool_size: int = Field(
        default=10, ge=1, le=500, description="Connections that one process may hold."
    )
    database_connect_seconds: Seconds = Field(
        default=5, description="How long to wait for a connection to the database."
    )
    database_command_seconds: Seconds = Field(
        default=30,
        description="How long one statement may take, or the wait for a connection that others of "
        "the process hold, before the database counts as lost.",
    )
    migration_lock_timeout_seconds: Seconds = Field(
        default=30, description="How long a migration waits for a lock before it gives up."
    )
    secret_keys: SecretStr = Field(
        default=SecretStr(""),
        description="Key ring `id:base64[,id:base64...]` that seals certificates and other secrets; "
        "the first key is active. Required. `carimbo admin generate-key` makes one.",
    )
    host: str = Field(default="127.0.0.1", description="Address that the API listens on.")
    port: Port = Field(default=8000, description="Port that the API listens on.")
    body_limit_bytes: int = Field(
        default=4 * 1024 * 1024, ge=1024, description="Largest request body that is read."
    )
    certificate_seconds: Seconds = Field(
        default=10, description="How long the opening of an uploaded certificate may take."
    )
    schemas_folder: Folder | None = Field(
        default=None,
        description="Folder with official XSD packages that are newer than those of this version; "
        "`carimbo schemas` shows the files in force.",
    )
    tables_folder: Folder | None = Field(
        default=None,
        description="Folder with official tables that are newer than those of this version; "
        "`carimbo tables` shows the tables in force.",
    )
    fonts_folder: Folder | None = Field(
        default=None,
        description="Folder with `regular.ttf` and `bold.ttf`, to print with instead of the fonts that come "
        "along.",
    )
    printouts_cache_mb: int = Field(
        default=32, ge=0, le=4096, description="Megabytes of PDF files that one process keeps in memory."
    )
    simulator_url: str | None = Field(
        default=None,
        pattern=r"^https://[^/?#]+/?$",
        description="Where `carimbo simulator` runs, as `https://127.0.0.1:8443`: every call goes there "
        "instead of to the tax authorities.",
    )
    authority_ca_file: File | None = Field(
        default=None,
        description="PEM file with certificate authorities that certify servers of the tax authorities, "
        "besides those of ICP-Brasil and of web browsers; the simulator's, for one.",
    )
    authority_connect_seconds: Seconds = Field(
        default=5,
        description="How long a connection to a tax authority may take, and its TLS handshake as much again.",
    )
    authority_read_seconds: Seconds = Field(
        default=30, description="How long a tax authority may take to answer."
    )
    authority_retry_first_seconds: Seconds = Field(
        default=2,
        description="Pause before a tax authority that did not answer is asked again; it grows fourfold.",
    )
    authority_retry_longest_seconds: Seconds = Field(
        default=900, description="Longest pause between attempts to reach a tax authority."
    )
    overdue_minutes: Minutes = Field(
        default=10,
        description="A document that is still on its way after so long counts as overdue in metrics and in "
        "`GET /v1/companies/{companyId}/status`; it goes on being tried.",
    )
    responsible_tax_id: Annotated[str, AfterValidator(_cnpj_or_nothing)] = Field(
        default="",
        description="CNPJ of whoever answers for this installation's software (infRespTec), which many "
        "states demand; with it come the contact, the e-mail and the phone.",
    )
    responsible_contact: str = Field(
        default="", max_length=60, description="Whom the tax authority asks for (xContato)."
    )
    responsible_email: str = Field(default="", max_length=60, description="Their e-mail (email).")
    responsible_phone: str = Field(
        default="", pattern=r"^$|^[0-9]{6,14}$", description="Their phone, digits only (fone)."
    )
    responsible_csrt_id: str = Field(
        default="", pattern=r"^$|^[0-9]{2}$", description="Number of the state's security code (idCSRT)."
    )
    responsible_csrt: SecretStr = Field(
        default=SecretStr(""), description="The state's security code itself (CSRT), where there is one."
    )
    authority_certificates: int = Field(
        default=200,
        ge=1,
        description="Companies whose connections to the tax authorities one process keeps open.",
    )
    metrics_host: str = Field(default="127.0.0.1", description="Address of the Prometheus metrics.")
    api_metrics_port: Port = Field(default=9464, description="Port of the API's metrics; 0 turns them off.")
    worker_metrics_port: Port = Field(
        default=9465, description="Port of the worker's metrics; 0 turns them off."
    )
    log_format: Literal["json", "console"] = Field(
        default="json", description="`json` for machines, `console` for people."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least severe log."
    )
    shutdown_seconds: Seconds = Field(
        default=20, description="How long work under way may take to finish after a stop signal."
    )
    contingency_after_seconds: Seconds = Field(
        default=180,
        description="How long an authority must be out of service before NF-e go to the one that stands in "
        "for it (SVC).",
    )
    event_wait_seconds: Seconds = Field(
        default=10,
        description="How long a request to cancel, correct or give numbers up waits for the authority; "
        "then it is answered 202.",
    )
    worker_concurrency: int = Field(
        default=50, ge=2, le=1000, description="Jobs that one worker does at once."
    )
    worker_batch_size: int = Field(
        default=20, ge=1, le=500, description="Jobs fetched at once; at most half of the concurrency."
    )
    worker_slow_seconds: Seconds = Field(
        default=2,
        description="Work that takes longer, as with an authority that hangs, leaves its place to others.",
    )
    worker_poll_seconds: Seconds = Field(
        default=1,
        description="How often a worker looks at the queue by itself, for what is due later or was not told.",
    )
    worker_heartbeat_seconds: Seconds = Field(
        default=30, description="A job without heartbeat for so long is given to another worker."
    )
    worker_reconnect_seconds: Seconds = Field(
        default=2, description="Pause before a worker that lost the database connects again."
    )
    lease_seconds: Seconds = Field(
        default=60, description="How long a worker holds a row without renewing its lease."
    )
    sweep_seconds: Seconds = Field(
        default=15, description="How often due rows without a job are put back into the queue."
    )
    retry_first_seconds: Seconds = Field(
        default=2, description="Delay before the first retry of failed work."
    )
    retry_longest_seconds: Seconds = Field(default=900, description="Longest delay between retries.")
    attempts_before_parking: int = Field(
        default=8, ge=1, description="Failures in a row after which a row is set aside for a person."
    )
    queue_history_days: int = Field(default=7, ge=1, description="Days that the queue's own log is kept.")

    @property
    def key_ring(self) -> KeyRing:
        return KeyRing.parse(self.secret_keys.get_secret_value())

    @property
    def pool_options(self) -> PoolOptions:
        return PoolOptions(
            size=self.database_pool_size,
            connect_seconds=self.database_connect_seconds,
            command_seconds=self.database_command_seconds,
        )

    @property
    def printouts_cache_bytes(self) -> int:
        return self.printouts_cache_mb * 1024 * 1024

    @property
    def authority_patience(self) -> Patience:
        return Patience(self.authority_connect_seconds, self.authority_read_seconds)

    @property
    def authority_backoff(self) -> Backoff:
        """Fourfold, so that a key is consulted no more than nine times an hour (NT 2018.002)."""
        return Backoff(
            first=timedelta(seconds=self.authority_retry_first_seconds),
            longest=timedelta(seconds=self.authority_retry_longest_seconds),
            factor=4,
        )

    @property
    def contingency_after(self) -> timedelta:
        return timedelta(seconds=self.contingency_after_seconds)

    @property
    def latest_arrival(self) -> timedelta:
        """A worker sends nothing once its lease is over, and what it sent is judged or lost by then."""
        seconds = self.authority_connect_seconds * 2 + self.authority_read_seconds
        return timedelta(seconds=self.lease_seconds + seconds)

    @property
    def overdue_after(self) -> timedelta:
        return timedelta(minutes=self.overdue_minutes)

    @property
    def software(self) -> Software:
        """The program as documents name it, and who answers for it."""
        if not self.responsible_tax_id:
            return Software(f"carimbo {__version__}")
        responsible = TechnicalResponsible(
            cnpj=self.responsible_tax_id,
            contact=self.responsible_contact,
            email=self.responsible_email,
            phone=self.responsible_phone,
        )
        csrt = self.responsible_csrt.get_secret_value()
        return Software(
            f"carimbo {__version__}",
            responsible,
            Csrt(self.responsible_csrt_id, csrt) if self.responsible_csrt_id and csrt else None,
        )

    @property
    def queue_options(self) -> QueueOptions:
        return QueueOptions(
            batch_size=min(self.worker_batch_size, self.worker_concurrency // 2),
            concurrency=self.worker_concurrency,
            heartbeat_timeout=timedelta(seconds=self.worker_heartbeat_seconds),
            poll_interval=timedelta(seconds=self.worker_poll_seconds),
            error_delay=timedelta(seconds=self.retry_first_seconds),
        )


def load_settings(environment: Mapping[str, str] | None = None, *, needs_database: bool = True) -> Settings:
    """Read the settings, or raise SettingsError with everything that is wrong.

    Commands that only look at files run before there is a database or a key.
    """
    environment = os.environ if environment is None else environment
    given = {
        name: environment[_variable(name)] for name in Settings.model_fields if _variable(name) in environment
    }
    problems = _unknown_names(environment) + _partial_responsible(given)
    if needs_database:
        problems += _bad_database(given) + _bad_keys(given)
    try:
        settings = Settings.model_validate(given)
    except ValidationError as error:
        problems += [f"{_variable(str(e['loc'][0]))}: valor inválido ({e['msg']})" for e in error.errors()]
    if problems:
        raise SettingsError("\n".join(problems))
    return settings


def child_environment(overrides: Mapping[str, str]) -> dict[str, str]:
    """Our own environment with some settings replaced, for a process that we start."""
    return {**os.environ, **{_variable(name): value for name, value in overrides.items()}}


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def _unknown_names(environment: Mapping[str, str]) -> list[str]:
    known = {_variable(name) for name in Settings.model_fields}
    unknown = sorted(name for name in environment if name.startswith(PREFIX) and name not in known)
    return [f"{name}: esta configuração não existe" for name in unknown]


def _partial_responsible(given: Mapping[str, str]) -> list[str]:
    """Who answers for the software is named whole or not at all, and so is a security code."""
    return _lacking(given, "tax_id", "contact", "email", "phone") + _lacking(given, "csrt_id", "csrt")


def _lacking(given: Mapping[str, str], *parts: str) -> list[str]:
    """What lacks of things that are told together or not at all."""
    missing = [name for part in parts if not given.get(name := f"responsible_{part}")]
    if len(missing) in (0, len(parts)):
        return []
    return [f"{_variable(name)}: informe também este dado do responsável técnico" for name in missing]


def _bad_database(given: Mapping[str, str]) -> list[str]:
    usable = given.get("database_url", "").startswith(("postgresql://", "postgres://"))
    hint = "informe o endereço de um PostgreSQL, como postgresql://usuario:senha@servidor/banco"
    return [] if usable else [f"{_variable('database_url')}: {hint}"]


def _bad_keys(given: Mapping[str, str]) -> list[str]:
    try:
        KeyRing.parse(given.get("secret_keys", ""))
    except UnusableKey as error:
        hint = "gere uma chave com `carimbo admin generate-key`"
        return [f"{_variable('secret_keys')}: {error}; {hint}"]
    return []
