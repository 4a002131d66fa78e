"""The registers of taxpayers: those that an operator enters, and whoever issued a document."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from carimbo.simulator.store import Store

_COLUMNS = ("state", "tax_id", "registration", "name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributor:
    """A taxpayer in the register of one state."""

    state: str
    """Its letters, `SP`."""
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
    """The registers of every state."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, contributor: Contributor) -> None:
        """Enter a taxpayer, or replace what was known of it."""
        told = asdict(contributor)
        known = [told.pop(name) for name in _COLUMNS]
        self._store.connection.execute(
            "insert or replace into contributors values (?, ?, ?, ?, ?)", (*known, json.dumps(told))
        )

    def knows(self, state: str, tax_id: str, registration: str) -> bool:
        """Tell whether a taxpayer is in the register of a state."""
        query = "select 1 from contributors where state = ? and tax_id = ? and registration = ?"
        return self._store.connection.execute(query, (state, tax_id, registration)).fetchone() is not None

    def of_tax_id(self, state: str, tax_id: str) -> list[Contributor]:
        """The registrations of a CNPJ or CPF in a state."""
        return self._where("state = ? and tax_id = ?", state, tax_id)

    def of_registration(self, state: str, registration: str) -> list[Contributor]:
        """The taxpayers that share a registration in a state."""
        return self._where("state = ? and registration = ?", state, registration)

    def all(self) -> list[Contributor]:
        """Everybody, by state and name."""
        return self._where("true")

    def _where(self, condition: str, *values: str) -> list[Contributor]:
        query = f"select * from contributors where {condition} order by state, name, tax_id, registration"
        return [_contributor(row) for row in self._store.connection.execute(query, values)]


def _contributor(row: Any) -> Contributor:
    """Read a row; details that this version does not know are passed over."""
    known = {field.name for field in fields(Contributor)}
    details = {name: value for name, value in json.loads(row["details"]).items() if name in known}
    return Contributor(**{name: row[name] for name in _COLUMNS}, **details)
