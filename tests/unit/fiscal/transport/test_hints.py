"""Hints for refusals of CT-e and CT-e OS: for all that carriers meet, each with a code of the table."""

import re
from collections import Counter
from importlib.resources import files

import pytest

from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.tables.statuses import CTE_STATUSES, REJECTIONS
from carimbo.fiscal.transport.hints import hint_for_rejection, hint_of, hints
from unit.fiscal.hinted_fields import exists, fields_in, not_one_sentence

KEY = "35261108902291000104570010000001231000001239"
# FS-DA, GTV-e, NFF and PAA, which we never write.
OF_OTHER_ISSUERS = {"587", "588", "875", "876", "902", "909", "910", "911", "912", "914", "915"}
OF_OTHER_QUERIES = {"249", "250", "289", "514", "518"}
# Fields of CT-e OS, and of other modes of transport than road.
NOT_YET = (
    "canceledAccessKey",
    "charter",
    "federalTaxes",
    "gtves",
    "modal.containers",
    "modal.mutualTraffic",
    "referencedDocuments",
    "route",
    "stateAgencyRegistration",
    "taf",
)


class TestTheHints:
    def test_every_hint_has_a_code_of_the_table(self) -> None:
        assert hints().keys() - set(CTE_STATUSES) == set()

    def test_every_rejection_that_our_documents_can_meet_has_a_hint(self) -> None:
        rejections = {code for code, status in CTE_STATUSES.items() if status.action in REJECTIONS}
        assert rejections - hints().keys() == OF_OTHER_ISSUERS | OF_OTHER_QUERIES

    def test_hints_are_sorted_by_their_codes_without_repetition(self) -> None:
        table = files("carimbo.fiscal.transport").joinpath("hints.csv").read_text(encoding="utf-8")
        codes = [int(code) for code in re.findall(r"^(\d+),", table, re.MULTILINE)]
        assert codes == sorted(set(codes))
        assert len(codes) == len(hints())

    def test_hints_are_all_different(self) -> None:
        plain = Counter(re.sub(r"\W+", " ", hint.sentence).lower() for hint in hints().values())
        assert [sentence for sentence, times in plain.items() if times > 1] == []

    def test_hints_are_one_sentence_each(self) -> None:
        assert not_one_sentence(hint.sentence for hint in hints().values()) == []

    def test_hints_speak_of_no_invoice(self) -> None:
        # Most sentences about certificates and companies are those of NF-e, whose document is a `nota`.
        assert [
            code for code, hint in hints().items() if re.search(r"\b(comprador|venda)\b", hint.sentence)
        ] == []

    def test_fields_of_the_company_exist(self) -> None:
        of_company = {field for field in fields_in(hints()) if field.startswith("company.")}
        assert {field for field in of_company if not exists(field)} == set()
        assert "company.stateRegistrations" in of_company

    def test_fields_of_the_body_exist(self) -> None:
        of_body = {field for field in fields_in(hints()) if not field.startswith("company.")}
        missing = {field for field in of_body if not exists(field, CteRequest)}
        assert {field for field in missing if not field.startswith(NOT_YET)} == set()
        assert "documents.nfes[].accessKey" in of_body


class TestARejection:
    @pytest.mark.parametrize("brackets", [f"[chNFe: {KEY}]", f"[chCTe:{KEY}][nProt:1]", f"[chCTe: [{KEY}]"])
    def test_hint_for_a_rejection_has_the_key_that_the_message_names(self, brackets: str) -> None:
        hint = hint_for_rejection("527", f"Rejeicao: NF-e duplicada no CT-e {brackets}")
        assert hint is not None
        assert hint.field == "documents.nfes[].accessKey"
        assert hint.sentence == f"Deixe cada NF-e uma só vez em documents.nfes[].accessKey (chave {KEY})."

    @pytest.mark.parametrize(
        "message", ["Rejeicao: NF-e duplicada no CT-e", "[nProt:135260000000001]", "[chNFe: 35]"]
    )
    def test_hint_for_a_rejection_that_names_no_document_is_the_plain_one(self, message: str) -> None:
        hint = hint_for_rejection("527", message)
        assert hint is not None
        assert hint.sentence == hint_of("527")

    def test_rejection_of_an_unknown_code_has_no_hint(self) -> None:
        assert (hint_for_rejection("0", f"Rejeicao [chCTe: {KEY}]"), hint_of("0")) == (None, None)
