"""All settings, by subject, with their defaults; `loading.py` reads them from `CARIMBO_<NAME>` variables.

Their descriptions make the reference page.
"""

from datetime import timedelta
from typing import Literal

from pydantic import BaseModel, Field, SecretStr

from carimbo import __version__
from carimbo.authorities.request import AuthorityTimeouts
from carimbo.fiscal.issuance import Csrt, Software
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.outbound.smtp import Security, SmtpOptions
from carimbo.outbound.target import AllowedHosts
from carimbo.service.delivery.email_message import PlainEmail
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.service.waiting import Backoff
from carimbo.settings.values import (
    CertificatesFile,
    Days,
    File,
    Folder,
    Host,
    Hosts,
    Minutes,
    OptionalCnpj,
    Pauses,
    Port,
    Seconds,
)
from carimbo.storage.envelope import KeyRing
from carimbo.storage.jobs import QueueOptions
from carimbo.storage.pool import PoolOptions


class StorageSettings(BaseModel):
    """The database, and the keys that seal secrets in it."""

    database_url: SecretStr = Field(
        default=SecretStr(""),
        description="PostgreSQL 14 or newer, as `postgresql://user:password@host/database`; a pooler in "
        "front of it must be in session mode. Required.",
    )
    database_pool_size: int = Field(
        default=10, ge=1, le=500, description="Connections that one process may hold."
    )
    database_connect_seconds: Seconds = Field(
        default=5, description="How long to wait for a connection to the database."
    )
    database_command_seconds: Seconds = Field(
        default=30,
        description="How long one statement, or the wait for a free connection of the process, may take "
        "before the database counts as unavailable.",
    )
    migration_lock_timeout_seconds: Seconds = Field(
        default=30, description="How long a migration waits for a lock before it gives up."
    )
    secret_keys: SecretStr = Field(
        default=SecretStr(""),
        description="Key ring `id:base64[,id:base64...]` that seals certificates and other secrets; "
        "the first key is active. Required. `carimbo admin generate-key` makes one.",
    )

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


