"""The published contract holds: generated requests get what the document says, over real HTTP."""

import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx2
import pytest
import schemathesis
import uvicorn
import yaml
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.generation import GenerationMode

from carimbo.api.openapi import contract
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.fiscal.taxpayer import cnpj_check_digits
from carimbo.main.api import api_of, listen
from carimbo.service.access import Gatekeeper
from carimbo.service.subscriptions import create_subscription
from carimbo.settings import Settings
from integration.issuing.shop import (
    ADDRESS,
    MUG,
    NFCE,
    NFCE_SETTINGS,
    NFSE,
    NFSE_SETTINGS,
    RECIPIENT,
    REGISTRATION,
)
from support import CNPJ

CONTRACT = contract(api_of(Settings()))
DOCUMENTS = [f"create{kind.name[0].upper()}{kind.name[1:]}" for kind in DOCUMENT_TYPES if kind.issuing]
# Bodies with taxes of goods have thousands of corners, which other tests go to: here are some by chance.
MANY_CORNERS = [*DOCUMENTS, "createProduct", "replaceProduct"]
ISSUING = [*DOCUMENTS, "createSale"]
WITHOUT_CORNERS = {"include-operation-id": MANY_CORNERS, "phases": {"coverage": {"enabled": False}}}
CONFIG = schemathesis.Config.from_dict({"operations": [WITHOUT_CORNERS]})
SCHEMA = schemathesis.openapi.from_dict(CONTRACT, config=CONFIG)
EXAMPLES = 15
load_all_checks()
# A CNPJ needs check digits, a city must exist: valid by the schema is not yet valid, so only this check goes.
EXCLUDED = [CHECKS.get_one("positive_data_acceptance")]
# Null, blank texts and numbers of codes are taken though the schema does not publish them.
REFUSAL_OF_WRONG_VALUES = CHECKS.get_one("negative_data_rejection")
CUSTOMER = {
    "email": "maria@example.com",
    "document": "529.982.247-25",
    "phone": "11 98888-7777",
    "address": ADDRESS,
}
SOLD = {
    "products": [{"sku": "curso", "name": "Curso", "type": "service", "category": "course", "price": 100}],
    "saleDate": "2026-11-02",
    "paymentMethod": "pix",
    "guaranteeDate": "2999-01-01",
    "nfse": {"discrimination": "Curso de {nomeProduto}"},
}
# An address that need not be looked up.
WEBHOOK = {
    "url": "http://127.0.0.1:9/webhooks",
    "events": {"system": ["certificate.expiring"]},
    "headers": [{"key": "X-Loja", "value": "7"}],
}
# For the same reason these parts are good ones: all other fields of the body then come before the rules.
GOOD_PARTS = {
    "createNfe": {"recipient": RECIPIENT, "items": [MUG]},
    "createNfce": NFCE,
    "createNfse": NFSE,
    "upsertCustomer": CUSTOMER | {"id": None},
    "replaceCustomer": CUSTOMER,
    "createWebhook": WEBHOOK,
    "replaceWebhook": WEBHOOK,
    "createSale": {"customer": CUSTOMER | {"name": "Maria da Silva"}, **SOLD},
}


