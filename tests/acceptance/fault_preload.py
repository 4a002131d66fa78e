"""Everything that a program needs and that never changes, made once, in the process that all are copies of.

Only that process imports this file: a program that begins as its copy has all of this already.
"""

import gc

import carimbo.cli
import carimbo.main.api
import carimbo.main.worker
import carimbo.simulator.run  # noqa: F401 - a command imports its own program when it runs
from acceptance import fault_programs  # noqa: F401 - what a copy runs first
from carimbo.authorities.trust import Trust
from carimbo.fiscal.tables.catalog import ALL_TABLES
from carimbo.printing.press import Press


def prepare() -> None:
    """Fills what is kept for good, and spares the garbage collector of every copy all of it."""
    for table in ALL_TABLES:
        table.load()
    Press()
    Trust().close()
    gc.collect()
    gc.freeze()


prepare()