class ServiceSettings(BaseModel):
    """Addresses, limits, folders, logs and metrics of the API and worker processes."""

    host: str = Field(default="127.0.0.1", description="Address that the API listens on.")
    port: Port = Field(default=8000, description="Port that the API listens on.")
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^/?#@\s]+(/[^?#\s]*)?$",
        description="Where the API is reached from outside, as `https://fiscal.example.com`; links to files "
        "begin with it. By default, the address that the API listens on. The worker needs it too.",
    )
    link_days: int = Field(
        default=7, ge=1, le=3650, description="Days for which a link to a document's files is valid."
    )
    body_limit_bytes: int = Field(
        default=4 * 1024 * 1024, ge=1024, description="Largest request body that is accepted."
    )
    body_seconds: Seconds = Field(default=60, description="How long a request body may take to arrive.")
    head_limit_bytes: int = Field(
        default=32 * 1024, ge=1024, description="Largest request line with headers that is accepted."
    )
    head_seconds: Seconds = Field(
        default=10,
        description="How long the request line and headers may take to arrive, from the connection or from "
        "their first byte; a connection that sends nothing is closed after this time.",
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
        description="Folder with `regular.ttf` and `bold.ttf`, to print with instead of the included fonts.",
    )
    printouts_cache_mb: int = Field(
        default=32, ge=0, le=4096, description="Megabytes of PDF files that one process keeps in memory."
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
        default="info", description="Lowest level that is logged."
    )
    shutdown_seconds: Seconds = Field(
        default=20, description="How long running work may take to finish after a stop signal."
    )
    drain_seconds: float = Field(
        default=0,
        ge=0,
        description="How long the API continues to answer after a stop signal, while `/readyz` already "
        "fails, so that a proxy that checks `/readyz` can send requests elsewhere in time.",
    )
    event_wait_seconds: Seconds = Field(
        default=10,
        description="How long a request waits before it is answered 202. Requests to cancel, correct or void "
        "numbers wait for the tax authority; the test of a webhook waits for its receiver.",
    )

    @property
    def link_base(self) -> str:
        """The beginning of every link, without a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return (self.public_url or f"http://{host}:{self.port}").rstrip("/")

    @property
    def printouts_cache_bytes(self) -> int:
        return self.printouts_cache_mb * 1024 * 1024


# Ten years, the limit of the simulator's clock too.
_LARGEST_CLOCK_OFFSET = 10 * 366 * 86_400


class AuthoritySettings(BaseModel):
    """How the tax authorities are called, and who answers for the software."""

    simulator_url: str | None = Field(
        default=None,
        pattern=r"^https://[^/?#]+/?$",
        description="Where `carimbo simulator` runs, as `https://127.0.0.1:8443`: every call goes there "
        "instead of to the tax authorities.",
    )
    clock_offset_seconds: int = Field(
        default=0,
        ge=-_LARGEST_CLOCK_OFFSET,
        le=_LARGEST_CLOCK_OFFSET,
        description="Seconds that the service's clock is ahead of the machine's, to try the rules of another "
        "day; negative: behind. Accepted only with `simulator_url`; set the clock of its panel to the same.",
    )
    authority_ca_file: File | None = Field(
        default=None,
        description="PEM file with certificate authorities to trust for servers of the tax authorities, "
        "besides ICP-Brasil and those of web browsers; for example the simulator's.",
    )
    authority_connect_seconds: Seconds = Field(
        default=5,
        description="How long a connection to a tax authority may take; the TLS handshake may take as long.",
    )
    authority_read_seconds: Seconds = Field(
        default=30, description="How long a tax authority may take to answer."
    )
    authority_retry_first_seconds: Seconds = Field(
        default=2, description="First pause before a tax authority is tried again; pauses grow fourfold."
    )
    authority_retry_longest_seconds: Seconds = Field(
        default=900, description="Longest pause between attempts to reach a tax authority."
    )
    authority_certificates: int = Field(
        default=200,
        ge=1,
        description="Companies whose connections to the tax authorities one process keeps open.",
    )
    contingency_after_seconds: Seconds = Field(
        default=180,
        description="How long an authority must be out of service before NF-e are sent to its contingency "
        "authority (SVC).",
    )
    overdue_minutes: Minutes = Field(
        default=10,
        description="A document that is still processing after this time counts as overdue in metrics and "
        "in `GET /v1/companies/{companyId}/status`; the service goes on trying.",
    )
    responsible_tax_id: OptionalCnpj = Field(
        default="",
        description="CNPJ of the technical responsible for this installation (infRespTec), which many "
        "states require; it needs the contact, the e-mail and the phone too.",
    )
    responsible_contact: str = Field(
        default="", max_length=60, description="Contact person of the technical responsible (xContato)."
    )
    responsible_email: str = Field(
        default="", max_length=60, description="E-mail of the technical responsible (email)."
    )
    responsible_phone: str = Field(
        default="",
        pattern=r"^$|^[0-9]{6,14}$",
        description="Phone of the technical responsible, digits only (fone).",
    )
    responsible_csrt_id: str = Field(
        default="", pattern=r"^$|^[0-9]{2}$", description="Number of the state's security code (idCSRT)."
    )
    responsible_csrt: SecretStr = Field(
        default=SecretStr(""), description="The state's security code (CSRT), if the state issues one."
    )

    @property
    def authority_timeouts(self) -> AuthorityTimeouts:
        return AuthorityTimeouts(self.authority_connect_seconds, self.authority_read_seconds)

    @property
    def authority_backoff(self) -> Backoff:
        """Growing fourfold, so that a key is consulted at most nine times an hour (NT 2018.002)."""
        return Backoff(
            first=timedelta(seconds=self.authority_retry_first_seconds),
            longest=timedelta(seconds=self.authority_retry_longest_seconds),
            factor=4,
        )

    @property
    def clock_offset(self) -> timedelta:
        return timedelta(seconds=self.clock_offset_seconds)

    @property
    def contingency_after(self) -> timedelta:
        return timedelta(seconds=self.contingency_after_seconds)

    @property
    def overdue_after(self) -> timedelta:
        return timedelta(minutes=self.overdue_minutes)

    @property
    def software(self) -> Software:
        """The program and its technical responsible, as documents name them."""
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


class OutboundSettings(BaseModel):
    """Webhooks and e-mails."""

    webhook_seconds: Seconds = Field(
        default=15, description="How long a webhook may take, from the connection to the end of the response."
    )
    webhook_allowed_hosts: Hosts = Field(
        default="",
        description="Hosts without public addresses that webhooks may call, also by http://, as "
        "`intranet.example,10.0.0.7:8080`: names or addresses; without a port, all ports are allowed.",
    )
    webhook_ca_file: CertificatesFile | None = Field(
        default=None,
        description="PEM file with certificate authorities to trust for receivers of webhooks, besides those "
        "of web browsers.",
    )
    webhook_retry_seconds: Pauses = Field(
        default="5,300,1800,7200,18000",
        description="Pauses before the retries of a webhook that did not answer 2xx, at most five, separated "
        "by commas; a random part of up to a fifth is added to each.",
    )
    webhook_disable_days: Days = Field(
        default=5, description="A webhook that has only failed for this many days is disabled."
    )
    webhook_concurrency: int = Field(
        default=200,
        ge=1,
        le=5000,
        description="Deliveries that one worker sends at once to webhooks that answer quickly; the same "
        "number applies to all others together.",
    )
    webhook_concurrency_each: int = Field(
        default=5,
        ge=1,
        le=100,
        description="Deliveries that one worker sends at once to the same webhook, if it answers quickly; "
        "otherwise only one.",
    )
    webhook_history_days: int = Field(
        default=30, ge=1, description="Days that settled deliveries are kept, with their attempts."
    )
    smtp_host: Host = Field(
        default="",
        description="Name or address of the mail server; it needs `email_from` too. Without a mail server "
        "no e-mail is sent.",
    )
    smtp_port: Port = Field(default=587, description="Port of the mail server.")
    smtp_security: Security = Field(
        default=Security.STARTTLS,
        description="`starttls`, `tls` from the first byte (mostly port 465), or `none`, which is refused "
        "with a password unless the server is on this machine.",
    )
    smtp_username: str = Field(default="", description="User name at the mail server, if it needs one.")
    smtp_password: SecretStr = Field(default=SecretStr(""), description="Password of that user.")
    smtp_ca_file: CertificatesFile | None = Field(
        default=None,
        description="PEM file with certificate authorities to trust for the mail server, besides those of "
        "the system.",
    )
    smtp_seconds: Seconds = Field(
        default=30, description="How long sending one e-mail through the mail server may take."
    )
    email_from: PlainEmail | None = Field(
        default=None, description="Address that e-mails are sent from, under the name of each company."
    )
    email_folder: Folder | None = Field(
        default=None,
        description="Folder that e-mails are written to, as `.eml`, instead of sending them by `smtp_host`.",
    )
    email_retry_seconds: Pauses = Field(
        default="60,300,1800,7200,18000",
        description="Pauses before the retries of an e-mail that the mail server refused temporarily, at "
        "most five, separated by commas; a random part of up to a fifth is added to each.",
    )
    email_history_days: int = Field(
        default=90, ge=1, description="Days that settled e-mails stay in the log of their documents."
    )

    @property
    def allowed_hosts(self) -> AllowedHosts:
        return AllowedHosts.parse(self.webhook_allowed_hosts)

    @property
    def webhook_retries(self) -> RetrySchedule:
        return RetrySchedule.parse(self.webhook_retry_seconds)

    @property
    def sends_email(self) -> bool:
        return bool(self.smtp_host or self.email_folder)

    @property
    def email_retries(self) -> RetrySchedule:
        return RetrySchedule.parse(self.email_retry_seconds)

    @property
    def smtp_options(self) -> SmtpOptions:
        return SmtpOptions(
            host=self.smtp_host,
            port=self.smtp_port,
            security=self.smtp_security,
            username=self.smtp_username or None,
            password=self.smtp_password.get_secret_value() or None,
            ca_file=self.smtp_ca_file,
            seconds=self.smtp_seconds,
        )


class WorkerSettings(BaseModel):
    """The queue and its workers."""

    worker_concurrency: int = Field(
        default=50, ge=2, le=1000, description="Jobs that one worker does at once."
    )
    worker_batch_size: int = Field(
        default=20, ge=1, le=500, description="Jobs fetched at once; at most half of the concurrency."
    )
    worker_slow_seconds: Seconds = Field(
        default=2,
        description="Work that takes longer, for example with an authority that hangs, frees its slot.",
    )
    worker_poll_seconds: Seconds = Field(
        default=1,
        description="How often a worker polls the queue for due jobs, also after lost notifications.",
    )
    worker_heartbeat_seconds: Seconds = Field(
        default=30, description="A job without a heartbeat for this time is given to another worker."
    )
    worker_reconnect_seconds: Seconds = Field(
        default=2, description="Pause before a worker that lost the database connects again."
    )
    lease_seconds: Seconds = Field(
        default=60, description="How long a lease on a row lasts unless the worker renews it."
    )
    sweep_seconds: Seconds = Field(
        default=15,
        description="How often due rows without a job are put back into the queue, and how often the gauges "
        "of the metrics are read.",
    )
    retry_first_seconds: Seconds = Field(
        default=2, description="Delay before the first retry of failed work."
    )
    retry_longest_seconds: Seconds = Field(default=900, description="Longest delay between retries.")
    attempts_before_parking: int = Field(
        default=8, ge=1, description="Failures in a row after which work is parked until a person resumes it."
    )
    queue_history_days: int = Field(default=7, ge=1, description="Days that the queue's own log is kept.")

    @property
    def queue_options(self) -> QueueOptions:
        return QueueOptions(
            batch_size=min(self.worker_batch_size, self.worker_concurrency // 2),
            concurrency=self.worker_concurrency,
            heartbeat_timeout=timedelta(seconds=self.worker_heartbeat_seconds),
            poll_interval=timedelta(seconds=self.worker_poll_seconds),
            error_delay=timedelta(seconds=self.retry_first_seconds),
        )


class Settings(WorkerSettings, OutboundSettings, AuthoritySettings, ServiceSettings, StorageSettings):
    """All settings; the reference page lists them from the last base class to the first."""

    @property
    def in_flight_limit(self) -> timedelta:
        """How long after we gave up waiting a request may still reach the authority.

        A worker sends nothing after its lease has ended; what it sent before has arrived or failed by then.
        """
        seconds = self.authority_connect_seconds * 2 + self.authority_read_seconds
        return timedelta(seconds=self.lease_seconds + seconds)
