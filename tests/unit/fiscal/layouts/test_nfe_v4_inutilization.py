"""Ranges of numbers to be voided: written, signed, read back and validated with the official XSD."""

from dataclasses import replace

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.json_form import unwritable_values
from carimbo.fiscal.layouts.nfe_v4.inutilization import (
    InutilizationRange,
    issue_inutilization,
    read_inutilization_request,
    signed_inutilization,
)
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.layouts.nfe_messages import NAMESPACE, REASON, range_of, signed_invoice_of
from xmlsec1 import xmlsec1_accepts


class TestInutilization:
    @pytest.mark.parametrize("cnpj", [CNPJ, OTHER_CNPJ])
    def test_signed_range_is_canonical_and_accepted_by_the_xsd(
        self, cnpj: str, signer: Signer, schemas: Schemas
    ) -> None:
        text = signed_inutilization(range_of(cnpj), signer)
        assert schemas.problems(Schema.NFE_INUTILIZATION, etree.fromstring(text), InutilizationRange) == ()
        assert etree.tostring(etree.fromstring(text), method="c14n") == text

    def test_signed_range_is_written_as_in_the_manual(self, signer: Signer) -> None:
        assert (
            signed_inutilization(range_of(), signer)
            .decode()
            .startswith(
                f'<inutNFe xmlns="{NAMESPACE}" versao="4.00">'
                '<infInut Id="ID35261122233300018155001000000010000000012">'
                "<tpAmb>2</tpAmb><xServ>INUTILIZAR</xServ><cUF>35</cUF><ano>26</ano><CNPJ>11222333000181</CNPJ>"
                "<mod>55</mod><serie>1</serie><nNFIni>10</nNFIni><nNFFin>12</nNFFin>"
                f"<xJust>{REASON}</xJust></infInut><Signature "
            )
        )

    def test_signature_of_a_range_verifies(self, signer: Signer) -> None:
        text = signed_inutilization(range_of(), signer)
        assert verify(etree.fromstring(text)).reference_id == range_of().id
        assert xmlsec1_accepts(text, "infInut")

    def test_reason_that_cannot_be_written_is_reported_at_its_field(self, signer: Signer) -> None:
        wrong = range_of(reason="Numeração pulada \x1b")
        assert [problem.path for problem in unwritable_values(wrong)] == ["justification"]
        with pytest.raises(Unwritable):
            signed_inutilization(wrong, signer)

    def test_wrong_range_is_reported_by_the_xsd_at_its_field(self, signer: Signer, schemas: Schemas) -> None:
        text = signed_inutilization(range_of(), signer).replace(b"<nNFFin>12<", b"<nNFFin>0<")
        problems = schemas.problems(Schema.NFE_INUTILIZATION, etree.fromstring(text), InutilizationRange)
        assert [problem.path for problem in problems] == ["numberEnd"]


class TestReadingAnInutilization:
    @pytest.mark.parametrize(
        "number_range",
        [
            range_of(),
            range_of(OTHER_CNPJ),
            range_of(reason="Números <10> & 12 pulados por falha"),
            replace(range_of(), series=0, first_number=1, last_number=999_999_999, year="06", model="65"),
        ],
    )
    def test_range_is_read_from_the_signed_request(
        self, number_range: InutilizationRange, signer: Signer
    ) -> None:
        assert read_inutilization_request(signed_inutilization(number_range, signer)) == number_range

    def test_reading_a_range_from_another_document_raises(self, signer: Signer) -> None:
        with pytest.raises(LookupError):
            read_inutilization_request(signed_invoice_of(signer))


