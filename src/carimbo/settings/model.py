"""All settings together."""

from datetime import timedelta

from carimbo.settings.authorities import AuthoritySettings
from carimbo.settings.doors import DoorSettings
from carimbo.settings.outbound import OutboundSettings
from carimbo.settings.storage import StorageSettings
from carimbo.settings.worker import WorkerSettings
from carimbo.worker.courier import CourierOptions


class Settings(WorkerSettings, OutboundSettings, AuthoritySettings, DoorSettings, StorageSettings):
    """Typed settings; their descriptions are the reference page, from the last part to the first."""

    @property
    def latest_arrival(self) -> timedelta:
        """A worker sends nothing once its lease is over, and what it sent is judged or lost by then."""
        seconds = self.authority_connect_seconds * 2 + self.authority_read_seconds
        return timedelta(seconds=self.lease_seconds + seconds)

    @property
    def courier_options(self) -> CourierOptions:
        return CourierOptions(
            most=self.webhook_concurrency,
            each=self.webhook_concurrency_each,
            # An attempt ends by itself before this does.
            lease=timedelta(seconds=2 * self.webhook_seconds),
            poll=timedelta(seconds=self.worker_poll_seconds),
            reconnect_after=timedelta(seconds=self.worker_reconnect_seconds),
            # What is under way when it is over is let go of before the process ends.
            grace=timedelta(seconds=0.8 * self.shutdown_seconds),
        )
