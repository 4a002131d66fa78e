"""What NF-e and NFC-e need of a company, by the day."""

from datetime import date

import pytest

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.registry import DOCUMENT_TYPES
from unit.fiscal.documents.nfse_support import provider
from unit.fiscal.goods.support import SOFTWARE


@pytest.mark.parametrize("kind", [one for one in DOCUMENT_TYPES if one.name in ("nfe", "nfce")])
def test_regime_of_pis_and_cofins_is_needed_until_they_end(kind: DocumentType) -> None:
    company = provider("normal", pisCofinsRegime=None)
    assert kind.requirements.rules
    assert kind.requirements.rules(company, SOFTWARE, date(2026, 12, 31)) == ("pisCofinsRegime",)
    assert kind.requirements.rules(company, SOFTWARE, date(2027, 1, 1)) == ()