@dataclass
class Owner:
    """A subscription whose secret may rotate and whose companies may vanish under the tests."""

    url: str
    api_key: str
    api_secret: str
    pfx: bytes
    companies_made: int = 0
    company_id: str = ""
    ready_company_id: str = ""

    @property
    def headers(self) -> dict[str, str]:
        return {"X-Api-Key": self.api_key, "X-Api-Secret": self.api_secret}

    def company_for(self, operation: str) -> str:
        """A company that exists: one to be deleted, one ready to issue, or the one for all the rest."""
        if operation == "deleteCompany":
            return self._new_company()
        if operation in ISSUING:
            self.ready_company_id = self.ready_company_id or self._ready_company()
            return self.ready_company_id
        self.company_id = self.company_id or self._new_company()
        return self.company_id

    def _new_company(self, **fields: Any) -> str:
        self.companies_made += 1
        first = f"{CNPJ[:8]}{self.companies_made:04}"
        body = {"taxId": first + cnpj_check_digits(first), "legalName": "Loja Modelo Ltda", **fields}
        return str(self._call("POST", "", json=body)["id"])

    def _ready_company(self) -> str:
        """A company that lacks nothing for issuing."""
        company_id = self._new_company(address=ADDRESS, taxRegime="simples", simplesRate=6)
        path = f"/{company_id}"
        self._call("POST", f"{path}/state-registrations", json=REGISTRATION)
        self._call("PUT", f"{path}/settings", json={"nfce": NFCE_SETTINGS, "nfse": NFSE_SETTINGS})
        self._call("POST", f"{path}/certificate", files={"file": self.pfx}, data={"password": "x"})
        return company_id

    def _call(self, method: str, path: str, **content: Any) -> Any:
        answer = httpx2.request(method, f"{self.url}/v1/companies{path}", headers=self.headers, **content)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]


@dataclass(frozen=True)
class Server:
    """A running API with one owner of many companies and one of a single company."""

    many: Owner
    single: Owner

    def owner_for(self, path: str) -> Owner:
        return self.single if path.startswith("/v1/company/") or path == "/v1/company" else self.many


@pytest.fixture(scope="module")
async def server(
    settings: Settings, gatekeeper: Gatekeeper, company_certificate: SampleCertificate
) -> AsyncIterator[Server]:
    listener = listen("127.0.0.1", 0)
    running = uvicorn.Server(uvicorn.Config(api_of(settings), log_config=None, access_log=False, ws="none"))
    thread = threading.Thread(target=running.run, args=([listener],))
    thread.start()
    host, port = listener.getsockname()
    owners = []
    for name in ("Muitas", "Uma"):
        made = await create_subscription(gatekeeper, name, "unlimited")
        pfx = company_certificate.to_pfx("x")
        owners.append(Owner(f"http://{host}:{port}", str(made.subscription_id), made.secret, pfx))
    owners[1].company_for("")
    yield Server(*owners)
    running.should_exit = True
    thread.join()


