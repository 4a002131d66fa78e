"""Which note a declaration (DPS) became: all that an issuer can ask for before it knows a key."""

from carimbo.simulator.store import Store


class Declarations:
    """The declarations of one environment."""

    def __init__(self, store: Store, environment: str) -> None:
        self._store = store
        self._environment = environment

    def key_of(self, id: str) -> str | None:  # noqa: A002
        """The access key of the note that an Id became; None if it became none."""
        row = self._store.connection.execute(
            "select access_key from declarations where environment = ? and id = ?", (self._environment, id)
        ).fetchone()
        return str(row["access_key"]) if row else None

    def keep(self, id: str, access_key: str) -> None:  # noqa: A002
        """Hold what an Id became; what it became first stays."""
        self._store.connection.execute(
            "insert or ignore into declarations values (?, ?, ?)", (self._environment, id, access_key)
        )
