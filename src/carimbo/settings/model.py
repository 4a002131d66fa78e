"""All settings with their defaults; `loading.py` reads them from `CARIMBO_<NAME>` variables.

Settings of the database, the API and the worker are here; `authorities.py` and `outbound.py` have the others.
Their descriptions make the reference page.
"""

from datetime import timedelta
from typing import Literal

from pydantic import BaseModel, Field, SecretStr

from carimbo.service.network_address import plain_address
from carimbo.settings.authorities import AuthoritySettings
from carimbo.settings.outbound import OutboundSettings
from carimbo.settings.values import Addresses, Folder, Port, PublicUrl, Seconds
from carimbo.storage.envelope import KeyRing
from carimbo.storage.options import PoolOptions


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
    public_url: PublicUrl | None = Field(
        default=None,
        description="Where the API is reached from outside, as `https://fiscal.example.com`; links to files "
        "begin with it. By default, the address that the API listens on. The worker needs it too.",
    )
    dashboard: bool = Field(
        default=True, description="Whether the API process also serves the dashboard at `/painel`."
    )
    proxy_addresses: Addresses = Field(
        default="",
        description="IP addresses of the proxies in front of the API, separated by commas; their "
        "`X-Forwarded-For` is believed. Attempts to sign in to the dashboard are limited by the client's "
        "address.",
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
        return self.public_url or f"http://{host}:{self.port}"

    @property
    def proxies(self) -> frozenset[str]:
        """The addresses of the proxies, as those of clients are spelled to be compared with them."""
        return frozenset(filter(None, map(plain_address, self.proxy_addresses.split(","))))

    @property
    def printouts_cache_bytes(self) -> int:
        return self.printouts_cache_mb * 1024 * 1024


class WorkerSettings(BaseModel):
    """The queue and its workers."""

    worker_concurrency: int = Field(
        default=50,
        ge=2,
        le=1000,
        description="Rows that one worker works on at once; one kind of work gets at most four fifths.",
    )
    worker_batch_size: int = Field(
        default=20, ge=1, le=500, description="Rows that one statement claims at most."
    )
    worker_slow_seconds: Seconds = Field(
        default=2,
        description="Work that takes longer, for example with an authority that hangs, frees its slot.",
    )
    worker_poll_seconds: Seconds = Field(
        default=1,
        description="How often a worker looks for due rows without being notified.",
    )
    worker_reconnect_seconds: Seconds = Field(
        default=2, description="Pause before a worker that lost the database connects again."
    )
    lease_seconds: Seconds = Field(
        default=60, description="How long a lease on a row lasts unless the worker renews it."
    )
    sweep_seconds: Seconds = Field(
        default=15,
        description="How often the gauges of the metrics are read.",
    )
    retry_first_seconds: Seconds = Field(
        default=2, description="Delay before the first retry of failed work."
    )
    retry_longest_seconds: Seconds = Field(default=900, description="Longest delay between retries.")
    attempts_before_parking: int = Field(
        default=8, ge=1, description="Failures in a row after which work is parked until a person resumes it."
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
