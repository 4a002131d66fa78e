"""Company fields that NF-e and NFC-e require on a given day."""

from datetime import date

import pytest

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.registry import DOCUMENT_TYPES
from unit.fiscal.documents.nfse_support import provider
from unit.fiscal.goods.support import SOFTWARE


@pytest.mark.parametrize(
    "document_type", [document for document in DOCUMENT_TYPES if document.name in ("nfe", "nfce")]
)
def test_pis_cofins_regime_is_required_until_the_contributions_end(document_type: DocumentType) -> None:
    company = provider("normal", pisCofinsRegime=None)
    assert document_type.requirements.rules
    assert document_type.requirements.rules(company, SOFTWARE, date(2026, 12, 31)) == ("pisCofinsRegime",)
    assert document_type.requirements.rules(company, SOFTWARE, date(2027, 1, 1)) == ()
