"""Rules about the municipalities of loading and unloading, and the states between them."""

from collections.abc import Iterator, Sequence

from carimbo.fiscal.documents.mdfe.request import IssuerType
from carimbo.fiscal.documents.mdfe.rules.rule import ManifestCheck, ManifestInput, manual
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.places import place_of
from carimbo.fiscal.transport.route import follows_borders

RULES: RuleBook[ManifestCheck] = RuleBook()

_LOADING, _UNLOADING = manual("municípios de carregamento"), manual("municípios de descarga")
_ROUTE = manual("percurso")


def _loading(document: ManifestInput) -> list[tuple[str, str]]:
    """Returns the municipalities of loading with their paths in the body."""
    request = document.request
    further = (
        (f"loadingCityCodes[{position}]", code) for position, code in enumerate(request.loading_city_codes)
    )
    first = request.municipality_start_ibge
    return [*([("municipalityStartIbge", first)] if first else []), *further]


def _unloading(document: ManifestInput) -> list[tuple[str, str]]:
    """Returns the municipalities of unloading with their paths in the body."""
    return [
        (f"documents[{position}].cityCode", body.city_code)
        for position, body in enumerate(document.request.documents)
        if body.city_code
    ]


def _unknown(cities: Sequence[tuple[str, str]]) -> Iterator[At]:
    return (At(path) for path, code in cities if not place_of(code).state)


def _of_other_states(cities: Sequence[tuple[str, str]], state: str) -> Iterator[At]:
    """Yields the municipalities that are not of a state; an unknown one breaks a rule of its own."""
    return (At(path) for path, code in cities if state and place_of(code).state not in ("", state))


def _repeated(cities: Sequence[tuple[str, str]]) -> Iterator[At]:
    seen: set[str] = set()
    for path, code in cities:
        if code in seen:
            yield At(path)
        seen.add(code)


@RULES.rule("405", _LOADING, "O município de carregamento não existe.")
def unknown_loading_city(document: ManifestInput) -> Iterator[At]:
    """Refuses municipalities of loading that the official table lacks."""
    return _unknown(_loading(document))


@RULES.rule("456", _LOADING, "O município de carregamento não é da UF de início.")
def loading_city_of_another_state(document: ManifestInput) -> Iterator[At]:
    """Refuses municipalities of loading outside of the state where the transport starts."""
    return _of_other_states(_loading(document), document.start_state)


@RULES.rule("685", _LOADING, "O município de carregamento está mais de uma vez no MDF-e.")
def repeated_loading_city(document: ManifestInput) -> Iterator[At]:
    """Refuses a municipality of loading that is listed twice."""
    return _repeated(_loading(document))


@RULES.rule("406", _UNLOADING, "O município de descarga não existe.")
def unknown_unloading_city(document: ManifestInput) -> Iterator[At]:
    """Refuses municipalities of unloading that the official table lacks."""
    return _unknown(_unloading(document))


@RULES.rule("612", _UNLOADING, "O município de descarga não é da UF de fim.")
def unloading_city_of_another_state(document: ManifestInput) -> Iterator[At]:
    """Refuses municipalities of unloading outside of the state where the transport ends."""
    return _of_other_states(_unloading(document), document.end_state)


@RULES.rule("680", _UNLOADING, "O município de descarga está mais de uma vez no MDF-e.")
def repeated_unloading_city(document: ManifestInput) -> Iterator[At]:
    """Refuses a municipality of unloading that is listed twice."""
    return _repeated(_unloading(document))


@RULES.rule(
    "663", _ROUTE, "O percurso não liga a UF de início à de fim por UFs vizinhas, na ordem da viagem."
)
def route_along_borders(document: ManifestInput) -> At | None:
    """Refuses a trip by road whose states do not follow each other along their borders."""
    states = [passed.state for passed in document.identification.route]
    is_possible = follows_borders(document.start_state, states, document.end_state)
    return None if document.road is None or is_possible else At("route")


@RULES.rule("541", manual("tipo de emitente"), "O transporte globalizado começa e termina na mesma UF.")
def globalized_between_states(document: ManifestInput) -> At | None:
    """Refuses a globalized transport that leaves its state."""
    is_globalized = document.issuer_type is IssuerType.GLOBALIZED_CARRIER
    return At("issuerType") if is_globalized and document.leaves_the_state else None
