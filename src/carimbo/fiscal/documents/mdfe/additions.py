"""Events that add to a manifest on its way: a further driver, and documents that were loaded later."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Annotated

from pydantic import Field

from carimbo.fiscal.body.fields import Body, CityCode
from carimbo.fiscal.body.form_layout import FormField
from carimbo.fiscal.documents.mdfe.cargo_body import Keys
from carimbo.fiscal.documents.mdfe.event_signing import (
    AFTER_CLOSING,
    DOCUMENTS_INCLUDED_AT,
    DRIVER_INCLUDED_AT,
    MAX_EVENTS,
    broken,
    registered,
    signed_manifest_event,
)
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.documents.mdfe.road_body import DriverBody
from carimbo.fiscal.event_forms import event_form
from carimbo.fiscal.filing import EventKind, EventRoute, EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.layouts.mdfe_v3.documents import MAX_UNLOADING_CITIES
from carimbo.fiscal.layouts.mdfe_v3.events import DocumentInclusion, DriverInclusion, IncludedInvoice
from carimbo.fiscal.layouts.mdfe_v3.road import Driver
from carimbo.fiscal.lifecycle import Effect
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.transport.events import repetition
from carimbo.fiscal.transport.keys import NFE, invalid_keys, repeated_keys
from carimbo.fiscal.transport.places import place_of

_KNOWN_CITY = "Informe os sete dígitos do município na tabela do IBGE."
_CITY_OF_THE_STATE = "Informe um município da UF do MDF-e, porque a carga posterior não sai dela."
_OTHER_DRIVER = "Inclua só quem ainda não dirige esta viagem."


class DriverRequest(DriverBody):
    """A further driver."""


class IncludedDocumentsBody(Body):
    """A municipality of unloading with its NF-e."""

    city_code: CityCode = Field(description="Código IBGE do município de descarga (cMunDescarga).")
    nfe_access_keys: Annotated[Keys, Field(min_length=1)] = Field(
        description="Chaves das NF-e descarregadas ali (chNFe)."
    )


class DocumentInclusionRequest(Body):
    """The NF-e of a cargo that was loaded after the manifest was issued."""

    loading_city_code: CityCode = Field(
        description="Código IBGE do município de carregamento (cMunCarrega).", examples=["3550308"]
    )
    documents: Annotated[
        tuple[IncludedDocumentsBody, ...], Field(min_length=1, max_length=MAX_UNLOADING_CITIES)
    ] = Field(description="NF-e por município de descarga (infDoc).")

    @property
    def placed_keys(self) -> list[tuple[str, str]]:
        """The keys of all NF-e, with their paths in the body."""
        return [
            (f"documents[{position}].nfeAccessKeys[{place}]", key)
            for position, body in enumerate(self.documents)
            for place, key in enumerate(body.nfe_access_keys)
        ]


def _include_driver(request: DriverRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the inclusion of a driver (110114)."""
    manifest: MdfeRequest = about.read_request()
    if manifest.road is None:
        return (broken("644", "taxId", "Só o modal rodoviário tem condutores."),)
    drivers = chain(manifest.all_drivers, about.read_earlier())
    if any(driver.tax_id == request.tax_id for driver in drivers):
        return (broken("577", "taxId", "O condutor já está no MDF-e.", _OTHER_DRIVER),)
    detail = DriverInclusion(driver=Driver(name=request.name, cpf=request.tax_id))
    return signed_manifest_event(detail, about, issuer)


def _include_documents(
    request: DocumentInclusionRequest, about: EventSubject, issuer: FilingIssuer
) -> FilingResult:
    """Signs the inclusion of documents (110115)."""
    manifest: MdfeRequest = about.read_request()
    if not manifest.later_loading:
        message = "Só se incluem documentos no MDF-e emitido com laterLoading."
        return (broken("708", "documents", message),)
    earlier: Sequence[DocumentInclusionRequest] = about.read_earlier()
    if problems := (*_place_problems(request, manifest), *_key_problems(request, earlier, about)):
        return problems
    loading = place_of(request.loading_city_code)
    detail = DocumentInclusion(
        protocol=about.protocol,
        loading_city_code=loading.city_code,
        loading_city=loading.city,
        invoices=tuple(
            IncludedInvoice(city_code=body.city_code, city=place_of(body.city_code).city, access_key=key)
            for body in request.documents
            for key in body.nfe_access_keys
        ),
    )
    return signed_manifest_event(detail, about, issuer)


