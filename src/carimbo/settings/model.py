"""All settings together."""

from datetime import timedelta

from carimbo.settings.authorities import AuthoritySettings
from carimbo.settings.doors import DoorSettings
from carimbo.settings.outbound import OutboundSettings
from carimbo.settings.storage import StorageSettings
from carimbo.settings.worker import WorkerSettings


class Settings(WorkerSettings, OutboundSettings, AuthoritySettings, DoorSettings, StorageSettings):
    """Typed settings; their descriptions are the reference page, from the last part to the first."""

    @property
    def latest_arrival(self) -> timedelta:
        """A worker sends nothing once its lease is over, and what it sent is judged or lost by then."""
        seconds = self.authority_connect_seconds * 2 + self.authority_read_seconds
        return timedelta(seconds=self.lease_seconds + seconds)
