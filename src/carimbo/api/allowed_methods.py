"""The methods of a path, read from the routes: a wrong method is no reason to build the contract."""

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import compile_path


def methods_of(app: FastAPI, path: str) -> set[str]:
    """Every method that the contract has for a path; what is not in the contract can only be read.

    Of templates that match, the one with the fewest parameters is meant (OpenAPI 3.1, 4.8.8.2).
    """
    published: dict[str, set[str]] = {}
    for route in iter_route_contexts(app.routes):
        if route.include_in_schema and route.path_format and compile_path(route.path_format)[0].match(path):
            published.setdefault(route.path_format, set()).update(route.methods or ())
    if not published:
        return {"GET", "HEAD"}
    methods = published[min(published, key=lambda template: template.count("{"))]
    return methods | {"HEAD"} if "GET" in methods else methods
