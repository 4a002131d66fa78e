"""The options for IBS and CBS of a company of Simples Nacional."""

import json
from datetime import date
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from carimbo.fiscal.body.messages import in_portuguese
from carimbo.fiscal.parties.company import Company, IbsCbsOption, IbsCbsOptions, TaxRegime, problem_of_options
from carimbo.fiscal.parties.company_file import CompanyFile
from documentation import ROOT

OPTIONS: TypeAdapter[tuple[IbsCbsOption, ...]] = TypeAdapter(IbsCbsOptions)
COMPANY = json.loads((ROOT / "examples" / "company.json").read_text(encoding="utf-8"))


def option(half_year: str, regime: str = "regular") -> dict[str, str]:
    return {"halfYear": half_year, "regime": regime}


def messages(value: Any) -> list[str]:
    with pytest.raises(ValidationError) as refused:
        OPTIONS.validate_python(value)
    return [in_portuguese(error) for error in refused.value.errors()]


def test_options_are_sorted_by_half_year() -> None:
    read = OPTIONS.validate_python([option("2028-1"), option("2027-2", "das"), option("2027-1")])
    assert [entry.half_year for entry in read] == ["2027-1", "2027-2", "2028-1"]


def test_half_year_has_only_one_option() -> None:
    assert messages([option("2027-1"), option("2027-1", "das")]) == [
        "Informe um só regime por semestre; repetido: 2027-1."
    ]


def test_half_year_before_the_first_is_refused() -> None:
    assert messages([option("2026-2")]) == ["A opção existe desde o semestre 2027-1; retire os anteriores."]


@pytest.mark.parametrize("half_year", ["2027", "2027-3", "2027-01", "1º/2027"])
def test_half_year_is_a_year_and_1_or_2(half_year: str) -> None:
    (message,) = messages([option(half_year)])
    assert message.startswith("Formato inválido: informe ano e semestre, por exemplo 2027-1")


@pytest.mark.parametrize(
    ("regime", "chosen", "is_refused"),
    [
        (TaxRegime.SIMPLES, "regular", False),
        (TaxRegime.SIMPLES, "mixed", True),
        (TaxRegime.SIMPLES_EXCESS, "regular", False),
        (TaxRegime.SIMPLES_EXCESS, "mixed", False),
        (TaxRegime.NORMAL, "regular", True),
        (TaxRegime.NORMAL, "das", False),
        (TaxRegime.MEI, "regular", True),
        (TaxRegime.MEI, "das", False),
        (None, "mixed", False),
    ],
)
def test_tax_regime_decides_which_options_are_allowed(
    regime: TaxRegime | None, chosen: str, is_refused: bool
) -> None:
    options = OPTIONS.validate_python([option("2027-1", chosen)])
    assert (problem_of_options(regime, options) is not None) is is_refused


def test_options_of_a_company_that_left_simples_are_ignored() -> None:
    fields = {name: value for name, value in COMPANY.items() if name not in ("certificate", "settings")}
    fields = {**fields, "ibsCbsRegime": [option("2027-1")]}
    fields.pop("environment", None)
    day = date(2027, 1, 1)
    informs = {
        regime: Company.model_validate({**fields, "taxRegime": regime}).informs_ibs_cbs(day)
        for regime in TaxRegime
    }
    assert informs == {
        TaxRegime.SIMPLES: True,
        TaxRegime.SIMPLES_EXCESS: True,
        TaxRegime.NORMAL: True,
        TaxRegime.MEI: False,
    }


class TestCompanyFile:
    def test_company_file_accepts_options(self) -> None:
        body = {**COMPANY, "taxRegime": "simples", "ibsCbsRegime": [option("2027-1")]}
        assert CompanyFile.model_validate(body).informs_ibs_cbs(date(2027, 6, 30))

    def test_options_of_another_tax_regime_are_refused_by_the_field(self) -> None:
        body = {**COMPANY, "taxRegime": "mei", "ibsCbsRegime": [option("2027-1")]}
        with pytest.raises(ValidationError) as refused:
            CompanyFile.model_validate(body)
        (message,) = [in_portuguese(error) for error in refused.value.errors()]
        assert message.startswith("ibsCbsRegime: Só empresas do Simples Nacional")
