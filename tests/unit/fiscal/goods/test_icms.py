"""ICMS of an item: the group that the caller's CST or CSOSN asks for, and what is missing for it."""

from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.goods.filling import Incomplete
from carimbo.fiscal.goods.icms import IcmsBody, icms_group
from carimbo.fiscal.layouts.group import layout_of
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from unit.fiscal.goods.support import company, issued_nfe, item, misformed, refused

PATH = "items[0].icms"
OWN = {"baseMode": "3", "base": 100, "rate": 18, "amount": 18}
SUBSTITUTED = {"stBaseMode": "4", "stBase": 140, "stRate": 18, "stAmount": 7.2}
CREDIT = {"creditRate": 1.25, "creditAmount": 1.25}
SHARED = {"operationBaseShare": 100, "stState": "RJ"}
PASSED_ON = {"retainedBase": 0, "retainedAmount": 0, "stDestinationBase": 100, "stDestinationAmount": 18}
SINGLE_PHASE = {"singlePhaseRate": 1.1234, "singlePhaseAmount": 11.23}
WITHHOLDING = {"singlePhaseWithholdingRate": 0.5, "singlePhaseWithholdingAmount": 5}

# Code, what else it needs, and the group that it is written in (MOC 7.0, group N).
GROUPS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"cst": "00"}, OWN, "ICMS00"),
    ({"cst": "02"}, SINGLE_PHASE, "ICMS02"),
    ({"cst": "10"}, OWN | SUBSTITUTED, "ICMS10"),
    ({"cst": "10"}, OWN | SUBSTITUTED | SHARED, "ICMSPart"),
    ({"cst": "15"}, SINGLE_PHASE | WITHHOLDING, "ICMS15"),
    ({"cst": "20"}, OWN | {"baseReduction": 33.33}, "ICMS20"),
    ({"cst": "30"}, SUBSTITUTED, "ICMS30"),
    ({"cst": "40"}, {}, "ICMS40"),
    ({"cst": "41"}, {}, "ICMS40"),
    ({"cst": "41"}, PASSED_ON, "ICMSST"),
    ({"cst": "50"}, {}, "ICMS40"),
    ({"cst": "51"}, {}, "ICMS51"),
    ({"cst": "53"}, {}, "ICMS53"),
    ({"cst": "60"}, {}, "ICMS60"),
    ({"cst": "60"}, PASSED_ON, "ICMSST"),
    ({"cst": "61"}, {"singlePhaseRetainedRate": 1.12, "singlePhaseRetainedAmount": 11}, "ICMS61"),
    ({"cst": "70"}, OWN | SUBSTITUTED | {"baseReduction": 10}, "ICMS70"),
    ({"cst": "90"}, {}, "ICMS90"),
    ({"cst": "90"}, OWN | SUBSTITUTED | SHARED, "ICMSPart"),
    ({"csosn": "101"}, CREDIT, "ICMSSN101"),
    ({"csosn": "102"}, {}, "ICMSSN102"),
    ({"csosn": "103"}, {}, "ICMSSN102"),
    ({"csosn": "300"}, {}, "ICMSSN102"),
    ({"csosn": "400"}, {}, "ICMSSN102"),
    ({"csosn": "201"}, SUBSTITUTED | CREDIT, "ICMSSN201"),
    ({"csosn": "202"}, SUBSTITUTED, "ICMSSN202"),
    ({"csosn": "203"}, SUBSTITUTED, "ICMSSN202"),
    ({"csosn": "500"}, {}, "ICMSSN500"),
    ({"csosn": "900"}, {}, "ICMSSN900"),
]
NEEDED = [
    (code, needed, name)
    for code, needed, _ in GROUPS
    for name in needed
    # Without these a CST is that of another group.
    if name not in SHARED and name not in ("stDestinationBase", "stDestinationAmount")
]


def refusal(**icms: Any) -> dict[str, str]:
    with pytest.raises(Incomplete) as raised:
        icms_group(IcmsBody.model_validate(icms), "0", PATH)
    return refused(raised.value.problems)