def _place_problems(request: DocumentInclusionRequest, manifest: MdfeRequest) -> Iterator[Problem]:
    """Yields the municipalities that do not exist, or that are not of the manifest's only state."""
    state = place_of(manifest.loading_cities[0]).state
    loading = place_of(request.loading_city_code).state
    if not loading:
        yield broken("405", "loadingCityCode", "O município de carregamento não existe.", _KNOWN_CITY)
    elif loading != state:
        message = "O município de carregamento não é da UF do MDF-e."
        yield broken("456", "loadingCityCode", message, _CITY_OF_THE_STATE)
    for position, body in enumerate(request.documents):
        path, unloading = f"documents[{position}].cityCode", place_of(body.city_code).state
        if not unloading:
            yield broken("406", path, "O município de descarga não existe.", _KNOWN_CITY)
        elif unloading != state:
            message = "O município de descarga não é da UF do MDF-e."
            yield broken("612", path, message, _CITY_OF_THE_STATE)


def _key_problems(
    request: DocumentInclusionRequest, earlier: Sequence[DocumentInclusionRequest], about: EventSubject
) -> Iterator[Problem]:
    """Yields the keys that are wrong, that are repeated, or that the manifest has already."""
    keys = request.placed_keys
    for at in invalid_keys(keys, NFE, about.occurred_at.date()):
        yield broken("709", at.path, f"A chave da NF-e é inválida. {at.detail}")
    included = {key for inclusion in earlier for _, key in inclusion.placed_keys}
    repeated = {at.path for at in repeated_keys(keys)}
    for path, key in keys:
        if key in included or path in repeated:
            yield broken("711", path, "A NF-e já foi incluída no MDF-e.")


DRIVER_INCLUSION = EventKind(
    name="driverInclusion",
    title="Inclusão de condutor",
    action="Incluir condutor",
    explanation="A SEFAZ registra mais um condutor nesta viagem, e ele passa a constar do DAMDFE.",
    route=EventRoute(
        method="POST",
        path="/drivers",
        operation="addDriverTo",
        summary="Inclui um condutor no MDF-e",
        description="Um condutor por evento; ele passa a constar do DAMDFE.",
    ),
    request=DriverRequest,
    form=event_form(
        DriverRequest,
        FormField(path="name", label="Nome do condutor"),
        FormField(path="taxId", label="CPF do condutor"),
    ),
    issue=_include_driver,
    registered=registered,
    print_name="Condutor-{key}-{sequence:02}.pdf",
    forbidden_after=AFTER_CLOSING,
    effect=Effect(fact=DRIVER_INCLUDED_AT),
    repetition=repetition(MAX_EVENTS, "taxId", "inclusões de condutor", "A inclusão anterior de condutor"),
)
DOCUMENT_INCLUSION = EventKind(
    name="documentInclusion",
    title="Inclusão de documentos",
    action="Incluir documentos",
    explanation=(
        "A SEFAZ registra as NF-e carregadas depois da emissão, e o MDF-e não pode mais ser cancelado."
    ),
    route=EventRoute(
        method="POST",
        path="/documents",
        operation="addDocumentsTo",
        summary="Inclui NF-e em um MDF-e de carga posterior",
        description=(
            "Só no MDF-e emitido com laterLoading, e só com NF-e. Depois da inclusão o MDF-e não pode mais"
            " ser cancelado."
        ),
    ),
    request=DocumentInclusionRequest,
    issue=_include_documents,
    registered=registered,
    print_name="Inclusao-DFe-{key}-{sequence:02}.pdf",
    forbidden_after=AFTER_CLOSING,
    effect=Effect(fact=DOCUMENTS_INCLUDED_AT),
    repetition=repetition(
        MAX_EVENTS, "documents", "inclusões de documentos", "A inclusão anterior de documentos"
    ),
)
