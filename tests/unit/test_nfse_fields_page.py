"""The page of NFS-e fields names every field and code, and its examples are issued as they are."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.schemas.files import schema_sources
from unit.fiscal.documents.nfse_support import NORMAL, REPLACED, reviewed
from unit.fiscal.goods.support import SCHEMAS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "nfse-fields.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)+)", PAGE, re.MULTILINE))
BASE, *EXAMPLES = [json.loads(block) for block in re.findall(r"```json\n(.+?)```", PAGE, re.DOTALL)]
SETTINGS = "nfse"

SCHEMA = NfseRequest.model_json_schema()
GROUPS = (
    "borrower", "intermediary", "foreignTrade", "construction", "event", "benefit", "suspension", "discounts",
    "deductions", "taxes", "totalTaxes", "ibsCbs", "replaces",
)  # fmt: skip
PLAIN_FIELDS = (
    "natureOfOperation", "serviceLocation", "serviceCityCode", "serviceCountryCode", "resultCountryCode",
    "municipalityOfIncidence", "immunityType",
)  # fmt: skip
# Fields with a list of codes, by the type that the XSD gives them.
CODE_LISTS = {
    "deliveryMode": "TSModoPrestacao",
    "relationship": "TSVincPrest",
    "providerSupport": "TSMecAFComExPrest",
    "takerSupport": "TSMecAFComExToma",
    "temporaryGoods": "TSMovTempBens",
    "sharedWithMdic": "TSEnvMDIC",
    "kind": "TSIdeDedRed",
    "noForeignIdReason": "TSCodNaoNIF",
    "immunityType": "TSTipoImunidadeISSQN",
    "operationType": "TSRTCTpOper",
    "pisCofinsCst": "TSTipoCST",
    "reasonCode": "TSCodJustSubst",
    "specialRegime": "TSRegEspTrib",
}
# For notes that a municipality issued and shares, never in a request.
OF_SHARED_NOTES = {"noForeignIdReason": "0", "immunityType": "0"}


def objects(node: dict[str, Any], path: str) -> Iterator[tuple[str, set[str]]]:
    """Every object of the published schema below a field, by its path, with the names of its fields."""
    node = SCHEMA["$defs"][node["$ref"].split("/")[-1]] if "$ref" in node else node
    for branch in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from objects(branch, path)
    if "items" in node:
        yield from objects(node["items"], f"{path}[]")
    if fields := node.get("properties"):
        yield path, set(fields)
        for name, field in fields.items():
            yield from objects(field, f"{path}.{name}")


def published() -> dict[str, set[str]]:
    """The fields of every object; an address may be in Brazil or abroad, and has those of both."""
    fields_of_objects: dict[str, set[str]] = {}
    for group in GROUPS:
        for path, names in objects(SCHEMA["properties"][group], group):
            fields_of_objects[path] = fields_of_objects.get(path, set()) | names
    return fields_of_objects


def section_of(path: str) -> str:
    """Returns the section of the page whose heading names an object."""
    return next((text for heading, text in SECTIONS.items() if f"`{path}`" in heading), "")


def first_cells(table: str) -> set[str]:
    """The names or codes that begin the rows of a section or table."""
    return set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))


def codes_of(field: str) -> set[str]:
    """The codes in the table of a field."""
    table = re.search(rf"^\| `{field}` code \|.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return first_cells(table[1]) if table else set()


def official_codes() -> dict[str, set[str]]:
    """The values that the XSD in force takes, by the field that has them."""
    files = schema_sources(SCHEMAS.file_of(Schema.NFSE_DPS))
    codes = {}
    for field, simple_type in CODE_LISTS.items():
        values = f".//{{*}}simpleType[@name='{simple_type}']//{{*}}enumeration"
        codes[field] = {value.get("value", "") for file in files for value in file.iterfind(values)}
    return codes


class TestFields:
    def test_page_has_exactly_the_fields_of_every_group(self) -> None:
        groups = published()
        written = {}
        for path in groups:
            tables = re.findall(r"^\| field \|.*\n((?:\|.*\n)+)", section_of(path), re.MULTILINE)
            written[path] = first_cells("".join(tables))
        assert written == groups

    def test_page_has_the_fields_of_the_body_itself(self) -> None:
        assert first_cells(SECTIONS["Place and nature"]) >= set(PLAIN_FIELDS)
        assert SCHEMA["properties"].keys() >= set(PLAIN_FIELDS)


class TestCodes:
    def test_page_has_all_codes_of_the_schema(self) -> None:
        official = {
            field: codes - {OF_SHARED_NOTES.get(field, "")} for field, codes in official_codes().items()
        }
        assert {field: codes_of(field) for field in CODE_LISTS} == official


class TestExamples:
    def test_examples_of_the_page_are_issued_unchanged(self) -> None:
        problems = {}
        for example in ({}, *EXAMPLES):
            settings = example.get(SETTINGS, {})
            body = BASE | {name: value for name, value in example.items() if name != SETTINGS}
            replaced = REPLACED if "replaces" in example else None
            review = reviewed(body, by=NORMAL, settings=settings, replaced=replaced)
            if review.problems or not review.preview:
                problems["-".join(example) or "base"] = review.problems
        assert problems == {}

    def test_examples_of_the_page_show_every_group(self) -> None:
        groups = {*GROUPS, "immunityType", "serviceCityCode", SETTINGS}
        assert groups - {name for example in EXAMPLES for name in example} == set()
