"""Hints: every code of a rule has one, and every field that they name exists."""

import re
from collections import Counter
from importlib.resources import files

import pytest

from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.goods.hints import hint_for_rejection, hint_of, hints
from unit.fiscal import hinted_fields
from unit.fiscal.hinted_fields import fields_in, not_one_sentence
from unit.fiscal.rules.goods_rules import GOODS_RULES


def exists(path: str) -> bool:
    """Whether a body of goods, the company's record or one of its settings has the field."""
    return hinted_fields.exists(path, NfeRequest, NfceRequest)


class TestTheHints:
    def test_hints_exist_for_every_code_of_a_rule(self) -> None:
        assert {rule.code for rule in GOODS_RULES} - hints().keys() == set()

    def test_hints_cover_the_most_frequent_rejections_of_the_authorities(self) -> None:
        assert len(hints()) >= 200
        assert {"204", "225", "539", "656", "778"} <= hints().keys()

    def test_hints_are_sorted_by_their_codes_without_repetition(self) -> None:
        table = files("carimbo.fiscal.goods").joinpath("hints.csv").read_text(encoding="utf-8")
        codes = [int(code) for code in re.findall(r"^(\d+),", table, re.MULTILINE)]
        assert codes == sorted(set(codes))

    def test_hints_are_all_different(self) -> None:
        plain = Counter(re.sub(r"\W+", " ", hint.sentence).lower() for hint in hints().values())
        assert [sentence for sentence, times in plain.items() if times > 1] == []

    def test_hints_are_one_sentence_each(self) -> None:
        assert not_one_sentence(hint.sentence for hint in hints().values()) == []

    def test_hints_point_at_fields_that_exist_and_name_no_others(self) -> None:
        assert {field for field in fields_in(hints()) if not exists(field)} == set()

    @pytest.mark.parametrize("code", ["283", "293"])
    def test_hints_for_an_unknown_issuer_do_not_advise_another_export(self, code: str) -> None:
        # Rules 283 and 293: the authority looks the issuer up in its own list, and ours is not in it.
        sentence = hint_of(code)
        assert sentence is not None
        assert "exportar de novo o mesmo certificado não resolve" in sentence
        assert "intermediários" not in sentence


class TestFields:
    @pytest.mark.parametrize(
        "path",
        ["items[].cfop", "company.settings.nfce.csc", "company.certificate", "signedXml", "references"],
    )
    def test_fields_exist_under_the_names_that_callers_write(self, path: str) -> None:
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
    def test_fields_that_no_body_has_do_not_exist(self, path: str) -> None:
        assert not exists(path)


class TestARejection:
    def test_hint_for_a_rejection_points_at_the_item_that_it_names(self) -> None:
        hint = hint_for_rejection("733", "Rejeicao: CFOP de operacao interna e idDest <> 1 [nItem: 3]")
        assert hint is not None
        assert (hint.field, hint.sentence) == ("items[2].cfop", hint_of("733"))

    def test_hint_for_a_rejection_that_names_no_item_leaves_the_item_open(self) -> None:
        hint = hint_for_rejection("733", "Rejeicao: CFOP de operacao interna e idDest <> 1")
        assert hint is not None
        assert hint.field == "items[].cfop"

    def test_hint_for_a_rejection_of_the_whole_document_points_at_its_field(self) -> None:
        hint = hint_for_rejection("696", "Rejeicao: Operacao com nao contribuinte [nItem:2]")
        assert hint is not None
        assert hint.field == "finalConsumer"

    def test_hint_for_a_rejection_without_a_field_still_has_a_sentence(self) -> None:
        hint = hint_for_rejection("204", "Rejeicao: Duplicidade de NF-e [nRec:351000012345678]")
        assert hint is not None
        assert (hint.field, bool(hint.sentence)) == ("", True)

    def test_rejection_of_an_unknown_code_has_no_hint(self) -> None:
        assert (hint_for_rejection("0", "Rejeicao [nItem: 1]"), hint_of("0")) == (None, None)
