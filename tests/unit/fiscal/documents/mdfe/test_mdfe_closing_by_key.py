"""Closing an MDF-e of another program by its key, and closing as the owner of the vehicle."""

from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.documents.mdfe.closing_by_key import CLOSING_BY_KEY
from carimbo.fiscal.documents.mdfe.events import ClosingRequest
from carimbo.fiscal.documents.mdfe.hints import hint_of
from carimbo.fiscal.filing import FilingResult
from carimbo.fiscal.identity.signature import Signer
from unit.fiscal.documents.cte.bodies import CARRIER_CNPJ, cte_key
from unit.fiscal.documents.mdfe.bodies import UNKNOWN_CITY, mdfe_key
from unit.fiscal.documents.mdfe.filed_events import (
    NOW,
    PROTOCOL,
    detail_of,
    event_of,
    issuer_of,
    places,
)
from unit.fiscal.goods.support import misformed

KEY, KEY_OF_ANOTHER = mdfe_key(3), mdfe_key(3, owner=CARRIER_CNPJ)
BODY: dict[str, Any] = {"accessKey": KEY, "protocol": PROTOCOL, "cityCode": "2927408"}


def closed(body: dict[str, Any], signer: Signer) -> FilingResult:
    return CLOSING_BY_KEY.issue(CLOSING_BY_KEY.request.model_validate(body), NOW, issuer_of(signer))


def test_own_manifest_is_closed_with_its_protocol(signer: Signer) -> None:
    spaced = " ".join(KEY[place : place + 4] for place in range(0, 44, 4))
    result = closed(BODY | {"accessKey": spaced, "closedAt": "2026-11-25"}, signer)
    assert detail_of(result) == [
        ("descEvento", "Encerramento"),
        ("nProt", PROTOCOL),
        ("dtEnc", "2026-11-25"),
        ("cUF", "29"),
        ("cMun", "2927408"),
    ]
    assert event_of(result).findtext(".//{*}chMDFe") == KEY


@pytest.mark.parametrize(("key", "mark"), [(KEY, []), (KEY_OF_ANOTHER, [("indEncPorTerceiro", "1")])])
def test_only_the_closing_of_another_issuer_is_by_a_third_party(
    key: str, mark: list[tuple[str, str]], signer: Signer
) -> None:
    result = closed(BODY | {"accessKey": key, "asThirdParty": True}, signer)
    assert detail_of(result)[5:] == mark
    assert event_of(result).findtext(".//{*}CNPJ") == issuer_of(signer).company.tax_id


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"accessKey": "123"}, ("236", "accessKey")),
        ({"accessKey": cte_key(3)}, ("236", "accessKey")),
        ({"accessKey": mdfe_key(3, month="2612")}, ("236", "accessKey")),
        ({"cityCode": UNKNOWN_CITY}, ("714", "cityCode")),
        ({"state": "SP"}, ("614", "state")),
        ({"closedAt": "2026-10-31"}, ("615", "closedAt")),
    ],
)
def test_closing_that_breaks_a_rule_is_refused(
    changes: dict[str, Any], problem: tuple[str, str], signer: Signer
) -> None:
    result = closed(BODY | changes, signer)
    assert places(result) == [problem]
    assert isinstance(result, tuple)
    assert result[0].hint == hint_of(problem[0]) is not None


def test_manifest_of_another_issuer_is_closed_only_as_a_third_party(signer: Signer) -> None:
    result = closed(BODY | {"accessKey": KEY_OF_ANOTHER}, signer)
    assert places(result) == [("632", "accessKey")]
    assert isinstance(result, tuple)
    assert "asThirdParty" in (result[0].hint or "")


@pytest.mark.parametrize("protocol", ["93526000000012", "9352600000001234", None])
def test_protocol_has_15_digits(protocol: str | None) -> None:
    with pytest.raises(ValidationError) as refused:
        CLOSING_BY_KEY.request.model_validate(BODY | {"protocol": protocol})
    assert set(misformed(refused.value)) == {"protocol"}


@pytest.mark.parametrize(
    "fields",
    [
        {"cityCode": "2927408"},
        {"cityCode": "2927408", "state": "BA", "closedAt": "2026-11-25"},
        {"cityCode": "2927408", "closedAt": "2026-11-25T10:00:00-03:00"},
    ],
)
def test_manifest_of_this_service_is_closed_by_its_usual_event(fields: dict[str, Any]) -> None:
    request = CLOSING_BY_KEY.request.model_validate(BODY | fields)
    assert CLOSING_BY_KEY.access_key(request) == KEY
    assert CLOSING_BY_KEY.own_closing(request) == ClosingRequest.model_validate(fields)
