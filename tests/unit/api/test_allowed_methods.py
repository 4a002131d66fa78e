"""The methods that `Allow` names."""

import pytest
from fastapi import FastAPI

from carimbo.api.app import methods_of
from unit.api.docs_contracts import our_app, our_contract


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return our_app()


class TestMethodsOf:
    def test_allowed_methods_are_those_of_the_contract(self, app: FastAPI) -> None:
        for template, operations in our_contract()["paths"].items():
            path = template.replace("{", "").replace("}", "")
            methods = {method.upper() for method in operations}
            assert methods_of(app, path) == methods | ({"HEAD"} if "GET" in methods else set()), template

    def test_path_outside_of_the_contract_can_only_be_read(self, app: FastAPI) -> None:
        assert methods_of(app, "/docs") == {"GET", "HEAD"}

    def test_allowed_methods_do_not_wait_for_the_contract(self) -> None:
        app = our_app()
        assert methods_of(app, "/v1/companies") == {"GET", "HEAD", "POST"}
        assert app.openapi_schema is None
