"""Example bodies of the operations, which tests send to the API: a minimal one first, then a full one.

Each JSON file beside this one names the operations that it is for, and holds their examples in order.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

Examples = dict[str, dict[str, Any]]
"""The `examples` of a media type in OpenAPI: a summary and a value by name."""


@cache
def body_examples() -> dict[str, Examples]:
    """Reads the examples of every operation, by operation id."""
    sources = [file for file in files(__name__).iterdir() if file.name.endswith(".json")]
    contents = [json.loads(source.read_text("utf-8")) for source in sources]
    return {
        operation: {
            example["name"]: {"summary": example["summary"], "value": example["value"]}
            for example in content["examples"]
        }
        for content in contents
        for operation in content["operations"]
    }
