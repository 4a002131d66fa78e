"""Where everything is kept."""

from pydantic import BaseModel, Field, SecretStr

from carimbo.settings.values import (
    Seconds,
)
from carimbo.storage.envelope import KeyRing
from carimbo.storage.pool import PoolOptions


class StorageSettings(BaseModel):
    """The database, and what seals secrets in it."""

    database_url: SecretStr = Field(
        default=SecretStr(""),
        description="PostgreSQL 14 or newer, as `postgresql://user:password@host/database`; a pooler on the "
        "way to it must be in session mode. Required.",
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
