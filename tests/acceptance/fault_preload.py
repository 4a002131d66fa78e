"""Loads everything constant that a program needs once, in the process that programs are forked from.

Only that process imports this file: a forked program has all of this already.
"""

import gc

import carimbo.cli
import carimbo.main.api
import carimbo.main.worker
import carimbo.simulator.program.run  # noqa: F401 - a command imports its own program when it runs
from acceptance import fault_programs  # noqa: F401 - a forked program runs it first
from carimbo.authorities.tls import TrustStore
from carimbo.fiscal.tables.all_tables import ALL_TABLES
from carimbo.printing.registry import PdfRenderer


def prepare() -> None:
    """Fills all caches, and keeps the garbage collectors of the copies from visiting them."""
    for table in ALL_TABLES:
        table.load()
    PdfRenderer()
    TrustStore().close()
    gc.collect()
    gc.freeze()


prepare()
