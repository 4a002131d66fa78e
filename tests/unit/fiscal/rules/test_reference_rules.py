"""References that the rules accept."""

import pytest

from carimbo.fiscal.identity.access_key import AccessKey
from unit.fiscal.goods.support import BUYER_CNPJ
from unit.fiscal.rules.breaking import Breaking, judge
from unit.fiscal.rules.breakings_operation import KEY, OF_ANOTHER, WRONG_DIGIT
from unit.fiscal.rules.breakings_parties import refusals

OF_2006 = "35060111222333000181550010000000011123456807"
OF_2005 = "35051211222333000181550010000000011123456801"
OF_THE_NEXT_MONTH = "35261211222333000181550010000000011123456800"
OF_THE_AUTHORITY = str(AccessKey("35", "2610", "46377222000129", "55", 890, 1, "1", "11234568"))


class TestKeys:
    @pytest.mark.parametrize("key", [KEY, OF_2006, OF_THE_NEXT_MONTH])
    def test_keys_from_2006_until_this_year_are_accepted(self, key: str) -> None:
        assert refusals("complement", body={"references[0].accessKey": key}) == []

    def test_keys_may_have_letters(self) -> None:
        own = {"taxId": BUYER_CNPJ}
        assert refusals("complement", body={"references[0].accessKey": OF_ANOTHER}, company=own) == []

    def test_keys_older_than_2006_are_refused(self) -> None:
        assert refusals("complement", body={"references[0].accessKey": OF_2005}) == ["524"]

    @pytest.mark.parametrize("length", [43, 45, 70])
    def test_keys_of_another_length_are_refused_only_for_their_length(self, length: int) -> None:
        [problem] = judge(Breaking("", "", "complement", {"references[0].accessKey": "3" * length})).problems
        assert (problem.code, problem.path) == ("547", "references[0].accessKey")
        assert f"A chave tem 44 caracteres, e esta tem {length}." in problem.message

    def test_keys_of_transport_documents_follow_the_same_rules(self) -> None:
        reference = {"cteAccessKey": WRONG_DIGIT}
        judgement = judge(Breaking("", "", "complement", {"references": [reference]}))
        assert [(problem.code, problem.path) for problem in judgement.problems] == [
            ("547", "references[0].cteAccessKey")
        ]

    def test_masked_keys_are_not_checked(self) -> None:
        assert refusals("complement", body={"references": [{"maskedAccessKey": WRONG_DIGIT}]}) == []


class TestComplement:
    @pytest.mark.parametrize(("owner", "codes"), [("11222333000181", []), ("11444777000161", ["269"])])
    def test_complement_may_refer_to_its_own_paper_invoice(self, owner: str, codes: list[str]) -> None:
        paper = {
            "stateCode": "35",
            "yearMonth": "0501",
            "taxId": owner,
            "model": "01",
            "series": 1,
            "number": 7,
        }
        assert refusals("complement", body={"references": [{"paperInvoice": paper}]}) == codes

    def test_complement_may_refer_to_a_document_issued_by_the_authority(self) -> None:
        assert refusals("complement", body={"references[0].accessKey": OF_THE_AUTHORITY}) == []

    def test_issuer_of_the_original_is_checked_in_complements_only(self) -> None:
        sold = {"references": [{"accessKey": OF_ANOTHER}]}
        assert refusals(body=sold) == []

    @pytest.mark.parametrize(("credit", "refused"), [("01", True), ("03", True), ("04", True), ("06", False)])
    def test_some_credits_need_an_original_as_complements_do(self, credit: str, refused: bool) -> None:
        document = {"identification.purpose": "5", "identification.credit_type": credit}
        assert ("254" in refusals(document=document)) is refused

    def test_only_complements_are_limited_to_one_document(self) -> None:
        references = [{"accessKey": KEY}, {"accessKey": OF_2006}]
        assert "255" not in refusals(body={"references": references})
