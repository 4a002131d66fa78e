"""Hints for refusals of MDF-e: for all that carriers meet, each with a code of the table."""

import re
from collections import Counter
from importlib.resources import files

import pytest
from pydantic import BaseModel

from carimbo.fiscal.documents.mdfe.closing_by_key import ClosingByKeyRequest
from carimbo.fiscal.documents.mdfe.definition import MDFE
from carimbo.fiscal.documents.mdfe.events import MDFE_EVENTS
from carimbo.fiscal.documents.mdfe.hints import hint_for_rejection, hint_of, hints
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.tables.statuses import MDFE_STATUSES, REJECTIONS
from unit.fiscal.documents.mdfe.bodies import mdfe_key
from unit.fiscal.hinted_fields import exists, fields_in, not_one_sentence

KEY = mdfe_key(3)
PROTOCOL = "935260000000123"
BODIES: tuple[type[BaseModel], ...] = (
    MdfeRequest,
    ClosingByKeyRequest,
    *(event.request for event in MDFE_EVENTS),
)
OPEN = "Rejeicao: Existe MDF-e nao encerrado para esta placa, tipo de emitente e UF descarregamento"

# NFF and PAA, which we never write.
OF_OTHER_ISSUERS = {
    *("900", "901", "902", "903", "904", "959"),
    *("909", "910", "911", "912", "913", "914", "915", "916", "917"),
}
# Receipts, lots and distribution, and the query of open manifests by another company.
OF_OTHER_QUERIES = {"223", "248", "249", "287", "473", "489", "490", "491", "492", "493", "730"}


class TestTheHints:
    def test_every_hint_has_a_code_of_the_table(self) -> None:
        assert hints().keys() - set(MDFE_STATUSES) == set()

    def test_every_rejection_that_our_documents_can_meet_has_a_hint(self) -> None:
        rejections = {code for code, status in MDFE_STATUSES.items() if status.action in REJECTIONS}
        assert rejections - hints().keys() == OF_OTHER_ISSUERS | OF_OTHER_QUERIES

    def test_hints_are_sorted_by_their_codes_without_repetition(self) -> None:
        table = files("carimbo.fiscal.documents.mdfe").joinpath("hints.csv").read_text(encoding="utf-8")
        codes = [int(code) for code in re.findall(r"^(\d+),", table, re.MULTILINE)]
        assert codes == sorted(set(codes))
        assert len(codes) == len(hints())

    def test_hints_are_all_different(self) -> None:
        plain = Counter(re.sub(r"\W+", " ", hint.sentence).lower() for hint in hints().values())
        assert [sentence for sentence, times in plain.items() if times > 1] == []

    def test_hints_are_one_sentence_each(self) -> None:
        assert not_one_sentence(hint.sentence for hint in hints().values()) == []

    def test_fields_exist(self) -> None:
        fields = fields_in(hints())
        assert {field for field in fields if not exists(field, *BODIES)} == set()
        assert {"modal.ciots[].taxId", "company.stateRegistrations"} <= fields

    def test_definition_has_the_hints(self) -> None:
        assert MDFE.issuing.hint is hint_for_rejection


class TestARejection:
    @pytest.mark.parametrize(
        "brackets",
        [
            f"[chMDFe:{KEY}][nProt:{PROTOCOL}]",
            f"[chMDFe Não Encerrada:{KEY}][NroProtocolo:{PROTOCOL}]",
            f"[chMDFe Nao Encerrada: {KEY}] [nProt: {PROTOCOL} ]",
            f"[nroprotocolo:{PROTOCOL}][CHMDFE:{KEY.lower()}]",
        ],
    )
    @pytest.mark.parametrize("code", ["611", "662", "462", "686"])
    def test_hint_names_key_and_protocol_of_an_open_manifest(self, code: str, brackets: str) -> None:
        hint = hint_for_rejection(code, f"{OPEN} {brackets}")
        assert hint is not None
        plain = hint_of(code)
        assert plain is not None
        assert hint.sentence == f"{plain.removesuffix('.')} (chave {KEY}, protocolo {PROTOCOL})."

    @pytest.mark.parametrize("rest", ["", "[nProt:123]", "[dhAut:2026-11-24T08:30:00-03:00]"])
    def test_key_may_come_without_a_protocol(self, rest: str) -> None:
        hint = hint_for_rejection("539", f"Rejeicao: Duplicidade de MDF-e [chMDFe: {KEY}]{rest}")
        assert hint is not None
        assert hint.sentence.endswith(f"saiu com outra chave (chave {KEY}).")

    @pytest.mark.parametrize("tag", ["chCTe", "chNFe"])
    def test_key_of_a_document_of_the_cargo_is_named(self, tag: str) -> None:
        hint = hint_for_rejection("671", f"Rejeicao: CT-e inexistente [{tag}:{KEY}]")
        assert hint is not None
        assert hint.field == "documents[].cteAccessKeys[]"
        assert hint.sentence.endswith(f"(chave {KEY}).")

    @pytest.mark.parametrize(
        "message", [OPEN, f"{OPEN} [nProt:{PROTOCOL}]", f"{OPEN} [chMDFe:3526]", f"{OPEN} {KEY}"]
    )
    def test_message_without_a_key_has_the_plain_hint(self, message: str) -> None:
        hint = hint_for_rejection("611", message)
        assert hint is not None
        assert hint.sentence == hint_of("611")

    def test_unknown_code_has_no_hint(self) -> None:
        assert (hint_for_rejection("0", f"{OPEN} [chMDFe:{KEY}]"), hint_of("0")) == (None, None)
