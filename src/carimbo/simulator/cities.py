"""What cities have agreed with the Sefin Nacional, and their rates of the ISS: made up, in two tables."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files

from carimbo.fiscal.tables.municipalities import municipality_of_ibge

_ANY = ""


@dataclass(frozen=True, slots=True)
class IssRate:
    """The rate of some services of a city."""

    city_code: str
    """Empty: of every city that has none of its own."""
    services: str
    """What their codes (`cTribNac`) begin with; empty: all others."""
    rate: str
    """In percent; empty where the city does not administer them."""


@dataclass(frozen=True, slots=True)
class City:
    """The parameters of one city."""

    code: str
    """Seven digits of IBGE; empty: those of every city that the table does not name."""
    name: str
    has_agreement: bool
    """Whether it has joined the national system: its own rates are known there."""
    has_national_emitter: bool
    """Whether the national system issues for its taxpayers, or a system of its own."""
    cancellation_days: int
    cancellation_limit: int
    """The greatest amount of a note that may be canceled, in whole reais; 0: any."""

    def rate(self, service: str) -> Decimal | None:
        """The ISS of a service (`cTribNac`), in percent; None if the city does not administer it."""
        return _rate(self.code, service)


def city_of(code: str) -> City:
    """The parameters of a city."""
    return _cities().get(code) or replace(_cities()[_ANY], code=code, name=_name_of(code))


def named_cities() -> list[City]:
    """The cities that the table names, after the one that stands for all others."""
    return list(_cities().values())


def iss_rates() -> list[IssRate]:
    """Every rate, as the table has it."""
    return [IssRate(**row) for row in _rows("iss_rates.csv")]


@lru_cache(maxsize=1)
def _cities() -> Mapping[str, City]:
    return {row["code"]: _city(row) for row in _rows("cities.csv")}


def _city(row: Mapping[str, str]) -> City:
    return City(
        code=row["code"],
        name=_name_of(row["code"]),
        has_agreement=row["has_agreement"] == "yes",
        has_national_emitter=row["has_national_emitter"] == "yes",
        cancellation_days=int(row["cancellation_days"]),
        cancellation_limit=int(row["cancellation_limit"]),
    )


def _name_of(code: str) -> str:
    found = municipality_of_ibge(code)
    return f"{found.name}/{found.state}" if found else ""


@lru_cache(maxsize=1)
def _rates() -> Mapping[tuple[str, str], Decimal | None]:
    """By city and by what the codes of services begin with."""
    return {(one.city_code, one.services): Decimal(one.rate) if one.rate else None for one in iss_rates()}


def _rate(city: str, service: str) -> Decimal | None:
    """The city's own before that of all cities, and of each the nearest to the service."""
    for owner in (city, _ANY):
        for length in range(len(service), -1, -1):
            if (owner, service[:length]) in _rates():
                return _rates()[owner, service[:length]]
    return None


def _rows(name: str) -> list[dict[str, str]]:
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
