"""How queued work is done."""

from datetime import timedelta

from pydantic import BaseModel, Field

from carimbo.settings.values import (
    Seconds,
)
from carimbo.storage.jobs import QueueOptions


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
        default=15,
        description="How often due rows without a job are put back into the queue, and how often the gauges "
        "of the metrics are read.",
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
    def queue_options(self) -> QueueOptions:
        return QueueOptions(
            batch_size=min(self.worker_batch_size, self.worker_concurrency // 2),
            concurrency=self.worker_concurrency,
            heartbeat_timeout=timedelta(seconds=self.worker_heartbeat_seconds),
            poll_interval=timedelta(seconds=self.worker_poll_seconds),
            error_delay=timedelta(seconds=self.retry_first_seconds),
        )
