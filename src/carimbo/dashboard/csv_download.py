"""Lists as CSV files: the address of a list with `formato=csv` is the list as a file."""

from starlette.responses import Response

from carimbo.dashboard.rendering import streamed_attachment
from carimbo.dashboard.visit import PersonVisit
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.exports.csv_files import CsvFile


def wants_csv(visit: PersonVisit) -> bool:
    """Returns whether the address asks for a list as a file. Refuses it to people who may not export."""
    if visit.filter("formato") != "csv":
        return False
    if not visit.may_download:
        raise Refusal(ErrorCode.PERMISSION_DENIED, "Seu papel não permite baixar listas.")
    return True


def csv_response(file: CsvFile) -> Response:
    """Returns a file that is made while it is sent."""
    return streamed_attachment(file.chunks, "text/csv; charset=utf-8", file.name)
