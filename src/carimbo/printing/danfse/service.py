"""Which service it was, where it was given, and what was done."""

from carimbo.fiscal.layouts.dps_v1.nfse import ArchivedServiceNote
from carimbo.fiscal.tables.municipalities import municipality_of_ibge
from carimbo.printing.canvas import Canvas
from carimbo.printing.danfse.grid import COLUMNS, Block, Cell, block
from carimbo.printing.danfse.texts import Text, text
from carimbo.printing.danfse.values import joined, nbs, service_code

BRAZIL = "BR"


def service_block(canvas: Canvas, archived: ArchivedServiceNote) -> Block:
    """The service by its codes and its name in the list."""
    issued, service = archived.issued, archived.note.service
    codes = joined(service_code(service.code.national_code), service.code.city_code)
    country = service.place.country_code or BRAZIL
    place = joined(issued.service_place, state_of(service.place.city_code), country)
    return block(
        canvas,
        "SERVIÇO PRESTADO",
        (
            Cell("Código de Tributação Nacional / Municipal", codes),
            Cell("Código da NBS", nbs(service.code.nbs)),
            Cell("Local da Prestação / Sigla UF / País", place),
        ),
        (Cell("", issued.city_service or issued.national_service, COLUMNS),),
    )


def service_text(canvas: Canvas, archived: ArchivedServiceNote, size: float) -> Text:
    """What was done, in the issuer's words."""
    description = archived.note.service.code.description
    return text(canvas, "Descrição do Serviço", description, size, is_labelled=True)


def state_of(city_code: str | None) -> str | None:
    """The letters of the state that a municipality is in."""
    city = municipality_of_ibge(city_code) if city_code else None
    return city.state if city else None
