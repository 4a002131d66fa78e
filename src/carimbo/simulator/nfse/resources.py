"""The resources of the Sefin Nacional and of the data environment: how each is asked for, and who answers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from carimbo.fiscal.tables.endpoints import services_of
from carimbo.simulator.family import Said
from carimbo.simulator.nfse import answers, consult, events, issuing, parameters
from carimbo.simulator.nfse.answers import Reject
from carimbo.simulator.nfse.call import Call
from carimbo.simulator.place import Place

_MODEL = "nfse"
_SEFIN, _PARAMETERS = "SefinNacional", "parametrizacao"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """What one method does at one path."""

    method: str = "GET"
    service: str
    path: str
    """After the service, with the names of what it holds in braces."""
    answer: Callable[[Call], Said]
    reject: Reject = answers.refusal
    field: str = ""
    """Where the JSON of a POST has its XML."""

    @property
    def name(self) -> str:
        """As people call it: `GET /dps/{id}`."""
        return f"{self.method} /{self.path}"


class Found(NamedTuple):
    """A resource, and what the path names."""

    resource: Resource
    parameters: Mapping[str, str]


_RESOURCES = (
    Resource(
        method="POST",
        service=_SEFIN,
        path="nfse",
        answer=issuing.answer,
        reject=answers.rejection,
        field=issuing.FIELD,
    ),
    Resource(service=_SEFIN, path="nfse/{chave}", answer=consult.note),
    Resource(service=_SEFIN, path="dps/{id}", answer=consult.declaration),
    Resource(method="HEAD", service=_SEFIN, path="dps/{id}", answer=consult.declaration_exists),
    Resource(
        method="POST",
        service=_SEFIN,
        path="nfse/{chave}/eventos",
        answer=events.answer,
        reject=answers.event_rejection,
        field=events.FIELD,
    ),
    Resource(service=_SEFIN, path="nfse/{chave}/eventos/{tipo}/{sequencia}", answer=events.consult),
    Resource(service=_PARAMETERS, path="{municipio}/convenio", answer=parameters.agreement),
    Resource(
        service=_PARAMETERS, path="{municipio}/{servico}/{competencia}/aliquota", answer=parameters.rate
    ),
    Resource(service=_PARAMETERS, path="{municipio}/{servico}/historicoaliquotas", answer=parameters.history),
)


def resources_of(place: Place) -> list[Resource]:
    """Every resource of the service that a path names; none if the authority has no such service."""
    services = {name.lower(): name for name in services_of(_MODEL, place.authorizer)}
    service = services.get(place.service.lower())
    return [one for one in _RESOURCES if one.service == service]


def resources_at(place: Place) -> Iterator[Found]:
    """The resources of a path, one for each method."""
    for resource in resources_of(place):
        named = _matched(resource.path, place.rest)
        if named is not None:
            yield Found(resource, named)


def _matched(template: str, path: str) -> Mapping[str, str] | None:
    """What a path has in the places of a template; None if it is another."""
    parts, found = template.split("/"), path.split("/")
    if len(parts) != len(found):
        return None
    named = {}
    for part, text in zip(parts, found, strict=True):
        if part.startswith("{"):
            named[part.strip("{}")] = text
        elif part != text:
            return None
    return named
