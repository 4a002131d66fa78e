"""The operator's reason for contingency: an accepted reason can be written into documents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.layouts.canonical import normalize, text
from carimbo.service.company_status.contingency import written_reason
from carimbo.service.errors import ErrorCode, Refusal

GOOD = "Autorizador da UF com lentidão extrema"


class TestReason:
    @pytest.mark.parametrize(
        ("given", "written"),
        [
            (GOOD, GOOD),
            ("Autorizador “SP” – fora do ar…", 'Autorizador "SP" - fora do ar...'),
            ("Lentida\u0303o extrema em SP", "Lentidão extrema em SP"),
            ("SP & RS < lentos > demais", "SP & RS < lentos > demais"),
            (256 * "x", 256 * "x"),
            (85 * "…" + "x", 255 * "." + "x"),
        ],
    )
    def test_reason_is_stored_as_documents_write_it(self, given: str, written: str) -> None:
        assert written_reason(given) == written

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            (f"{GOOD} ⚠", "caractere que o documento fiscal não aceita"),
            (86 * "…", "mais de 256 caracteres"),
            (14 * "e\u0301", "pelo menos 15 caracteres"),
            (20 * "\u200b", "caractere que o documento fiscal não aceita"),
        ],
    )
    def test_reason_that_no_document_can_hold_is_refused(self, given: str, words: str) -> None:
        with pytest.raises(Refusal) as refused:
            written_reason(given)
        assert refused.value.code is ErrorCode.VALIDATION_ERROR
        assert refused.value.details
        (field,) = refused.value.details["fields"]
        assert field["field"] == "reason"
        assert words in field["error"]

    @given(st.text(min_size=15, max_size=300) | st.text("aé …–&\u0301⚠", min_size=15, max_size=300))
    def test_reason_is_refused_or_can_be_written(self, anything: str) -> None:
        try:
            reason = written_reason(anything)
        except Refusal:
            return
        assert 15 <= len(reason) <= 256
        assert text(reason, 256)
        assert normalize(reason) == reason
