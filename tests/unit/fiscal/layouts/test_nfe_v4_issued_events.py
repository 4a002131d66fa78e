"""Events issued from their values: signed, or refused with all problems."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    Correction,
    Detail,
    InvoiceEvent,
    OperationConfirmed,
    OperationNotPerformed,
    OperationUnknown,
    issue_event,
)
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schemas
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.layouts.nfe_events import (
    CANCELLATION,
    CASES,
    KEY_WITH_LETTERS,
    NFCE_KEY,
    NOON,
    REASON,
    SUBSTITUTION,
    event_of,
)

HUGE = 1_000_000
OfReason = Callable[[str], Detail]
# The last one has no XSD.
WITH_REASON: list[OfReason] = [
    lambda reason: Cancellation(protocol="135260000000001", reason=reason),
    lambda reason: OperationUnknown(reason=reason),
    lambda reason: OperationNotPerformed(reason=reason),
    lambda reason: replace(SUBSTITUTION, reason=reason),
]


class TestIssuing:
    @pytest.mark.parametrize("detail", [*(detail for detail, _ in CASES), SUBSTITUTION])
    def test_each_valid_type_of_event_is_signed(
        self, detail: Detail, signer: Signer, schemas: Schemas
    ) -> None:
        event = event_of(detail)
        text = issue_event(event, signer, schemas)
        assert isinstance(text, bytes)
        assert text == signed_event(event, signer)
        assert verify(etree.fromstring(text)).reference_id == event.id

    @pytest.mark.parametrize("detail", [detail for detail, _ in CASES])
    def test_each_type_of_event_with_an_xsd_is_validated(
        self, detail: Detail, signer: Signer, schemas: Schemas
    ) -> None:
        (problem,) = self.problems(replace(event_of(detail), environment="3"), signer, schemas)
        assert (problem.code, problem.path) == ("225", "environment")

    def test_substitution_is_checked_without_an_xsd(self, signer: Signer, schemas: Schemas) -> None:
        wrong = event_of(replace(SUBSTITUTION, reason="Erro", protocol="1"), NFCE_KEY, sequence=0)
        problems = self.problems(wrong, signer, schemas)
        assert [problem.path for problem in problems] == ["sequence", "justification", "protocol"]

    @pytest.mark.parametrize("of_reason", WITH_REASON)
    @pytest.mark.parametrize(
        ("reason", "message"),
        [
            ("", "O campo está vazio."),
            (" \n" * 500_000, "O campo está vazio."),
            (
                "Erro de digitação 🙈",
                "O campo tem um caractere que o documento fiscal não aceita: “🙈” (U+1F648).",
            ),
            ("x" * 256, "O campo tem mais de 255 caracteres."),
            ("x" * HUGE, "O campo tem mais de 255 caracteres."),
        ],
        ids=["empty", "blank", "unwritable", "long", "huge"],
    )
    def test_reason_that_cannot_be_written_is_reported_at_its_field(
        self, of_reason: OfReason, reason: str, message: str, signer: Signer, schemas: Schemas
    ) -> None:
        (problem,) = self.problems(event_of(of_reason(reason)), signer, schemas)
        assert (problem.code, problem.path, problem.message) == ("225", "justification", message)

    @pytest.mark.parametrize("of_reason", WITH_REASON[:-1])
    @pytest.mark.parametrize("reason", ["Erro", "x" * 14, f"Erro{' ' * 20}"])
    def test_short_reason_is_reported_at_its_field(
        self, of_reason: OfReason, reason: str, signer: Signer, schemas: Schemas
    ) -> None:
        (problem,) = self.problems(event_of(of_reason(reason)), signer, schemas)
        assert (problem.code, problem.path) == ("225", "justification")
        assert problem.message == f"O tamanho é {len(reason.strip())}; o mínimo é 15."

    @pytest.mark.parametrize("of_reason", WITH_REASON)
    @pytest.mark.parametrize("length", [15, 255])
    def test_shortest_and_longest_reason_are_signed(
        self, of_reason: OfReason, length: int, signer: Signer, schemas: Schemas
    ) -> None:
        assert isinstance(issue_event(event_of(of_reason("x" * length)), signer, schemas), bytes)

    @pytest.mark.parametrize(
        "correction",
        ["", "Erro", "x" * 1001, "x" * HUGE, "Corrigir o pedido 🙈"],
        ids=["empty", "short", "long", "huge", "unwritable"],
    )
    def test_wrong_correction_is_reported_at_its_field(
        self, correction: str, signer: Signer, schemas: Schemas
    ) -> None:
        (problem,) = self.problems(event_of(Correction(correction=correction)), signer, schemas)
        assert (problem.code, problem.path) == ("225", "correction")

    @pytest.mark.parametrize("detail", [CASES[0][0], CASES[1][0]])
    @pytest.mark.parametrize("sequence", [-1, 0, 21, 99, 100, 10**30])
    def test_wrong_sequence_is_reported_at_its_field(
        self, detail: Detail, sequence: int, signer: Signer, schemas: Schemas
    ) -> None:
        (problem,) = self.problems(event_of(detail, sequence=sequence), signer, schemas)
        assert (problem.code, problem.path) == ("225", "sequence")

    @pytest.mark.parametrize("detail", [OperationConfirmed(), SUBSTITUTION])
    @pytest.mark.parametrize("sequence", [-1, 0, 100])
    def test_sequence_that_no_xsd_refuses_is_reported(
        self, detail: Detail, sequence: int, signer: Signer, schemas: Schemas
    ) -> None:
        problems = self.problems(event_of(detail, sequence=sequence), signer, schemas)
        assert problems == (Problem("225", "sequence", "A sequência vai de 1 a 99."),)

    @pytest.mark.parametrize(
        "protocol",
        ["", "1", "1" * 16, "1" * 18, "13526000000000A", "1" * HUGE],
        ids=["empty", "one digit", "16 digits", "18 digits", "letter", "huge"],
    )
    def test_wrong_protocol_is_reported_at_its_field(
        self, protocol: str, signer: Signer, schemas: Schemas
    ) -> None:
        event = event_of(Cancellation(protocol=protocol, reason=REASON))
        (problem,) = self.problems(event, signer, schemas)
        assert (problem.code, problem.path) == ("225", "protocol")
        assert len(problem.message) < 200

    def test_protocol_of_17_digits_is_signed(self, signer: Signer, schemas: Schemas) -> None:
        event = event_of(Cancellation(protocol="13526000000000123", reason=REASON))
        assert isinstance(issue_event(event, signer, schemas), bytes)

    def test_letters_in_the_cnpj_are_accepted(self, signer: Signer, schemas: Schemas) -> None:
        for detail, _ in CASES:
            event = event_of(detail, KEY_WITH_LETTERS, OTHER_CNPJ)
            assert isinstance(issue_event(event, signer, schemas), bytes)

    @pytest.mark.parametrize("tax_id", ["", "1", "12abc34501de35", f"{CNPJ}0"])
    def test_wrong_cnpj_is_reported_at_its_field(self, tax_id: str, signer: Signer, schemas: Schemas) -> None:
        (problem,) = self.problems(event_of(CANCELLATION, tax_id=tax_id), signer, schemas)
        assert problem.path == "taxId"

    def test_moment_without_offset_is_reported_at_its_field(self, signer: Signer, schemas: Schemas) -> None:
        event = replace(event_of(CANCELLATION), occurred_at=NOON.replace(tzinfo=None))
        (problem,) = self.problems(event, signer, schemas)
        assert problem.path == "occurredAt"

    @pytest.mark.parametrize(
        ("protocol", "reason", "sequence", "paths"),
        [
            ("1", "Erro", 0, ["sequence", "protocol", "justification"]),
            ("", "", 1, ["protocol", "justification"]),
        ],
    )
    def test_all_problems_are_reported(
        self, protocol: str, reason: str, sequence: int, paths: list[str], signer: Signer, schemas: Schemas
    ) -> None:
        event = event_of(Cancellation(protocol=protocol, reason=reason), sequence=sequence)
        assert [problem.path for problem in self.problems(event, signer, schemas)] == paths

    @given(reason=st.text(max_size=40), sequence=st.integers())
    def test_issuing_an_event_never_raises(
        self, reason: str, sequence: int, signer: Signer, schemas: Schemas
    ) -> None:
        event = event_of(Cancellation(protocol="135260000000001", reason=reason), sequence=sequence)
        result = issue_event(event, signer, schemas)
        assert isinstance(result, bytes) or {problem.path for problem in result} <= {
            "sequence",
            "justification",
        }

    def problems(self, event: InvoiceEvent, signer: Signer, schemas: Schemas) -> tuple[Problem, ...]:
        result = issue_event(event, signer, schemas)
        assert isinstance(result, tuple)
        return result
