"""Which route answers a request, and the methods that `Allow` names."""

from typing import Any

import pytest

from carimbo.api.errors import WrongMethod
from carimbo.api.route import OpenEndpoint
from carimbo.api.route_table import RouteTable
from carimbo.service.errors import ErrorCode, Refusal
from unit.api.docs_contracts import our_app, our_contract


@pytest.fixture(scope="module")
def table() -> RouteTable:
    return RouteTable(route for route in our_app().routes if isinstance(route, OpenEndpoint))


def scope_of(method: str, path: str) -> dict[str, Any]:
    return {"type": "http", "method": method, "path": path}


class TestSelection:
    def test_every_operation_of_the_contract_is_selected_with_its_parameters(self, table: RouteTable) -> None:
        wrong = {}
        for template, operations in our_contract()["paths"].items():
            for method, operation in operations.items():
                names = [item["name"] for item in operation.get("parameters", ()) if item["in"] == "path"]
                scope = scope_of(method.upper(), template.format_map({name: f"x-{name}" for name in names}))
                route = table.select(scope)
                if route.operation_id != operation["operationId"]:
                    wrong[template] = route.operation_id
                assert scope["path_params"] == {name: f"x-{name}" for name in names}
        assert wrong == {}

    def test_first_of_several_matching_routes_is_selected(self, table: RouteTable) -> None:
        assert table.select(scope_of("GET", "/v1/companies/c/nfe/inutilizations")).path.endswith("zations")

    @pytest.mark.parametrize("path", ["", "/v1/companies//nfe", "/v1/companies/c/nfe/d/xml/e", "/v1/nothing"])
    def test_unknown_path_is_not_found(self, table: RouteTable, path: str) -> None:
        with pytest.raises(Refusal) as refused:
            table.select(scope_of("GET", path))
        assert refused.value.code is ErrorCode.NOT_FOUND

    def test_wrong_method_is_counted_for_a_route_of_the_path(self, table: RouteTable) -> None:
        scope = scope_of("PATCH", "/v1/companies")
        with pytest.raises(WrongMethod):
            table.select(scope)
        assert scope["route"].path == "/v1/companies"


class TestMethods:
    def test_allowed_methods_are_those_of_the_contract(self, table: RouteTable) -> None:
        for template, operations in our_contract()["paths"].items():
            path = template.replace("{", "").replace("}", "")
            methods = {method.upper() for method in operations}
            assert table.methods(path) == methods | ({"HEAD"} if "GET" in methods else set()), template

    def test_path_outside_of_the_contract_can_only_be_read(self, table: RouteTable) -> None:
        assert table.methods("/docs") == {"GET", "HEAD"}
