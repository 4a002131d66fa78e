"""The resources of the Sefin Nacional and of the data environment: paths and handlers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from carimbo.fiscal.tables.authorities import services_of
from carimbo.simulator.family import CallReply, ServicePath
from carimbo.simulator.nfse import (
    answers,
    city_resources,
    distribution_resources,
    event_resources,
    note_resources,
)
from carimbo.simulator.nfse.answers import RejectionWriter
from carimbo.simulator.nfse.call import ResourceCall

_MODEL = "nfse"
_SEFIN, _PARAMETERS, _TAXPAYERS = "SefinNacional", "parametrizacao", "contribuintes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A method at a path, and its handler."""

    method: str = "GET"
    service: str
    path: str
    """The path after the service, with its parameters in braces."""
    answer: Callable[[ResourceCall], CallReply]
    reject: RejectionWriter = answers.refusal
    field: str = ""
    """The JSON field of a POST that holds its XML."""

    @property
    def name(self) -> str:
        """Method and path, such as `GET /dps/{id}`."""
        return f"{self.method} /{self.path}"


class MatchedResource(NamedTuple):
    """A resource and the parameters of the path."""

    resource: Resource
    parameters: Mapping[str, str]


_RESOURCES = (
    Resource(
        method="POST",
        service=_SEFIN,
        path="nfse",
        answer=note_resources.issue_note,
        reject=answers.rejection,
        field=note_resources.DPS_FIELD,
    ),
    Resource(service=_SEFIN, path="nfse/{chave}", answer=note_resources.read_note),
    Resource(service=_SEFIN, path="dps/{id}", answer=note_resources.read_declaration),
    Resource(method="HEAD", service=_SEFIN, path="dps/{id}", answer=note_resources.check_declaration),
    Resource(
        method="POST",
        service=_SEFIN,
        path="nfse/{chave}/eventos",
        answer=event_resources.register_posted_event,
        reject=answers.event_rejection,
        field=event_resources.EVENT_FIELD,
    ),
    Resource(
        service=_SEFIN, path="nfse/{chave}/eventos/{tipo}/{sequencia}", answer=event_resources.read_event
    ),
    Resource(service=_PARAMETERS, path="{municipio}/convenio", answer=city_resources.read_agreement),
    Resource(
        service=_PARAMETERS,
        path="{municipio}/{servico}/{competencia}/aliquota",
        answer=city_resources.read_rate,
    ),
    Resource(
        service=_PARAMETERS,
        path="{municipio}/{servico}/historicoaliquotas",
        answer=city_resources.read_rate_history,
    ),
    Resource(
        service=_TAXPAYERS,
        path="DFe/{nsu}",
        answer=distribution_resources.read_documents,
        reject=distribution_resources.reject,
    ),
)


def resources_of(service_path: ServicePath) -> list[Resource]:
    """Returns every resource of the service in a path; none if the authority has no such service."""
    services = {name.lower(): name for name in services_of(_MODEL, service_path.authorizer)}
    service = services.get(service_path.service.lower())
    return [resource for resource in _RESOURCES if resource.service == service]


def resources_at(service_path: ServicePath) -> Iterator[MatchedResource]:
    """Yields the resources of a path, one for each method."""
    for resource in resources_of(service_path):
        named = _matched(resource.path, service_path.rest)
        if named is not None:
            yield MatchedResource(resource, named)


def _matched(template: str, path: str) -> Mapping[str, str] | None:
    """Returns the parameters of a path by a template; None if the path does not match."""
    parts, segments = template.split("/"), path.split("/")
    if len(parts) != len(segments):
        return None
    named = {}
    for part, text in zip(parts, segments, strict=True):
        if part.startswith("{"):
            named[part.strip("{}")] = text
        elif part != text:
            return None
    return named
