"""Which rules there are, and what is judged by them: found in the modules of a family."""

import re
from collections.abc import Iterator
from importlib import import_module
from inspect import getsource
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

from carimbo.simulator.rule import Rule

Rules = tuple[Rule[Any], ...]
_JUDGING = re.compile(
    r"(?<!def )(?:(?:first_broken|broken_by|all_broken)\(\s*|rules=)([A-Z_]+)(?:,\s*([A-Z_]+))?"
)


def modules_of(family: ModuleType) -> Iterator[ModuleType]:
    """Every module of a family."""
    for found in walk_packages(family.__path__, f"{family.__name__}."):
        yield import_module(found.name)


def rules_in(module: ModuleType) -> Iterator[Rule[Any]]:
    """The rules that a module has, alone or several together."""
    for value in vars(module).values():
        together = value if isinstance(value, tuple | list | frozenset) else [value]
        yield from (one for one in together if isinstance(one, Rule))


def judged_by(module: ModuleType) -> Iterator[Rules]:
    """The rules that a module judges something by."""
    for found in _JUDGING.findall(getsource(module)):
        yield from (getattr(module, name) for name in found if name)