class TestTheContract:
    @SCHEMA.parametrize()
    @hypothesis_settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    def test_is_kept_by_every_operation(self, case: Any, server: Server) -> None:
        owner = server.owner_for(case.operation.path)
        operation = case.operation.definition.raw["operationId"]
        if _is_uuid(case.path_parameters.get("companyId")):
            case.path_parameters["companyId"] = owner.company_for(operation)
        if operation in GOOD_PARTS and case.meta.generation.mode is GenerationMode.POSITIVE:
            # Another object: an example of the contract must stay as it is.
            case.body = case.body | GOOD_PARTS[operation]
            # What was created before would be answered without a look at the body.
            case.headers.pop("Idempotency-Key", None)
        answer = case.call(base_url=owner.url, headers=owner.headers)
        if operation == "rotateCredential" and answer.status_code == 200:
            owner.api_secret = answer.json()["data"]["apiSecret"]
        is_lenient = _may_be_taken(case.body) or _may_be_taken(case.query)
        excluded = [*EXCLUDED, REFUSAL_OF_WRONG_VALUES] if is_lenient else EXCLUDED
        case.validate_response(answer, excluded_checks=excluded, headers=owner.headers)

    async def test_is_published_as_yaml(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.get("/openapi.yaml")
        assert answer.headers["content-type"].startswith("application/yaml")
        assert yaml.load(answer.text, yaml.CSafeLoader) == CONTRACT
        assert CONTRACT["openapi"].startswith("3.1")

    def test_asks_for_both_headers_together(self) -> None:
        assert CONTRACT["security"] == [{"apiKey": [], "apiSecret": []}]
        headers = {scheme["name"] for scheme in CONTRACT["components"]["securitySchemes"].values()}
        assert headers == {"X-Api-Key", "X-Api-Secret"}

    def test_documents_with_an_example_every_error_that_an_operation_can_answer(self) -> None:
        for operation in _operations():
            for status in ("401", "413", "422", "429", "500", "503"):
                examples = operation["responses"][status]["content"]["application/json"]["examples"]
                assert all(example["value"]["error"]["message"] for example in examples.values())

    def test_has_every_error_in_the_form_and_media_type_in_which_it_comes(self) -> None:
        for operation in _operations():
            for status in operation["responses"].keys() - {"200", "202", "304"}:
                content = operation["responses"][status]["content"]
                schemas = {media_type: media["schema"] for media_type, media in content.items()}
                assert schemas == {"application/json": {"$ref": "#/components/schemas/Failure"}}

    def test_offers_merge_patch_for_every_change_by_patch(self) -> None:
        changes = [operations["patch"] for operations in CONTRACT["paths"].values() if "patch" in operations]
        assert changes
        for operation in changes:
            content = operation["requestBody"]["content"]
            assert list(content) == ["application/json", "application/merge-patch+json"]
            assert content["application/json"] == content["application/merge-patch+json"]

    @pytest.mark.parametrize("operation_id", ISSUING)
    def test_tells_by_a_header_that_it_was_there_before(self, operation_id: str) -> None:
        (operation,) = (one for one in _operations() if one["operationId"] == operation_id)
        assert "Idempotent-Replayed" in operation["responses"]["200"]["headers"]
        assert "Idempotent-Replayed" not in operation["responses"]["202"]["headers"]

    @pytest.mark.parametrize("operation_id", ["emitInvoice", "transmitNfce", "changeInvoice"])
    def test_tells_that_another_request_may_come_between(self, operation_id: str) -> None:
        (operation,) = (one for one in _operations() if one["operationId"] == operation_id)
        examples = operation["responses"]["409"]["content"]["application/json"]["examples"]
        assert {"INVALID_STATE", "VERSION_CONFLICT"} <= examples.keys()

    def test_has_limits_as_json_schema_and_portuguese_texts(self) -> None:
        schemas = CONTRACT["components"]["schemas"]
        series = schemas["NfeSettings"]["properties"]["series"]
        assert (series["minimum"], series["maximum"]) == (0, 889)
        assert "Successful" not in yaml.safe_dump(CONTRACT)
        assert not any("description" in schema for schema in schemas.values())

    async def test_has_pages_for_people_that_load_nothing_from_outside(
        self, stranger: httpx2.AsyncClient
    ) -> None:
        overview = await stranger.get("/docs")
        assert all(f'id="{operation["operationId"]}"' in overview.text for operation in _operations())
        group = await stranger.get("/docs/nf-e")
        assert 'id="createNfe"' in group.text
        for page in (overview, group):
            assert page.headers["content-type"].startswith("text/html")
            assert "script-src 'self'" in page.headers["content-security-policy"]
            assert "unsafe-inline" not in page.headers["content-security-policy"]

    @pytest.mark.parametrize(
        ("name", "media_type"),
        [
            ("docs.css", "text/css"),
            ("docs.js", "text/javascript"),
            ("search.js", "text/javascript"),
            ("indice.json", "application/json"),
        ],
    )
    async def test_has_the_files_that_the_pages_load(
        self, stranger: httpx2.AsyncClient, name: str, media_type: str
    ) -> None:
        answer = await stranger.get(f"/docs/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(media_type)

    async def test_has_no_other_pages(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.get("/docs/nada")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")

    async def test_is_where_the_bare_address_leads(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.get("/")
        assert (answer.status_code, answer.headers["Location"]) == (307, "docs")


def _operations() -> list[dict[str, Any]]:
    return [operation for operations in CONTRACT["paths"].values() for operation in operations.values()]


def _may_be_taken(body: Any) -> bool:
    """Tells whether a body or query has a value that is read leniently: null, a blank, a whole number."""
    if isinstance(body, dict):
        return any(map(_may_be_taken, body.values()))
    if isinstance(body, list):
        return any(map(_may_be_taken, body))
    return body is None or (isinstance(body, str) and not body.strip()) or type(body) is int


def _is_uuid(value: object) -> bool:
    try:
        UUID(str(value))
    except ValueError:
        return False
    return True
