"""Fictitious parameters of cities in the national NFS-e system, and their ISS rates, from two CSV tables."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files

from carimbo.fiscal.tables.geography import municipality_of_ibge

_ANY = ""


@dataclass(frozen=True, slots=True)
class IssRate:
    """The ISS rate of some services in a city."""

    city_code: str
    """Empty: every city without a rate of its own."""
    services: str
    """Prefix of the service codes (`cTribNac`); empty: all others."""
    rate: str
    """In percent; empty where the city does not administer these services."""


@dataclass(frozen=True, slots=True)
class City:
    """The parameters of a city."""

    code: str
    """Seven digits of IBGE; empty: the default for cities that the table does not list."""
    name: str
    has_agreement: bool
    """Whether it has joined the national system, which then has its rates."""
    has_national_emitter: bool
    """Whether its taxpayers issue in the national system, not in the city's own."""
    cancellation_days: int
    cancellation_limit: int
    """The highest amount of a note that can be canceled, in whole reais; 0: any."""

    def rate(self, service: str) -> Decimal | None:
        """Returns the ISS rate of a service (`cTribNac`), in percent; None if it is not the city's."""
        return _rate(self.code, service)


def city_of(code: str) -> City:
    """Returns the parameters of a city."""
    return _cities().get(code) or replace(_cities()[_ANY], code=code, name=_name_of(code))


def named_cities() -> list[City]:
    """Returns the cities of the table; the first is the default for all others."""
    return list(_cities().values())


def iss_rates() -> list[IssRate]:
    """Returns every rate of the table."""
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
    municipality = municipality_of_ibge(code)
    return f"{municipality.name}/{municipality.state}" if municipality else ""


@lru_cache(maxsize=1)
def _rates() -> Mapping[tuple[str, str], Decimal | None]:
    """By city and by prefix of the service codes."""
    return {(row.city_code, row.services): Decimal(row.rate) if row.rate else None for row in iss_rates()}


def _rate(city: str, service: str) -> Decimal | None:
    """The city's own rate before the default, and the longest matching prefix first."""
    for owner in (city, _ANY):
        for length in range(len(service), -1, -1):
            if (owner, service[:length]) in _rates():
                return _rates()[owner, service[:length]]
    return None


def _rows(name: str) -> list[dict[str, str]]:
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
