"""The codes that issuers of NFC-e share with their state (CSC), for the hash in version 2 of the QR code."""

from dataclasses import astuple, dataclass

from carimbo.simulator.store import Store

DEFAULT_ID = 1
DEFAULT_TOKEN = "0123456789ABCDEF0123456789ABCDEF"  # noqa: S105
"""What every issuer has under `DEFAULT_ID`, so that nobody has to register a code before trying."""


@dataclass(frozen=True, slots=True)
class SecurityCode:
    """One code of one issuer."""

    issuer: str
    """CNPJ or CPF, without punctuation."""
    id: int
    token: str


class SecurityCodes:
    """The codes of every issuer."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def token(self, issuer: str, id: int) -> str | None:  # noqa: A002
        """The code of an issuer under an id; None if there is none."""
        row = self._store.connection.execute(
            "select token from security_codes where issuer = ? and id = ?", (issuer, id)
        ).fetchone()
        if row:
            return str(row["token"])
        return DEFAULT_TOKEN if id == DEFAULT_ID else None

    def put(self, code: SecurityCode) -> None:
        """Register a code, or replace the one of the same id."""
        self._store.connection.execute(
            "insert or replace into security_codes values (?, ?, ?)", astuple(code)
        )

    def all(self) -> list[SecurityCode]:
        """What is registered, by issuer and id."""
        rows = self._store.connection.execute("select * from security_codes order by issuer, id")
        return [SecurityCode(*row) for row in rows.fetchall()]
