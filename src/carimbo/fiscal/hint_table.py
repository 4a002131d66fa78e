"""Hints as tables: the file `hints.csv` of a package, with code, field and sentence in each row."""

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from carimbo.fiscal.hint import Hint


@cache
def hints_in(package: str) -> Mapping[str, Hint]:
    """All hints of a package, by the authority's code."""
    text = files(package).joinpath("hints.csv").read_text(encoding="utf-8")
    return {row["code"]: Hint(row["field"], row["hint"]) for row in csv.DictReader(text.splitlines())}
