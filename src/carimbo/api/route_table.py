"""Finds the route of a request by the segments of its path.

Starlette compares a path with one route after another. With all our routes, that takes longer than reading a
document from the database.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter

from starlette.types import Scope

from carimbo.api.errors import WrongMethod
from carimbo.api.route import OpenEndpoint
from carimbo.service.errors import ErrorCode, Refusal

_NO_ROUTE = "Este endereço não existe na API: confira o caminho em /docs."
_Position = tuple[int, OpenEndpoint]


@dataclass(slots=True)
class _Branch:
    """What may follow the first segments of a path."""

    by_segment: dict[str, "_Branch"] = field(default_factory=dict)
    by_parameter: "_Branch | None" = None
    routes: list[_Position] = field(default_factory=list)
    """The routes whose paths end here, with their positions in the list of all routes."""

    def add(self, segments: list[str], position: int, route: OpenEndpoint) -> None:
        if not segments:
            self.routes.append((position, route))
            return
        first, *rest = segments
        if "{" in first:
            self.by_parameter = branch = self.by_parameter or _Branch()
        else:
            branch = self.by_segment.setdefault(first, _Branch())
        branch.add(rest, position, route)

    def after(self, segment: str) -> Iterator["_Branch"]:
        if (branch := self.by_segment.get(segment)) is not None:
            yield branch
        if self.by_parameter is not None:
            yield self.by_parameter


class RouteTable:
    """All routes of the API. Of several that match a request, the first one in the list answers it."""

    def __init__(self, routes: Iterable[OpenEndpoint]) -> None:
        self._root = _Branch()
        for position, route in enumerate(routes):
            self._root.add(route.path.split("/"), position, route)

    def select(self, scope: Scope) -> OpenEndpoint:
        """Puts the route and the parameters of its path into the scope. Raises Refusal or WrongMethod."""
        path, method, first = scope["path"], scope["method"], None
        for route in self._candidates(path):
            if match := route.path_regex.match(path):
                if method in (route.methods or ()):
                    scope["route"], scope["path_params"] = route, match.groupdict()
                    return route
                first = first or route
        if first is None:
            raise Refusal(ErrorCode.NOT_FOUND, _NO_ROUTE)
        # The metrics count the request for this route.
        scope["route"] = first
        raise WrongMethod

    def methods(self, path: str) -> set[str]:
        """Returns the methods that the contract has for a path; paths outside of the contract are read-only.

        Of several matching templates, the one with the fewest parameters applies (OpenAPI 3.1, 4.8.8.2).
        """
        published: dict[str, set[str]] = {}
        for route in self._candidates(path):
            if route.include_in_schema and route.path_regex.match(path):
                published.setdefault(route.path_format, set()).update(route.methods or ())
        if not published:
            return {"GET", "HEAD"}
        methods = published[min(published, key=lambda template: template.count("{"))]
        return methods | {"HEAD"} if "GET" in methods else methods

    def _candidates(self, path: str) -> list[OpenEndpoint]:
        """Returns the routes that have as many segments as a path, and the same ones where both are fixed."""
        branches = [self._root]
        for segment in path.split("/"):
            branches = [following for branch in branches for following in branch.after(segment)]
        positions = [position for branch in branches for position in branch.routes]
        return [route for _, route in sorted(positions, key=itemgetter(0))]
