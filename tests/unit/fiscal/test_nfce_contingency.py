"""NFC-e that a point of sale issued offline: rebuilt from the printed key, or forwarded as it was signed."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.body.messages import json_path
from carimbo.fiscal.documents.nfce.contingency import offline_warnings, printed_emission
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.emission import Emission, EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_documents import SignedDocument
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.goods.support import (
    CPF,
    ISSUED_AT,
    NFCE_BODY,
    company,
    emission,
    issuance,
    issued_nfce,
    refused,
)


def key(**changes: Any) -> str:
    """Returns the key on the paper."""
    parts: dict[str, Any] = {
        "state_code": "35",
        "tax_id": CNPJ,
        "model": "65",
        "series": 2,
        "number": 10,
        "emission_type": "9",
        "numeric_code": "12345689",
    }
    return str(AccessKey.of_issue(ISSUED_AT, **parts | changes))


PRINTED: dict[str, Any] = {
    "issueMode": "offlineContingency",
    "accessKey": key(),
    "number": 10,
    "series": 2,
    "issuedAt": ISSUED_AT.isoformat(),
    "contingency": {"startedAt": "2026-11-14T09:00:00-03:00", "reason": "Sem conexão com a internet"},
}

PAPER = ["accessKey", "number", "series", "issuedAt", "contingency"]


def printed(**changes: Any) -> Emission | tuple[Problem, ...] | None:
    request = NfceRequest.model_validate(NFCE_BODY | PRINTED | changes)
    return printed_emission(request, company(), Environment.HOMOLOGATION)


def emission_of(**changes: Any) -> Emission:
    result = printed(**changes)
    assert isinstance(result, Emission), result
    return result


def receipt(signer: Signer, **changes: Any) -> SignedDocument:
    """Returns a receipt that was rebuilt from its paper."""
    document = issued_nfce(signer, under=emission_of(), **PRINTED | changes)
    assert isinstance(document, SignedDocument), document
    return document


class TestPrintedEmission:
    def test_receipt_issued_now_has_no_printed_emission(self) -> None:
        request = NfceRequest.model_validate(NFCE_BODY)
        assert printed_emission(request, company(), Environment.HOMOLOGATION) is None

    @pytest.mark.parametrize(
        ("name", "value"), [*((name, PRINTED[name]) for name in PAPER), ("signedXml", "<NFe/>")]
    )
    def test_each_printed_field_is_refused_for_a_receipt_issued_now(self, name: str, value: Any) -> None:
        request = NfceRequest.model_validate(NFCE_BODY | {name: value})
        (problem,) = printed_emission(request, company(), Environment.HOMOLOGATION)  # type: ignore[misc]
        assert (problem.code, problem.path) == ("225", name)
        assert problem.message == "Só se usa quando issueMode é offlineContingency."

    def test_all_printed_fields_are_refused_for_a_receipt_issued_now(self) -> None:
        assert list(refused(printed(issueMode="normal", series=0, signedXml="<a/>"))) == [*PAPER, "signedXml"]

    def test_printed_emission_has_the_environment_of_the_request(self) -> None:
        request = NfceRequest.model_validate(NFCE_BODY | PRINTED)
        result = printed_emission(request, company(), Environment.PRODUCTION)
        assert isinstance(result, Emission)
        assert result.environment is Environment.PRODUCTION

    def test_printed_emission_has_the_fields_of_the_paper(self) -> None:
        emission = emission_of()
        assert (emission.series, emission.number, emission.numeric_code) == (2, 10, "12345689")
        assert (emission.type, emission.issued_at) == (EmissionType.OFFLINE, ISSUED_AT)
        assert emission.contingency
        assert emission.contingency.reason == "Sem conexão com a internet"

    def test_missing_printed_fields_are_reported_with_all_other_errors(self) -> None:
        with pytest.raises(ValidationError) as invalid:
            NfceRequest.model_validate({"issueMode": "offlineContingency", "contingency": {}})
        fields = {json_path(error["loc"]) for error in invalid.value.errors()}
        assert fields == {
            "items", "paymentMethod", "accessKey", "number", "series", "issuedAt",
            "contingency.startedAt", "contingency.reason",
        }  # fmt: skip

    def test_times_without_an_offset_are_by_the_clock_of_the_company(self) -> None:
        local = emission_of(issuedAt=PRINTED["issuedAt"][:19])
        assert local == emission_of()

    def test_key_may_be_in_groups_of_four(self) -> None:
        spaced = " ".join(key()[place : place + 4] for place in range(0, 44, 4))
        assert emission_of(accessKey=spaced).numeric_code == "12345689"

    def test_series_may_be_zero(self) -> None:
        assert emission_of(series=0, accessKey=key(series=0)).series == 0

    def test_key_with_a_wrong_check_digit_is_refused(self) -> None:
        wrong = key()[:-1] + str((int(key()[-1]) + 1) % 10)
        assert refused(printed(accessKey=wrong)) == {
            "accessKey": "O dígito verificador da chave de acesso não confere."
        }

    @pytest.mark.parametrize(
        ("changes", "path", "contradiction"),
        [
            ({"accessKey": key(model="55")}, "accessKey", "o modelo: 55 na chave, 65 aqui"),
            ({"accessKey": key(emission_type="1")}, "accessKey", "o tipo de emissão: 1 na chave, 9 aqui"),
            ({"accessKey": key(state_code="33")}, "accessKey", "a UF: 33 na chave, 35 aqui"),
            (
                {"accessKey": key(tax_id=OTHER_CNPJ)},
                "accessKey",
                f"o CNPJ: {OTHER_CNPJ} na chave, {CNPJ} aqui",
            ),
            ({"series": 1}, "series", "a série: 2 na chave, 1 aqui"),
            ({"number": 11}, "number", "o número: 10 na chave, 11 aqui"),
            (
                {"issuedAt": "2026-12-01T00:00:00-03:00"},
                "issuedAt",
                "o ano e o mês: 2611 na chave, 2612 aqui",
            ),
        ],
    )
    def test_contradiction_of_the_key_is_reported_at_the_field(
        self, changes: dict[str, Any], path: str, contradiction: str
    ) -> None:
        assert refused(printed(**changes)) == {path: f"A chave de acesso não confere com {contradiction}."}

    @pytest.mark.parametrize("code", ["00000000", "12345678", "00000010"])
    def test_key_with_a_trivial_numeric_code_is_refused(self, code: str) -> None:
        (problem,) = printed(accessKey=key(numeric_code=code))  # type: ignore[misc]
        assert (problem.code, problem.path) == ("897", "accessKey")
        assert problem.message == "O código numérico da chave (cNF) é trivial ou repete o número."

    def test_all_contradictions_are_reported_at_once(self) -> None:
        assert refused(printed(series=3, number=4)).keys() == {"series", "number"}

    def test_month_is_that_of_the_written_offset(self) -> None:
        late = "2026-11-30T23:30:00-03:00"
        assert emission_of(issuedAt=late).issued_at.isoformat() == late

    def test_times_in_utc_are_written_in_the_time_of_the_state(self) -> None:
        contingency = PRINTED["contingency"] | {"startedAt": "2026-12-01T01:00:00Z"}
        emission = emission_of(issuedAt="2026-12-01T02:30:00Z", contingency=contingency)
        assert emission.issued_at.isoformat() == "2026-11-30T23:30:00-03:00"
        assert emission.contingency
        assert emission.contingency.started_at.isoformat() == "2026-11-30T22:00:00-03:00"

    def test_printed_time_zone_is_kept(self) -> None:
        in_noronha = "2026-11-14T11:00:00-02:00"
        assert emission_of(issuedAt=in_noronha).issued_at.isoformat() == in_noronha

    def test_fractions_of_a_second_are_removed(self) -> None:
        assert emission_of(issuedAt="2026-11-14T10:00:00.987-03:00").issued_at == ISSUED_AT

    @pytest.mark.parametrize("moment", ["1926-11-14T10:00:00-03:00", "2026-11-14T10:00:00-03:30"])
    def test_moments_that_no_document_can_have_are_refused(self, moment: str) -> None:
        contingency = PRINTED["contingency"] | {"startedAt": moment}
        problems = refused(printed(issuedAt=moment, contingency=contingency))
        assert problems.keys() == {"issuedAt", "contingency.startedAt"}


class TestWarnings:
    def warnings(self, now: str, under: Emission | None = None, **changes: Any) -> tuple[str, ...]:
        request = NfceRequest.model_validate(NFCE_BODY | PRINTED | changes)
        context = issuance(Signer.throwaway(), NfceSettings(), under=under or emission_of())
        return offline_warnings(request, replace(context, now=datetime.fromisoformat(now)))

    def test_warning_says_that_the_printed_qr_code_may_differ_and_what_to_do(self) -> None:
        (warning,) = self.warnings("2026-11-14T11:00:00-03:00")
        assert warning.startswith("signedXml: ")
        assert "o QR Code impresso pode não conferir" in warning
        assert "XML que o ponto de venda assinou" in warning

    def test_signed_xml_has_no_warning_about_the_qr_code(self) -> None:
        assert self.warnings("2026-11-14T11:00:00-03:00", signedXml="<NFe/>") == ()

    def test_receipt_issued_now_has_no_warning(self) -> None:
        assert self.warnings("2026-12-14T11:00:00-03:00", under=emission()) == ()

    def test_deadline_is_not_warned_of_until_it_ends(self) -> None:
        # A Saturday, and a national holiday on the next day.
        assert self.warnings("2026-11-16T23:59:59-03:00", signedXml="<NFe/>") == ()

    def test_missed_deadline_is_warned_of_with_its_consequences(self) -> None:
        assert self.warnings("2026-11-17T00:00:00-03:00", signedXml="<NFe/>") == (
            "issuedAt: O prazo de transmissão terminou em 16/11/2026, e a autoridade pode autorizar a nota"
            " com atraso (150) ou recusá-la (704).",
        )


class TestRebuiltReceipt:
    def test_rebuilt_receipt_has_the_printed_key(self, signer: Signer) -> None:
        assert receipt(signer).access_key == key()

    def test_rebuilt_receipt_has_start_and_reason_of_the_contingency(self, signer: Signer) -> None:
        text = receipt(signer).xml.decode()
        assert "<tpEmis>9</tpEmis>" in text
        assert "<dhCont>2026-11-14T09:00:00-03:00</dhCont><xJust>Sem conexão com a internet</xJust>" in text

    def test_rebuilt_receipt_has_the_offline_qr_code_of_version_2(self, signer: Signer) -> None:
        document = receipt(signer)
        digest = document.digest_value.encode().hex()
        assert f"?p={key()}|2|2|14|71.80|{digest}|1|" in document.xml.decode()

    def test_rebuilt_receipt_has_the_signed_qr_code_of_version_3(self, signer: Signer) -> None:
        document = receipt(signer, settings={"qrVersion": 3}, recipient={"taxId": CPF})
        signed = f"{key()}|3|2|14|71.80|2|{CPF}"
        assert f"?p={signed}|{signer.sign_text(signed)}</qrCode>" in document.xml.decode()


class TestSignedXml:
    def test_signed_xml_is_forwarded_without_a_byte_changed(self, signer: Signer) -> None:
        original = receipt(signer)
        forwarded = issued_nfce(signer, under=emission_of(), signedXml=original.xml.decode(), **PRINTED)
        assert forwarded == original

    def test_declaration_and_white_space_around_signed_xml_are_removed(self, signer: Signer) -> None:
        original = receipt(signer)
        sent = f'<?xml version="1.0" encoding="UTF-8"?>\n{original.xml.decode()}\n'
        assert issued_nfce(signer, under=emission_of(), signedXml=sent, **PRINTED) == original

    def test_signed_xml_is_not_changed_by_the_body_beside_it(self, signer: Signer) -> None:
        original = receipt(signer)
        other = [{"description": "Outra coisa", "quantity": 1, "unitValue": 1}]
        assert issued_nfce(
            signer, under=emission_of(), signedXml=original.xml.decode(), **PRINTED | {"items": other}
        ) == (original)

    @pytest.mark.parametrize(
        "change",
        [("71.80", "71.81"), ("Loja Modelo", "Loja Outra"), ("<tpEmis>9<", "<tpEmis>1<"), ("</NFe>", "")],
    )
    def test_changed_signed_xml_is_refused(self, signer: Signer, change: tuple[str, str]) -> None:
        tampered = receipt(signer).xml.decode().replace(*change)
        problems = issued_nfce(signer, under=emission_of(), signedXml=tampered, **PRINTED)
        assert refused(problems).keys() == {"signedXml"}

    def test_signed_xml_with_an_endless_attribute_is_refused(self, signer: Signer) -> None:
        text = receipt(signer, observations=[{"name": "pedido", "value": "9"}]).xml.decode()
        endless = text.replace('xCampo="pedido"', f'xCampo="{"x" * 100_000}"')
        problems = issued_nfce(signer, under=emission_of(), signedXml=endless, **PRINTED)
        assert refused(problems).keys() == {"signedXml"}

    def test_signed_xml_of_another_number_is_refused_at_the_fields_that_differ(self, signer: Signer) -> None:
        text = receipt(signer).xml.decode()
        other = PRINTED | {"number": 11, "accessKey": key(number=11)}
        problems = issued_nfce(
            signer, under=emission_of(number=11, accessKey=key(number=11)), signedXml=text, **other
        )
        assert refused(problems).keys() == {"accessKey", "number"}

    def test_signed_xml_that_was_not_issued_offline_is_refused(self, signer: Signer) -> None:
        online = issued_nfce(signer)
        assert isinstance(online, SignedDocument)
        problems = issued_nfce(signer, under=emission(), signedXml=online.xml.decode())
        assert refused(problems).keys() == {"signedXml"}

    @pytest.mark.parametrize(
        "xml", ["x", "<a/>", "<!DOCTYPE a []><a/>", '<NFe xmlns="urn:x"/>', "🎉", "\x00"]
    )
    def test_signed_xml_that_is_no_receipt_is_refused(self, signer: Signer, xml: str) -> None:
        problems = issued_nfce(signer, under=emission_of(), signedXml=xml, **PRINTED)
        assert refused(problems).keys() == {"signedXml"}
