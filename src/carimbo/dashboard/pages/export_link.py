"""The pages of a link to an archive. The link alone is enough to download it; no account is needed."""

from starlette.responses import Response

from carimbo.dashboard.forms import visitor_of
from carimbo.dashboard.pages.exports import CONTENTS, archive_response
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import open_page
from carimbo.dashboard.visit import Visit
from carimbo.service.exports.archive import size_of
from carimbo.service.exports.links import OpenedExport, open_limited
from carimbo.service.exports.month import estimated_bytes


async def linked_export(visit: Visit) -> Response:
    """Shows what the archive of a link has."""
    opened = await _opened(visit)
    if opened is None:
        return _gone(visit)
    size = await size_of(visit.services.database, opened.order)
    return page(
        visit,
        "exports/link.html",
        opened=opened,
        export=opened.export,
        size=size,
        estimated_bytes=estimated_bytes(size, opened.export.content),
        state=opened.company.state,
        contents=CONTENTS,
    )


async def linked_archive(visit: Visit) -> Response:
    """Sends the ZIP file of a link while it is made."""
    opened = await _opened(visit)
    if opened is None:
        return _gone(visit)
    return archive_response(visit, opened)


async def _opened(visit: Visit) -> OpenedExport | None:
    network = visitor_of(visit).network
    return await open_limited(visit.services.database, visit.filter("chave") or "", network)


def _gone(visit: Visit) -> Response:
    return page(visit, "exports/gone.html", 404)


ROUTES = (
    open_page("/exportacao", linked_export),
    open_page("/exportacao/arquivo", linked_archive),
)
