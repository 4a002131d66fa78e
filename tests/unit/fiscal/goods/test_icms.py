"""The ICMS group of an item: chosen by CST or CSOSN, with its computed and its missing values."""

from decimal import Decimal
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.goods.icms_body import IcmsBody
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import (
    CONTRIBUTOR,
    LISBON,
    NORMAL,
    buyer,
    company,
    composed_nfe,
    issued_nfe,
    item,
    misformed,
    nfe,
    refused,
    text_at,
    without,
)

PATH = "items[0].icms"
OWN = {"baseMode": "3", "base": 100, "rate": 18, "amount": 18}
SUBSTITUTED = {"stBaseMode": "4", "stBase": 140, "stRate": 18, "stAmount": 7.2}
FCP = {"fcpBase": 100, "fcpAmount": 2}
CREDIT_RATE, CREDIT = {"creditRate": 1.25}, {"creditAmount": 1.25}
SHARED = {"operationBaseShare": 100, "stState": "RJ"}
PASSED_ON = {"retainedBase": 0, "retainedAmount": 0, "stDestinationBase": 100, "stDestinationAmount": 18}
SINGLE_PHASE = {"singlePhaseRate": 1.1234, "singlePhaseAmount": 11.23}
WITHHOLDING = {"singlePhaseWithholdingRate": 0.5, "singlePhaseWithholdingAmount": 5}
DEFERRED = {"operationAmount": 18, "deferralRate": 100, "deferralAmount": 18, "amount": 0}

# Code, values that only the caller knows, values computed of 100.00, and the group (MOC 7.0, group N).
GROUPS: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any], str]] = [
    ({"cst": "00"}, {}, OWN, "ICMS00"),
    ({"cst": "00"}, {"fcpRate": 2}, OWN | {"fcpAmount": 2}, "ICMS00"),
    ({"cst": "02"}, SINGLE_PHASE, {}, "ICMS02"),
    ({"cst": "10"}, SUBSTITUTED, OWN, "ICMS10"),
    ({"cst": "10"}, SUBSTITUTED | {"fcpRate": 2}, OWN | FCP, "ICMS10"),
    ({"cst": "10"}, OWN | SUBSTITUTED | SHARED, {}, "ICMSPart"),
    ({"cst": "15"}, SINGLE_PHASE | WITHHOLDING, {}, "ICMS15"),
    ({"cst": "20"}, {"baseReduction": 33.33}, OWN | {"base": 66.67, "amount": 12}, "ICMS20"),
    ({"cst": "30"}, SUBSTITUTED, {}, "ICMS30"),
    ({"cst": "40"}, {}, {}, "ICMS40"),
    ({"cst": "41"}, {}, {}, "ICMS40"),
    ({"cst": "41"}, PASSED_ON, {}, "ICMSST"),
    ({"cst": "50"}, {}, {}, "ICMS40"),
    ({"cst": "51"}, {}, {}, "ICMS51"),
    ({"cst": "51"}, {"rate": 18}, {"baseMode": "3", "base": 100} | DEFERRED, "ICMS51"),
    ({"cst": "53"}, {}, {}, "ICMS53"),
    ({"cst": "60"}, {}, {}, "ICMS60"),
    ({"cst": "60"}, PASSED_ON, {}, "ICMSST"),
    ({"cst": "61"}, {"singlePhaseRetainedRate": 1.12, "singlePhaseRetainedAmount": 11}, {}, "ICMS61"),
    ({"cst": "70"}, SUBSTITUTED | {"baseReduction": 10}, OWN | {"base": 90, "amount": 16.2}, "ICMS70"),
    ({"cst": "90"}, {}, {}, "ICMS90"),
    ({"cst": "90"}, {"rate": 18}, {"baseMode": "3", "base": 100, "amount": 18}, "ICMS90"),
    ({"cst": "90"}, OWN | SUBSTITUTED | SHARED, {}, "ICMSPart"),
    ({"csosn": "101"}, CREDIT_RATE, CREDIT, "ICMSSN101"),
    ({"csosn": "102"}, {}, {}, "ICMSSN102"),
    ({"csosn": "103"}, {}, {}, "ICMSSN102"),
    ({"csosn": "300"}, {}, {}, "ICMSSN102"),
    ({"csosn": "400"}, {}, {}, "ICMSSN102"),
    ({"csosn": "201"}, SUBSTITUTED | CREDIT_RATE, CREDIT, "ICMSSN201"),
    ({"csosn": "202"}, SUBSTITUTED, {}, "ICMSSN202"),
    ({"csosn": "203"}, SUBSTITUTED, {}, "ICMSSN202"),
    ({"csosn": "500"}, {}, {}, "ICMSSN500"),
    ({"csosn": "900"}, {}, {}, "ICMSSN900"),
    ({"csosn": "900"}, {"rate": 18}, {"baseMode": "3", "base": 100, "amount": 18}, "ICMSSN900"),
]
NEEDED = [
    (code, needed | computed, name)
    for code, needed, computed, _ in GROUPS
    for name in needed
    # Without these a CST is that of another group, or of the same without a tax.
    if name not in SHARED
    and name not in ("stDestinationBase", "stDestinationAmount", "fcpRate")
    and needed.keys() != {"rate"}
]


