"""The stored file of a CT-e OS, with or without its authorization, read for printing."""

from carimbo.fiscal.layouts.cte_v4.archived import ArchivedWaybill, read_archived
from carimbo.fiscal.layouts.cteos_v4.dialect import CTE_OS_DIALECT
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill


def read_archived_os_waybill(file: bytes) -> ArchivedWaybill[OsWaybill]:
    """Reads a CT-e OS's file, with or without authorization; raises `UnreadableDocument`."""
    return read_archived(CTE_OS_DIALECT, OsWaybill, file)
