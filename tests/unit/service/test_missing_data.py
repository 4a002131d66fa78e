"""Data that is missing to issue: who provides each, and how the message says it."""

from carimbo.fiscal.issuance import RESPONSIBLE_SETTINGS
from carimbo.fiscal.tables.ibs_cbs import ReformTax
from carimbo.fiscal.taxes.missing_rates import RATE_PLACES
from carimbo.service.missing_data import MissingKind, describe_missing, missing_datum


def test_data_of_the_operator_names_no_route_of_the_api() -> None:
    assert {missing_datum(name).kind for name in RESPONSIBLE_SETTINGS} == {MissingKind.INSTALLATION_SETTING}
    assert len(RATE_PLACES) == len(ReformTax)
    assert {missing_datum(name).kind for name in RATE_PLACES} == {MissingKind.TABLE_RATE}
    assert "/v1/" not in describe_missing([*RESPONSIBLE_SETTINGS, *RATE_PLACES])


def test_data_of_the_company_name_the_route_that_sets_them() -> None:
    assert describe_missing(["address", "nfce.csc"]) == (
        "o endereço (address, PUT /v1/companies/{companyId});"
        " o CSC (nfce.csc, PUT /v1/companies/{companyId}/settings)"
    )
