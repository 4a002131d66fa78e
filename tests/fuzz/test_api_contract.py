"""The published contract holds for many requests: all boundary values and hundreds of random ones."""

from collections.abc import AsyncIterator, Iterator
from itertools import chain

import pytest
from fastapi import FastAPI
from schemathesis.generation import GenerationMode

from carimbo.api.openapi import contract
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.service.access import Authenticator
from carimbo.settings import Settings
from integration.api.contract_cases import (
    Case,
    Operation,
    corners_of,
    examples_of,
    operations_of,
    random_cases,
    wrong_answers,
)
from integration.api.contract_server import Server, serving

RANDOM_CASES = 50
MAX_CORNERS = 3000


@pytest.fixture(scope="module")
async def server(
    settings: Settings, authenticator: Authenticator, company_certificate: SampleCertificate
) -> AsyncIterator[Server]:
    async with serving(settings, authenticator, company_certificate) as server:
        yield server


def many_cases(operation: Operation) -> Iterator[Case]:
    return chain(
        examples_of(operation),
        corners_of(operation, max_cases=MAX_CORNERS),
        random_cases(operation, GenerationMode.POSITIVE, RANDOM_CASES),
        random_cases(operation, GenerationMode.NEGATIVE, RANDOM_CASES),
    )


class TestTheContract:
    def test_every_operation_keeps_the_contract(self, app: FastAPI, server: Server) -> None:
        operations = operations_of(contract(app)).values()
        cases = chain.from_iterable(map(many_cases, operations))
        wrong = wrong_answers(cases, server)
        assert not wrong, "\n".join(wrong)
