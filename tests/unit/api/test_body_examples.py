"""The example bodies of the published contract: the smallest comes first, and all fit their schemas."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from carimbo.web.body_examples import body_examples
from unit.api.docs_contracts import our_contract

JSON = "application/json"


def json_bodies() -> Iterator[tuple[str, dict[str, Any]]]:
    """Generates the id of every operation with a JSON body, and what the contract says of the body."""
    for methods in our_contract()["paths"].values():
        for operation in methods.values():
            content = operation.get("requestBody", {}).get("content", {})
            if JSON in content:
                yield operation["operationId"], content[JSON]


def fields_in(body: Any) -> int:
    return json.dumps(body).count('": ')


class TestBodyExamples:
    def test_examples_of_every_operation_are_those_of_our_files(self) -> None:
        published = {operation: media.get("examples") for operation, media in json_bodies()}
        assert published == body_examples()

    def test_examples_begin_with_the_smallest_body(self) -> None:
        wrong = []
        for operation, media in json_bodies():
            bodies = [example["value"] for example in media["examples"].values()]
            smallest = min(bodies, key=fields_in)
            if next(iter(media["examples"])) != "minimo" or len(bodies) == 1 or smallest != bodies[0]:
                wrong.append(operation)
        assert wrong == []

    def test_examples_fit_the_published_schema(self) -> None:
        problems = []
        for operation, media in json_bodies():
            schema = media["schema"] | {"components": our_contract()["components"]}
            validator = jsonschema_rs.validator_for(schema, validate_formats=True)
            for name, example in media["examples"].items():
                errors = [error.message for error in validator.iter_errors(example["value"])]
                problems += [(operation, name, errors)] if errors else []
        assert problems == []
