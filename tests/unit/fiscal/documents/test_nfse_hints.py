"""Hints for refusals of the national NFS-e: for all that issuers meet, with the names of our own bodies."""

import re
from collections import Counter
from importlib.resources import files

import pytest
from pydantic import BaseModel

from carimbo.fiscal.documents.nfse.hints import hint_for_rejection, hints
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.parties.company_file import CompanyFile
from unit.fiscal.hinted_fields import exists, fields_in, not_one_sentence, schema_of

_PACKAGE = files("carimbo.fiscal.documents.nfse")
_SIGNATURE = "E0714 E0715 E0716 E0717 E0718 E1225 E1228 E1229"
_RATE = "E0595 E0600 E0602 E0604 E0606 E0612 E0617 E0619 E0621 E0625 E0628 E0631 E0635 E0640"
_WITHHOLDING = "E0580 E0583 E0588 E0589 E0594 E0667"
_OTHERS_THAT_BITE = (
    "E0006 E0014 E0037 E0038 E0039 E0121 E0162 E0166 E0235 E0312 E0322 E0676 E0710 E0712 E0713 E0822 E0823"
    " E0840 E0850 E1206 E1217"
)
_MET_MOST = (
    "E1235 RNG6110 E0116 E0120 E0240 E0310 E0128 E0084 E0160 E0008 E0207 E0190 E0314 E0234 E0187 E0237 E0172"
    " E0174 E0175 E0202 E0699 E0700 E0701 E0010 E0016 E0694 E0696 E0370 E0372 E0959 E0958 E0440 E0041 E0004"
)
# In Portuguese no word has a capital inside: such a word is a name of ours, or of the authority's XML.
_NAME = re.compile(r"\b[a-z]+[A-Z][A-Za-z]*\b")


def names_in(*models: type[BaseModel]) -> set[str]:
    """Returns every field name that the bodies publish, at any depth."""
    published = [
        schema for model in models for schema in (schema_of(model), *schema_of(model)["$defs"].values())
    ]
    return {name for schema in published for name in schema.get("properties", ())}


class TestTheHintsOfNfse:
    @pytest.mark.parametrize("codes", [_SIGNATURE, _RATE, _WITHHOLDING, _OTHERS_THAT_BITE, _MET_MOST])
    def test_most_common_refusals_have_hints(self, codes: str) -> None:
        assert set(codes.split()) - hints().keys() == set()

    def test_most_refusals_that_our_requests_can_cause_have_hints(self) -> None:
        assert len(hints()) >= 250

    def test_every_code_of_our_own_rules_has_a_hint(self) -> None:
        sources = [
            file.read_text(encoding="utf-8") for file in _PACKAGE.iterdir() if file.name.endswith(".py")
        ]
        codes = {code for source in sources for code in re.findall(r'"(E[0-9]{4})"', source)}
        assert "E0595" in codes
        assert codes - hints().keys() == set()

    def test_hints_are_sorted_by_code_without_repetition(self) -> None:
        table = _PACKAGE.joinpath("hints.csv").read_text(encoding="utf-8")
        codes = re.findall(r"^([A-Z]+[0-9]+),", table, re.MULTILINE)
        assert codes == sorted(set(codes))
        assert set(codes) == hints().keys()

    def test_no_two_hints_are_alike(self) -> None:
        plain = Counter(re.sub(r"\W+", " ", hint.sentence).lower() for hint in hints().values())
        assert [sentence for sentence, times in plain.items() if times > 1] == []

    def test_each_hint_is_one_sentence(self) -> None:
        assert not_one_sentence(hint.sentence for hint in hints().values()) == []

    def test_hints_point_only_at_existing_fields(self) -> None:
        assert {field for field in fields_in(hints()) if not exists(field, NfseRequest)} == set()

    def test_hints_use_only_names_of_our_bodies(self) -> None:
        named = {name for hint in hints().values() for name in _NAME.findall(hint.sentence)}
        assert "isWithheld" in named
        assert (
            named - names_in(NfseRequest, CompanyFile) - schema_of(NfseSettings)["properties"].keys() == set()
        )

    def test_hints_about_certificates_point_at_the_certificate(self) -> None:
        about = {code: hint.field for code, hint in hints().items() if "Envie" in hint.sentence}
        assert {"E0715", "E0718", "E1200", "E1991"} <= about.keys()
        assert set(about.values()) == {"company.certificate"}


class TestARejectionOfAnNfse:
    def test_hint_points_at_the_field_that_caused_the_rejection(self) -> None:
        hint = hint_for_rejection("E0240", "O CEP informado para o tomador não existe.")
        assert hint is not None
        assert (hint.field, hint.sentence) == ("borrower.address.zipcode", hints()["E0240"].sentence)

    def test_rejection_with_several_reasons_has_the_hint_of_its_code(self) -> None:
        hint = hint_for_rejection("E0240", "E0240: O CEP não existe.; E0310: O código não existe.")
        assert hint == hints()["E0240"]

    def test_unknown_code_with_a_known_reason_has_the_hint_of_that_reason(self) -> None:
        hint = hint_for_rejection("E9997", "E9997: Motivo novo.; E0310: O código não existe.; E0240: O CEP.")
        assert hint == hints()["E0310"]

    def test_code_mentioned_in_the_text_is_not_taken_as_a_reason(self) -> None:
        assert hint_for_rejection("E9997", "Veja a regra E0310: vale também aqui.") is None

    def test_rejection_that_no_field_can_fix_still_has_a_sentence(self) -> None:
        hint = hint_for_rejection("E0822", "O prazo para o cancelamento da NFS-e expirou.")
        assert hint is not None
        assert (hint.field, bool(hint.sentence)) == ("", True)

    def test_unknown_code_has_no_hint(self) -> None:
        assert hint_for_rejection("E9997", "Motivo novo.") is None
