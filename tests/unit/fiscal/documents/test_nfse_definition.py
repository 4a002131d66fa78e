"""The NFS-e as a document type, and the files that are stored for it."""

import pytest

from carimbo.fiscal.document_type import NumberingRules
from carimbo.fiscal.documents.nfse.definition import NFSE
from carimbo.fiscal.documents.nfse.events import registered_event
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.xml import authorized_note, identity_of_declaration
from unit.fiscal.documents.nfse_support import SAO_PAULO_CODE, SIMPLES, request_of

DOCUMENT_ID = "0b7c3f3e-9d2a-4f0e-8a51-2f6f3f9f1c11"


class TestFiles:
    def test_stored_files_are_those_that_the_authority_wrote(self) -> None:
        assert authorized_note(b"<DPS/>", b"<NFSe/>") == b"<NFSe/>"
        assert registered_event(b"<pedRegEvento/>", b"<evento/>") == b"<evento/>"

    def test_declaration_without_an_id_raises_lookup_error(self) -> None:
        with pytest.raises(LookupError):
            identity_of_declaration(b"<DPS/>")


class TestTypeOfDocument:
    def test_nfse_is_numbered_by_the_authority(self) -> None:
        assert NFSE.numbering == NumberingRules(999_999_999_999_999, is_by_authority=True, taken_code="E0014")

    @pytest.mark.parametrize("series", [0, 50_000])
    def test_series_reserved_by_the_authority_are_refused(self, series: int) -> None:
        assert NfseSettings().series == 1
        with pytest.raises(ValueError, match="series"):
            NfseSettings.model_validate({"series": series})

    def test_replaced_document_is_read_from_the_request(self) -> None:
        replacement = NFSE.replacement
        assert replacement
        assert replacement.replaced_id(request_of()) is None
        assert str(replacement.replaced_id(request_of(replaces={"documentId": DOCUMENT_ID}))) == DOCUMENT_ID

    def test_nfse_has_a_jurisdiction_and_a_direct_sale_but_no_lines(self) -> None:
        municipal, sale = NFSE.municipal, NFSE.direct_sale
        assert municipal
        assert municipal.jurisdiction(request_of(), SIMPLES, NfseSettings()).cities == (SAO_PAULO_CODE,)
        assert sale
        assert sale(request_of(), SIMPLES).price == 150
        assert NFSE.issuing.lines is None