class TestGroup:
    @pytest.mark.parametrize(("code", "needed", "tag"), GROUPS)
    def test_is_that_of_the_code_and_stands_before_the_xsd(
        self, signer: Signer, code: dict[str, Any], needed: dict[str, Any], tag: str
    ) -> None:
        document = issued_nfe(signer, items=[item(origin="5", icms=code | needed)])
        assert isinstance(document, SignedDocument), document
        (written,) = etree.fromstring(document.xml).iter(f"{{{NAMESPACE}}}ICMS")
        (group,) = written
        assert group.tag == f"{{{NAMESPACE}}}{tag}"
        assert [one.text for one in group][:2] == ["5", *code.values()]

    @pytest.mark.parametrize(("code", "needed", "name"), NEEDED)
    def test_asks_for_each_value_that_the_code_needs(
        self, code: dict[str, Any], needed: dict[str, Any], name: str
    ) -> None:
        ((kind, number),) = code.items()
        given = {one: value for one, value in needed.items() if one != name}
        assert refusal(**code, **given) == {f"{PATH}.{name}": f"Obrigatório com {kind.upper()} {number}."}

    def test_asks_for_all_of_them_at_once(self) -> None:
        assert refusal(cst="00") == {
            f"{PATH}.{name}": "Obrigatório com CST 00." for name in ("baseMode", "base", "rate", "amount")
        }

    @pytest.mark.parametrize(
        ("code", "needed"), [(code, needed) for code, needed, tag in GROUPS if tag != "ICMSSN102"]
    )
    def test_refuses_a_value_that_belongs_to_another_code(
        self, code: dict[str, Any], needed: dict[str, Any]
    ) -> None:
        group = layout_of(icms_group(IcmsBody.model_validate(code | needed), "0", PATH))
        other = "effectiveFcpAmount" if "effective_fcp_amount" not in group.elements else "creditAmount"
        ((kind, number),) = code.items()
        assert refusal(**code, **needed, **{other: 1}) == {
            f"{PATH}.{other}": f"Não se usa com {kind.upper()} {number}."
        }

    def test_tells_what_lacks_and_what_is_too_much_together(self) -> None:
        assert refusal(csosn="101", creditRate=1, rate=18) == {
            f"{PATH}.creditAmount": "Obrigatório com CSOSN 101.",
            f"{PATH}.rate": "Não se usa com CSOSN 101.",
        }

    def test_takes_zero_for_a_value(self) -> None:
        made = icms_group(
            IcmsBody.model_validate({"csosn": "101", "creditRate": 0, "creditAmount": 0}), "0", ""
        )
        assert layout_of(made).tag == "ICMSSN101"

    @pytest.mark.parametrize(
        "icms",
        [
            {},
            {"cst": "00", "csosn": "102"},
            {"cst": "11"},
            {"csosn": "999"},
            {"stState": "RJ", "operationBaseShare": 100},
        ],
    )
    def test_needs_one_code_that_exists_and_only_one(self, icms: dict[str, Any]) -> None:
        assert refusal(**icms) == {PATH: "Informe um cst ou um csosn que exista, e só um dos dois."}

    def test_of_a_code_that_does_not_share_the_tax_is_told_at_the_code(self, signer: Signer) -> None:
        shared = {"cst": "40", **OWN, **SUBSTITUTED, **SHARED}
        assert set(refused(issued_nfe(signer, items=[item(icms=shared)]))) == {f"{PATH}.cst"}


class TestBody:
    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("cst", 0, "Deve ser um texto."),
            ("cst", "000", "Formato inválido."),
            ("csosn", "10", "Formato inválido."),
            ("rate", "18", "Deve ser um número."),
            ("rate", -1, "Deve ser maior ou igual a 0."),
            ("rate", 1.23456, "Deve ter no máximo 4 casas decimais."),
            ("amount", 1.001, "Deve ter no máximo 2 casas decimais."),
            ("amount", 10**14, "Deve ter no máximo 13 dígitos antes da vírgula."),
            ("stState", "XX", "UF inválida: informe a sigla, por exemplo SP."),
            ("vICMS", 18, "Campo desconhecido."),
        ],
    )
    def test_refuses_what_is_not_of_the_right_form(self, field: str, value: Any, message: str) -> None:
        with pytest.raises(ValidationError) as raised:
            IcmsBody.model_validate({field: value})
        assert misformed(raised.value) == {field: message}


class TestDefault:
    @pytest.mark.parametrize("regime", ["simples", "mei"])
    def test_of_the_simples_nacional_is_csosn_102(self, signer: Signer, regime: str) -> None:
        document = issued_nfe(signer, by=company(taxRegime=regime))
        assert isinstance(document, SignedDocument), document
        assert b"<ICMSSN102><orig>0</orig><CSOSN>102</CSOSN></ICMSSN102>" in document.xml

    @pytest.mark.parametrize("regime", ["normal", "simplesExcess"])
    def test_of_other_regimes_does_not_exist(self, signer: Signer, regime: str) -> None:
        problems = issued_nfe(signer, by=company(taxRegime=regime))
        assert refused(problems)[PATH] == "Obrigatório com o regime tributário da empresa."
