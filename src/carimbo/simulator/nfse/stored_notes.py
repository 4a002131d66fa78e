"""Stored notes: their keys, the declarations (DPS) they were issued for, and their parties."""

import re
import secrets
from datetime import datetime

from lxml import etree

from carimbo.simulator.group import Group, group_of
from carimbo.simulator.identifiers import check_digit, is_person, tax_id_base
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfse.call import NAMESPACE
from carimbo.simulator.store import Store

CITY, ENVIRONMENT, ISSUER = slice(0, 7), slice(7, 8), slice(8, 23)
"""Positions in a key: city, `ambGer` and the inscription of the issuer."""
NATIONAL = "2"
"""`ambGer` of the Sefin Nacional."""
_KEY = re.compile("[0-9A-Z]{50}")
_PERSON, _COMPANY = "1", "2"


def is_key(text: str) -> bool:
    """Returns whether a text has the form of an access key."""
    return bool(_KEY.fullmatch(text))


def inscription(tax_id: str) -> str:
    """Returns a tax id as Ids and keys have it: its kind, then fourteen positions, zeros before a CPF."""
    return f"{_PERSON if is_person(tax_id) else _COMPANY}{tax_id:0>14}"


def new_key(city: str, tax_id: str, number: int, at: datetime) -> str:
    """Returns a new access key with a random code."""
    chance = secrets.randbelow(10**9)
    first = f"{city}{NATIONAL}{inscription(tax_id)}{number:013d}{at:%y%m}{chance:09d}"
    return first + check_digit(first)


class Declarations:
    """The declarations (DPS) of one environment and the notes issued for them."""

    def __init__(self, store: Store, environment: str) -> None:
        self._store = store
        self._environment = environment

    def key_of(self, id: str) -> str | None:  # noqa: A002
        """Returns the access key of the note issued for a declaration, or None."""
        row = self._store.connection.execute(
            "select access_key from declarations where environment = ? and id = ?", (self._environment, id)
        ).fetchone()
        return str(row["access_key"]) if row else None

    def keep(self, id: str, access_key: str) -> None:  # noqa: A002
        """Stores the note issued for a declaration; a second one does not replace the first."""
        self._store.connection.execute(
            "insert or ignore into declarations values (?, ?, ?)", (self._environment, id, access_key)
        )


def stored_dps(document: StoredDocument) -> Group:
    """Returns the `infDPS` of a stored note."""
    root = etree.fromstring(document.xml)
    return group_of(next(root.iterchildren(f"{{{NAMESPACE}}}infDPS")))


def party_tax_id(party: Group | None) -> str:
    """Returns the CNPJ or CPF of a party; empty without a party or for a foreign one."""
    return (party.text("CNPJ") or party.text("CPF")) if party else ""


def parties_of(note: Group) -> frozenset[str]:
    """Returns the tax ids of provider, taker and intermediary of an `infDPS`."""
    return frozenset(party_tax_id(note.group(tag)) for tag in ("prest", "toma", "interm")) - {""}


def is_party(owner: str, note: Group) -> bool:
    """Returns whether a certificate's owner is provider, taker or intermediary of an `infDPS`."""
    return bool(owner) and tax_id_base(owner) in set(map(tax_id_base, parties_of(note)))