class TestIssuingAnInutilization:
    @pytest.mark.parametrize(
        "number_range",
        [
            range_of(),
            range_of(OTHER_CNPJ),
            range_of(reason="x" * 15),
            range_of(reason="x" * 255),
            replace(range_of(), model="65"),
            replace(range_of(), series=0),
            replace(range_of(), series=999),
            replace(range_of(), last_number=10),
            replace(range_of(), first_number=1, last_number=999_999_999),
        ],
    )
    def test_valid_range_is_signed(
        self, number_range: InutilizationRange, signer: Signer, schemas: Schemas
    ) -> None:
        text = issue_inutilization(number_range, signer, schemas)
        assert isinstance(text, bytes)
        assert text == signed_inutilization(number_range, signer)
        assert verify(etree.fromstring(text)).reference_id == number_range.id

    @pytest.mark.parametrize(
        ("reason", "message"),
        [
            ("Erro", "O tamanho é 4; o mínimo é 15."),
            ("x" * 14, "O tamanho é 14; o mínimo é 15."),
            (f"  Erro{' ' * 20}", "O tamanho é 4; o mínimo é 15."),
            ("", "O campo está vazio."),
            (
                "Numeração pulada 🙈",
                "O campo tem um caractere que o documento fiscal não aceita: “🙈” (U+1F648).",
            ),
            ("x" * 256, "O campo tem mais de 255 caracteres."),
            ("x" * 10_000_000, "O campo tem mais de 255 caracteres."),
        ],
    )
    def test_wrong_reason_is_reported_at_its_field(
        self, reason: str, message: str, signer: Signer, schemas: Schemas
    ) -> None:
        (problem,) = self.problems(range_of(reason=reason), signer, schemas)
        assert (problem.code, problem.path, problem.message) == ("225", "justification", message)

    def test_reversed_range_is_reported_at_its_last_number(self, signer: Signer, schemas: Schemas) -> None:
        problems = self.problems(replace(range_of(), last_number=9), signer, schemas)
        assert problems == (Problem("224", "numberEnd", "O número final é menor do que o inicial."),)

    @pytest.mark.parametrize(
        ("wrong", "path"),
        [
            (replace(range_of(), series=1000), "series"),
            (replace(range_of(), series=-1), "series"),
            (replace(range_of(), first_number=-5), "numberStart"),
            (replace(range_of(), last_number=1_000_000_000), "numberEnd"),
            (range_of(CNPJ[:-1]), "taxId"),
        ],
    )
    def test_parts_that_make_no_id_are_reported_at_their_field(
        self, wrong: InutilizationRange, path: str, signer: Signer, schemas: Schemas
    ) -> None:
        (problem,) = self.problems(wrong, signer, schemas)
        assert (problem.code, problem.path) == ("225", path)

    @pytest.mark.parametrize(
        ("wrong", "paths"),
        [
            (replace(range_of(), first_number=0), ["numberStart"]),
            (replace(range_of(), first_number=0, last_number=0), ["numberStart", "numberEnd"]),
            (replace(range_of(), model="57"), ["model"]),
            (replace(range_of(), state_code="99"), ["stateCode"]),
            (replace(range_of(), environment="3"), ["environment"]),
            (replace(range_of(), year="2026"), ["year"]),
            (range_of(f"{CNPJ}0"), ["taxId"]),
            (range_of(OTHER_CNPJ, "Erro"), ["justification"]),
            (replace(range_of(reason="Erro"), model="57"), ["model", "justification"]),
            (replace(range_of(reason=""), year="2026"), ["year", "justification"]),
        ],
    )
    def test_all_problems_are_reported_at_their_fields(
        self, wrong: InutilizationRange, paths: list[str], signer: Signer, schemas: Schemas
    ) -> None:
        assert [problem.path for problem in self.problems(wrong, signer, schemas)] == paths

    def test_wrong_parts_whose_lengths_cancel_out_in_the_id_are_reported(
        self, signer: Signer, schemas: Schemas
    ) -> None:
        wrong = replace(range_of(CNPJ[:-1]), series=1000)
        assert [problem.path for problem in self.problems(wrong, signer, schemas)] == ["series"]

    def problems(self, wrong: InutilizationRange, signer: Signer, schemas: Schemas) -> tuple[Problem, ...]:
        problems = issue_inutilization(wrong, signer, schemas)
        assert isinstance(problems, tuple)
        return problems