def sale(icms: dict[str, Any]) -> dict[str, Any]:
    """A sale of 100.00 to someone who sells again, by a company whose regime has the code."""
    goods = item(quantity=1, unitValue=100, origin="5", cest="2104600", icms=icms)
    seller = company() if "csosn" in icms else NORMAL
    return {"by": seller, "recipient": CONTRIBUTOR, "items": [goods]}


def group(**icms: Any) -> Icms:
    icms_group = nfe(**sale(icms)).items[0].taxes.icms
    assert icms_group
    return icms_group


def refusal(**icms: Any) -> dict[str, str]:
    return refused(composed_nfe(**sale(icms)))


def written_group(signer: Signer, icms: dict[str, Any]) -> object:
    """Returns tag, origin and code of the group in a document that the XSD accepts, or why there is none."""
    document = issued_nfe(signer, **sale(icms))
    if not isinstance(document, SignedDocument):
        return document
    (written,) = etree.fromstring(document.xml).iter(f"{{{NAMESPACE}}}ICMS")
    (icms_group,) = written
    return icms_group.tag, [child.text for child in icms_group][:2]


class TestGroup:
    def test_icms_group_is_that_of_the_code_and_is_accepted_by_the_xsd(self, signer: Signer) -> None:
        wrong = {}
        for code, needed, computed, tag in GROUPS:
            expected = f"{{{NAMESPACE}}}{tag}", ["5", *code.values()]
            for given in (needed, needed | computed):
                written = written_group(signer, code | given)
                if written != expected:
                    wrong[f"{tag}: {code | given}"] = written
        assert wrong == {}

    def test_icms_group_computes_one_missing_value_or_all_of_them(self) -> None:
        wrong = {}
        for code, needed, computed, tag in GROUPS:
            whole = code | needed | computed
            expected = group(**whole)
            for given in (code | needed, *(without(name, whole) for name in computed)):
                if (computed_group := group(**given)) != expected:
                    wrong[f"{tag}: {given}"] = computed_group
        assert wrong == {}

    def test_icms_group_requires_each_value_that_only_the_caller_knows(self) -> None:
        wrong = {}
        for code, given, name in NEEDED:
            ((code_name, number),) = code.items()
            refused = refusal(**code, **without(name, given))
            if refused != {f"{PATH}.{name}": f"Obrigatório com {code_name.upper()} {number}."}:
                wrong[f"{code} without {name}"] = refused
        assert wrong == {}

    def test_icms_group_reports_all_missing_values_at_once(self) -> None:
        assert refusal(cst="70") == {
            f"{PATH}.{name}": "Obrigatório com CST 70." for name in ("baseReduction", *SUBSTITUTED)
        }

    def test_icms_group_refuses_a_value_of_another_code(self) -> None:
        wrong = {}
        for code, needed, computed, tag in GROUPS:
            given = code | needed | computed
            elements = layout_of(group(**given)).elements
            other = "effectiveFcpAmount" if "effective_fcp_amount" not in elements else "creditAmount"
            ((code_name, number),) = code.items()
            refused = refusal(**given, **{other: 1})
            if refused != {f"{PATH}.{other}": f"Não se usa com {code_name.upper()} {number}."}:
                wrong[f"{tag}: {given} and {other}"] = refused
        assert wrong == {}

    def test_icms_group_reports_missing_and_unused_values_together(self) -> None:
        assert refusal(csosn="101", creditAmount=1, rate=18) == {
            f"{PATH}.creditRate": "Obrigatório com CSOSN 101.",
            f"{PATH}.rate": "Não se usa com CSOSN 101.",
        }

    def test_icms_group_takes_zero_for_a_value(self) -> None:
        icms_group: Any = group(csosn="101", creditRate=0)
        assert (layout_of(icms_group).tag, icms_group.credit_amount) == ("ICMSSN101", Decimal(0))

    @pytest.mark.parametrize("code", [{}, {"cst": "20", "baseReduction": 10}, {"cst": "90", "rate": 18}])
    def test_icms_group_takes_zero_for_the_rate_of_the_poverty_fund(
        self, signer: Signer, code: dict[str, Any]
    ) -> None:
        document = issued_nfe(signer, **sale(code | {"fcpRate": 0}))
        assert isinstance(document, SignedDocument), document

    @pytest.mark.parametrize(
        ("icms", "path", "message"),
        [
            ({"cst": "00", "csosn": "102"}, PATH, "Informe cst ou csosn, não os dois."),
            ({"cst": "11"}, f"{PATH}.cst", "CST 11 não existe."),
            ({"csosn": "999"}, f"{PATH}.csosn", "CSOSN 999 não existe."),
        ],
    )
    def test_icms_group_needs_exactly_one_code_that_exists(
        self, icms: dict[str, Any], path: str, message: str
    ) -> None:
        assert refusal(**icms) == {path: message}

    @pytest.mark.parametrize("code", [{"cst": "40"}, {}])
    def test_shared_icms_with_a_code_that_does_not_share_the_tax_is_refused_at_the_code(
        self, signer: Signer, code: dict[str, Any]
    ) -> None:
        problems = issued_nfe(signer, **sale(code | OWN | SUBSTITUTED | SHARED))
        assert set(refused(problems)) == {f"{PATH}.cst"}

    def test_interstate_icms_is_refused_to_a_buyer_abroad(self, signer: Signer) -> None:
        abroad = buyer(taxId=None, foreignId="PASS12345", address=LISBON)
        changes = sale({"cst": "00"}) | {"recipient": abroad, "destination": "interstate"}
        assert "recipient.foreignId" in refused(issued_nfe(signer, **changes))


