"""How the service is reached and watched."""

from typing import Literal

from pydantic import BaseModel, Field

from carimbo.settings.values import (
    Folder,
    Port,
    Seconds,
)


class DoorSettings(BaseModel):
    """Addresses, limits, files, logs and metrics."""

    host: str = Field(default="127.0.0.1", description="Address that the API listens on.")
    port: Port = Field(default=8000, description="Port that the API listens on.")
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^/?#@\s]+(/[^?#\s]*)?$",
        description="Where the API is reached from outside, as `https://fiscal.example.com`: links to files "
        "begin with it, which the worker makes too. By default, the address that the API listens on.",
    )
    link_days: int = Field(
        default=7, ge=1, le=3650, description="Days that a link to a document's files is good for."
    )
    body_limit_bytes: int = Field(
        default=4 * 1024 * 1024, ge=1024, description="Largest request body that is read."
    )
    body_seconds: Seconds = Field(default=60, description="How long a request body may take to arrive.")
    head_limit_bytes: int = Field(
        default=32 * 1024, ge=1024, description="Largest request line with headers that is read."
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
        description="Folder with `regular.ttf` and `bold.ttf`, to print with instead of the fonts that come "
        "along.",
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
        default="info", description="Least severe log."
    )
    shutdown_seconds: Seconds = Field(
        default=20, description="How long work under way may take to finish after a stop signal."
    )
    drain_seconds: float = Field(
        default=0,
        ge=0,
        description="How long the API goes on answering after a stop signal while `/readyz` says no, so that "
        "a proxy which asks there sends requests elsewhere before the first one is refused.",
    )
    event_wait_seconds: Seconds = Field(
        default=10,
        description="How long a request to cancel, correct or give numbers up waits for the authority, "
        "and one to test a webhook for its receiver; then it is answered 202.",
    )

    @property
    def link_base(self) -> str:
        """What the path of a link is put behind."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return (self.public_url or f"http://{host}:{self.port}").rstrip("/")

    @property
    def printouts_cache_bytes(self) -> int:
        return self.printouts_cache_mb * 1024 * 1024
