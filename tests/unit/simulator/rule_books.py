"""Finds all rejection rules of a family in its modules."""

import re
from collections.abc import Iterator
from importlib import import_module
from inspect import getsource
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

from carimbo.simulator.rules import RejectionRule

Rules = tuple[RejectionRule[Any], ...]
_JUDGING = re.compile(
    r"(?<!def )(?:(?:first_broken|broken_by|broken_rules)\(\s*|rules=)([A-Z_]+)(?:,\s*([A-Z_]+))?"
)


def modules_of(family: ModuleType) -> Iterator[ModuleType]:
    """Yields every module of a family."""
    for module_info in walk_packages(family.__path__, f"{family.__name__}."):
        yield import_module(module_info.name)


def rules_in(module: ModuleType) -> Iterator[RejectionRule[Any]]:
    """Yields the rules of a module, single or in collections."""
    for value in vars(module).values():
        together = value if isinstance(value, tuple | list | frozenset) else [value]
        yield from (rule for rule in together if isinstance(rule, RejectionRule))


def judged_by(module: ModuleType) -> Iterator[Rules]:
    """Yields the sets of rules that a module applies."""
    for names in _JUDGING.findall(getsource(module)):
        yield from (getattr(module, name) for name in names if name)
