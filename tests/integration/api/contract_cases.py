"""Requests that are generated from the published contract, and what their answers must be."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any
from uuid import UUID

import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.generation import GenerationMode

from integration.api.contract_server import Server
from integration.issuing.shop import ADDRESS, CTE, CTE_OS, MDFE, MUG, NFCE, NFSE, RECIPIENT
from support import TIMEOUT_SECONDS

load_all_checks()
_ALWAYS_ACCEPTED = CHECKS.get_one("positive_data_acceptance")
_WRONG_VALUES_REFUSED = CHECKS.get_one("negative_data_rejection")
_CREDENTIALS_NEEDED = CHECKS.get_one("ignored_auth")
_SHOWN = 3
# The types of schemathesis are too wide for what is done here.
Case = Any
Operation = Any
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
# A CNPJ needs check digits, a city must exist: a body that is right by the schema alone is still refused.
# With these parts it passes such rules, and all other fields are validated.
GOOD_PARTS = {
    "createNfe": {"recipient": RECIPIENT, "items": [MUG]},
    "createNfce": NFCE,
    "createNfse": NFSE,
    "createCte": CTE,
    "createCteOs": CTE_OS,
    "createMdfe": MDFE,
    "upsertCustomer": CUSTOMER | {"id": None},
    "replaceCustomer": CUSTOMER,
    "createWebhook": WEBHOOK,
    "replaceWebhook": WEBHOOK,
    "createSale": {"customer": CUSTOMER | {"name": "Maria da Silva"}, **SOLD},
}


def operations_of(published: dict[str, Any]) -> dict[str, Operation]:
    """Returns the operations of a contract by their ids."""
    schema = schemathesis.openapi.from_dict(published)
    results: list[Any] = list(schema.get_all_operations())
    operations = [result.ok() for result in results]
    return {operation.definition.raw["operationId"]: operation for operation in operations}


def examples_of(operation: Operation) -> Iterator[Case]:
    """Generates a request for each example in the contract."""
    for strategy in operation.get_strategies_from_examples():
        yield from _drawn(strategy, 1)


def random_cases(operation: Operation, mode: GenerationMode, count: int) -> list[Case]:
    """Generates requests by chance, the same ones on every run."""
    return _drawn(operation.as_strategy(generation_mode=mode), count)


def _drawn(strategy: Any, count: int) -> list[Case]:
    cases: list[Case] = []

    def keep(case: Case) -> None:
        cases.append(case)

    hypothesis_settings(
        max_examples=count, phases=[Phase.generate], derandomize=True, deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )(given(case=strategy)(keep))()  # fmt: skip
    return cases


def corners_of(operation: Operation, max_cases: int, max_per_kind: int | None = None) -> Iterator[Case]:
    """Generates requests at and beyond the limits of each field.

    `max_cases` is how many are looked at, and `max_per_kind` how many of those that try the same are sent:
    one kind are texts that are too long, another are fields of a wrong type.
    """
    schema = operation.schema
    config = schema.config.generation_for(operation=operation, phase="coverage")
    cases = schema.iter_coverage_cases(
        operation, generation_modes=list(GenerationMode), generation_config=config
    )
    kinds: Counter[str] = Counter()
    for case in islice(cases, max_cases):
        kind = f"{case.meta.generation.mode} {case.meta.phase.data.scenario}"
        kinds[kind] += 1
        if max_per_kind is None or kinds[kind] <= max_per_kind:
            yield case


def operation_id_of(case: Case) -> str:
    """Returns the name of the operation that a request is for."""
    return str(case.operation.definition.raw["operationId"])


def wrong_answers(cases: Iterable[Case], server: Server) -> list[str]:
    """Sends requests and returns what is wrong with their answers, a few times for each operation."""
    wrong, times = [], Counter[str]()
    for case in cases:
        operation = operation_id_of(case)
        try:
            _check(case, operation, server)
        except (Exception, BaseExceptionGroup) as error:
            times[operation] += 1
            if times[operation] <= _SHOWN:
                wrong.append(f"{operation}: {error}")
    return wrong


def _check(case: Case, operation: str, server: Server) -> None:
    owner = server.owner_for(case.operation.path)
    if _is_uuid(case.path_parameters.get("companyId")):
        case.path_parameters["companyId"] = owner.company_for(operation)
    if operation in GOOD_PARTS and case.meta.generation.mode is GenerationMode.POSITIVE:
        # Another object: an example of the contract must stay as it is.
        case.body = case.body | GOOD_PARTS[operation]
        # A repeated key would be answered without validating the body.
        case.headers.pop("Idempotency-Key", None)
    answer = case.call(
        base_url=owner.url, headers=owner.headers, session=server.session, timeout=TIMEOUT_SECONDS
    )
    if operation == "rotateCredential" and answer.status_code == 200:
        owner.api_secret = answer.json()["data"]["apiSecret"]
    excluded: list[Any] = [_ALWAYS_ACCEPTED]
    # Null, blank texts and numbers of codes are accepted though the schema does not publish them.
    if _may_be_accepted(case.body) or _may_be_accepted(case.query):
        excluded.append(_WRONG_VALUES_REFUSED)
    # This sends three more requests, so once for each operation is enough.
    if operation in server.guarded:
        excluded.append(_CREDENTIALS_NEEDED)
    case.validate_response(answer, excluded_checks=excluded, headers=owner.headers)
    if answer.status_code in (200, 202):
        server.guarded.add(operation)


def _may_be_accepted(body: Any) -> bool:
    """Returns whether a body or query has a leniently read value: null, a blank, a whole number."""
    if isinstance(body, dict):
        return any(map(_may_be_accepted, body.values()))
    if isinstance(body, list):
        return any(map(_may_be_accepted, body))
    return body is None or (isinstance(body, str) and not body.strip()) or type(body) is int


def _is_uuid(value: object) -> bool:
    try:
        UUID(str(value))
    except ValueError:
        return False
    return True
