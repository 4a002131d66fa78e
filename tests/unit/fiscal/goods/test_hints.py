"""Hints: every code that a rule tells has one, and all that they name is there to be changed."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import pytest
from pydantic import BaseModel

from carimbo.fiscal.company_file import CompanyFile
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.goods.hints import hint_for_rejection, hint_of, hints
from carimbo.fiscal.goods.rules.judging import all_rules
from carimbo.fiscal.registry import DOCUMENT_TYPES

_COMPANY = "company."
_SETTINGS = "company.settings."
_ONE_SENTENCE = re.compile(r"[A-Z][^\n\r]*[^.\s]\.")
# A sentence names fields with a dot in them: `items[].cfop`, `recipient.taxId`.
_NAMED_FIELD = re.compile(r"\b[a-z][A-Za-z]*(?:\[\])?(?:\.[a-z][A-Za-z]*(?:\[\])?)+")


@cache
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The published contract of a body, by the names that callers write."""
    return model.model_json_schema()


def has(model: type[BaseModel], path: str) -> bool:
    """Whether a body has a field at the path; `[]` stands for any position of a list."""
    top = schema_of(model)
    nodes = [top]
    for step in path.split("."):
        name, many = step.removesuffix("[]"), step.endswith("[]")
        objects = [one for node in nodes for one in _variants(node, top)]
        nodes = [one["properties"][name] for one in objects if name in one.get("properties", {})]
        if many:
            nodes = [one["items"] for node in nodes for one in _variants(node, top) if "items" in one]
    return bool(nodes)


def _variants(node: dict[str, Any], top: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in node:
        yield from _variants(top["$defs"][node["$ref"].rpartition("/")[2]], top)
    for inner in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from _variants(inner, top)
    yield node


def exists(path: str) -> bool:
    """Whether a body, the company's record or one of its settings has the field."""
    if path.startswith(_SETTINGS):
        kind, _, field = path.removeprefix(_SETTINGS).partition(".")
        return any(has(one.settings, field) for one in DOCUMENT_TYPES if one.name == kind)
    if path.startswith(_COMPANY):
        return has(CompanyFile, path.removeprefix(_COMPANY))
    return has(NfeRequest, path) or has(NfceRequest, path)


class TestTheHints:
    def test_speak_of_every_code_that_a_rule_tells(self) -> None:
        assert {rule.code for rule in all_rules()} - hints().keys() == set()

    def test_speak_of_what_issuers_meet_most_at_the_authority(self) -> None:
        assert len(hints()) >= 200
        assert {"204", "225", "539", "656", "778"} <= hints().keys()

    def test_stand_in_the_order_of_their_codes_without_repeating_one(self) -> None:
        table = files("carimbo.fiscal.goods").joinpath("hints.csv").read_text(encoding="utf-8")
        codes = [int(code) for code in re.findall(r"^(\d+),", table, re.MULTILINE)]
        assert codes == sorted(set(codes))

    def test_are_never_two_alike(self) -> None:
        plain = Counter(re.sub(r"\W+", " ", hint.sentence).lower() for hint in hints().values())
        assert [sentence for sentence, times in plain.items() if times > 1] == []

    def test_are_one_sentence_each(self) -> None:
        sentences = [hint.sentence for hint in hints().values()]
        assert [one for one in sentences if not _ONE_SENTENCE.fullmatch(one) or ". " in one] == []

    def test_point_at_fields_that_exist(self) -> None:
        fields = {hint.field for hint in hints().values() if hint.field}
        assert {field for field in fields if not exists(field)} == set()

    def test_name_only_fields_that_exist(self) -> None:
        named = {path for hint in hints().values() for path in _NAMED_FIELD.findall(hint.sentence)}
        assert {path for path in named if not exists(path)} == set()


class TestFields:
    @pytest.mark.parametrize(
        "path",
        ["items[].cfop", "company.settings.nfce.csc", "company.certificate", "signedXml", "references"],
    )
    def test_are_found_by_the_names_that_callers_write(self, path: str) -> None:
        assert exists(path)

    @pytest.mark.parametrize(
        "path",
        [
            "items[].cfops",
            "recipient[].name",
            "company.settings.nfe.csc",
            "company.cfop",
            "recipient.taxId.x",
        ],
    )
    def test_that_no_body_has_are_not_found(self, path: str) -> None:
        assert not exists(path)


class TestARejection:
    def test_points_at_the_item_that_it_names(self) -> None:
        hint = hint_for_rejection("733", "Rejeicao: CFOP de operacao interna e idDest <> 1 [nItem: 3]")
        assert hint is not None
        assert (hint.field, hint.sentence) == ("items[2].cfop", hint_of("733"))

    def test_that_names_no_item_leaves_it_open(self) -> None:
        hint = hint_for_rejection("733", "Rejeicao: CFOP de operacao interna e idDest <> 1")
        assert hint is not None
        assert hint.field == "items[].cfop"

    def test_of_the_whole_document_points_at_its_field(self) -> None:
        hint = hint_for_rejection("696", "Rejeicao: Operacao com nao contribuinte [nItem:2]")
        assert hint is not None
        assert hint.field == "finalConsumer"

    def test_that_no_field_cures_has_a_sentence_still(self) -> None:
        hint = hint_for_rejection("204", "Rejeicao: Duplicidade de NF-e [nRec:351000012345678]")
        assert hint is not None
        assert (hint.field, bool(hint.sentence)) == ("", True)

    def test_of_an_unknown_code_has_no_hint(self) -> None:
        assert (hint_for_rejection("0", "Rejeicao [nItem: 1]"), hint_of("0")) == (None, None)