class TestBody:
    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("cst", 100, "Deve ser um texto."),
            ("cst", "000", "Formato inválido: informe os 2 dígitos do código, e não “000”."),
            ("csosn", "10", "Formato inválido: informe os 3 dígitos do código, e não “10”."),
            ("rate", "18", "Deve ser um número."),
            ("rate", -1, "Deve ser maior ou igual a 0."),
            ("rate", 1.23456, "Deve ter no máximo 4 casas decimais."),
            ("amount", 1.001, "Deve ter no máximo 2 casas decimais."),
            ("amount", 10**14, "Deve ter no máximo 13 dígitos antes da vírgula."),
            ("stState", "XX", "UF inválida: informe a sigla, por exemplo SP."),
            ("vICMS", 18, "Campo desconhecido."),
        ],
    )
    def test_malformed_icms_body_is_refused(self, field: str, value: Any, message: str) -> None:
        with pytest.raises(ValidationError) as raised:
            IcmsBody.model_validate({field: value})
        assert misformed(raised.value) == {field: message}


class TestDefault:
    @pytest.mark.parametrize("regime", ["simples", "mei"])
    def test_default_of_the_simples_nacional_is_csosn_102(self, signer: Signer, regime: str) -> None:
        document = issued_nfe(signer, by=company(taxRegime=regime))
        assert isinstance(document, SignedDocument), document
        assert b"<ICMSSN102><orig>0</orig><CSOSN>102</CSOSN></ICMSSN102>" in document.xml

    @pytest.mark.parametrize("regime", ["normal", "simplesExcess"])
    def test_default_of_other_regimes_is_cst_00_at_the_rate_of_the_company(
        self, signer: Signer, regime: str
    ) -> None:
        seller = company(taxRegime=regime, pisCofinsRegime="cumulative", defaults={"icmsRate": 17})
        document = issued_nfe(signer, by=seller)
        assert isinstance(document, SignedDocument), document
        assert (
            b"<ICMS00><orig>0</orig><CST>00</CST><modBC>3</modBC><vBC>71.80</vBC><pICMS>17.0000</pICMS>"
            b"<vICMS>12.21</vICMS></ICMS00>"
        ) in document.xml

    @pytest.mark.parametrize(("seller", "tag"), [(company(), "ICMSSN102"), (NORMAL, "ICMS00")])
    def test_default_applies_to_a_body_without_a_code_too(self, seller: Company, tag: str) -> None:
        assert text_at(nfe(by=seller, items=[item(icms={})]), f"det/imposto/ICMS/{tag}/orig") == "0"
