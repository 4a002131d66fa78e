"""Fields that only a newer schema package has are refused by name."""

from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.service.errors import invalid_body
from unit.fiscal.goods.support import ITEM, NFCE_BODY, NFE_BODY


def errors_of(body_type: type[Any], body: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(ValidationError) as wrong:
        body_type.model_validate(body)
    details = invalid_body(wrong.value, body_type).details or {}
    return {field["field"]: field["error"] for field in details["fields"]}


@pytest.mark.parametrize(("body_type", "body"), [(NfeRequest, NFE_BODY), (NfceRequest, NFCE_BODY)])
def test_links_to_payments_are_refused_with_their_technical_note(body_type: Any, body: Any) -> None:
    assert errors_of(body_type, body | {"paymentLinks": [{"id": "1"}]}) == {
        "paymentLinks": (
            "Este é o grupo gPgtoVinc, da NT 2026.006, que o pacote de esquemas em uso (PL_010f) ainda"
            " não tem. O campo não tem outro erro: envie a nota sem ele."
        )
    }


def test_the_expected_icms_is_refused_with_its_technical_note() -> None:
    body = NFE_BODY | {"items": [ITEM | {"icms": {"expectedAmount": 18}}]}
    [(path, message)] = errors_of(NfeRequest, body).items()
    assert path == "items[0].icms.expectedAmount"
    assert "ICMSPrevistoPagtoAntecip, da NT 2026.008" in message
    assert "PL_010f" in message


def test_field_name_is_special_only_in_its_own_object() -> None:
    assert errors_of(NfeRequest, NFE_BODY | {"expectedAmount": 18}) == {
        "expectedAmount": "Campo desconhecido."
    }
