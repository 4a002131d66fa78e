"""Registers of taxpayers: their state registrations, and the security codes (CSC) of NFC-e issuers."""

import json
from dataclasses import asdict, astuple, dataclass, fields
from typing import Any

from carimbo.simulator.store import Store

_COLUMNS = ("state", "tax_id", "registration", "name")
DEFAULT_ID = 1
DEFAULT_TOKEN = "0123456789ABCDEF0123456789ABCDEF"  # noqa: S105
"""The token of every issuer under `DEFAULT_ID`, so that NFC-e works without registering a code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributor:
    """A taxpayer in the register of one state."""

    state: str
    """Two letters, `SP`."""
    tax_id: str
    """CNPJ or CPF, without punctuation."""
    registration: str
    """Inscrição estadual."""
    name: str
    is_active: bool = True
    trade_name: str = ""
    tax_regime: str = ""
    activity: str = ""
    """CNAE."""
    street: str = ""
    number: str = ""
    district: str = ""
    city_code: str = ""
    city: str = ""
    zipcode: str = ""


class Contributors:
    """The taxpayer registers of all states, filled by the operator and by authorized documents."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, contributor: Contributor) -> None:
        """Adds a taxpayer, or replaces its data."""
        details = asdict(contributor)
        columns = [details.pop(name) for name in _COLUMNS]
        self._store.connection.execute(
            "insert or replace into contributors values (?, ?, ?, ?, ?)", (*columns, json.dumps(details))
        )

    def knows(self, state: str, tax_id: str, registration: str) -> bool:
        """Returns whether a taxpayer is in the register of a state."""
        query = "select 1 from contributors where state = ? and tax_id = ? and registration = ?"
        return self._store.connection.execute(query, (state, tax_id, registration)).fetchone() is not None

    def of_tax_id(self, state: str, tax_id: str) -> list[Contributor]:
        """Returns the registrations of a CNPJ or CPF in a state."""
        return self._where("state = ? and tax_id = ?", state, tax_id)

    def of_registration(self, state: str, registration: str) -> list[Contributor]:
        """Returns the taxpayers with a registration in a state."""
        return self._where("state = ? and registration = ?", state, registration)

    def all(self) -> list[Contributor]:
        """Returns all taxpayers, by state and name."""
        return self._where("true")

    def _where(self, condition: str, *values: str) -> list[Contributor]:
        query = f"select * from contributors where {condition} order by state, name, tax_id, registration"
        return [_contributor(row) for row in self._store.connection.execute(query, values)]


def _contributor(row: Any) -> Contributor:
    """Reads a row; ignores details that this version does not have."""
    field_names = {field.name for field in fields(Contributor)}
    details = {name: value for name, value in json.loads(row["details"]).items() if name in field_names}
    return Contributor(**{name: row[name] for name in _COLUMNS}, **details)


@dataclass(frozen=True, slots=True)
class SecurityCode:
    """A security code (CSC) of an issuer, for the hash in version 2 of the QR code."""

    issuer: str
    """CNPJ or CPF, without punctuation."""
    id: int
    token: str


class SecurityCodes:
    """The codes of every issuer."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def token(self, issuer: str, id: int) -> str | None:  # noqa: A002
        """Returns the token of an issuer under an id; None if there is none."""
        row = self._store.connection.execute(
            "select token from security_codes where issuer = ? and id = ?", (issuer, id)
        ).fetchone()
        if row:
            return str(row["token"])
        return DEFAULT_TOKEN if id == DEFAULT_ID else None

    def put(self, code: SecurityCode) -> None:
        """Adds a code, or replaces the one with the same id."""
        self._store.connection.execute(
            "insert or replace into security_codes values (?, ?, ?)", astuple(code)
        )

    def all(self) -> list[SecurityCode]:
        """Returns the registered codes, by issuer and id."""
        rows = self._store.connection.execute("select * from security_codes order by issuer, id")
        return [SecurityCode(*row) for row in rows.fetchall()]
