"""Files of documents for whoever has a link to one. No part of the contract: nobody makes such links up."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from carimbo.api.context import CurrentDatabase, CurrentLinks, CurrentPrintouts
from carimbo.api.printouts import Known, pdf_response
from carimbo.api.type_routes import xml_response
from carimbo.service.document_files import read_xml
from carimbo.service.documents import Reference

router = APIRouter(prefix="/files", include_in_schema=False)
# Whoever has the link has the file: neither robots nor the next page may learn of it.
_DISCREET = {
    "X-Robots-Tag": "noindex",
    "Referrer-Policy": "no-referrer",
}


class _Opened:
    """Finds the document of a link to a file, once the link is known to be ours."""

    def __init__(self, extension: str) -> None:
        self._extension = extension

    async def __call__(
        self,
        links: CurrentLinks,
        owner: Annotated[str, Path()],
        document_id: Annotated[str, Path(alias="documentId")],
        expires: str = "",
        signature: str = "",
    ) -> Reference:
        return links.opened(owner, document_id, self._extension, expires, signature)


@router.get("/{owner}/{documentId}.pdf")
async def open_pdf(
    printouts: CurrentPrintouts, which: Annotated[Reference, Depends(_Opened("pdf"))], known: Known
) -> Response:
    """The PDF that a signed link names, to whoever has the link."""
    return _discreet(pdf_response(await printouts.document(which, known=known), known))


@router.get("/{owner}/{documentId}.xml")
async def open_xml(
    database: CurrentDatabase, which: Annotated[Reference, Depends(_Opened("xml"))]
) -> Response:
    """The XML that a signed link names, to whoever has the link."""
    return _discreet(xml_response(await read_xml(database, which)))


def _discreet(response: Response) -> Response:
    response.headers.update(_DISCREET)
    return response
