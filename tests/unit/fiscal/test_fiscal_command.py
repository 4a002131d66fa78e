"""`python -m carimbo.fiscal`: a signed document on standard output, or the problems in Portuguese."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.__main__ import main
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.signature import verify
from support import CNPJ, OTHER_CNPJ, REFORM
from unit.fiscal.desk import FAR_AWAY, LONG_AGO, PASSWORD, Captured, Desk, refusal, run
from unit.fiscal.goods.support import NFCE_BODY, NFE_BODY, SAO_PAULO, SOLD_IN_THE_SHOP, item

CUIABA = {**SAO_PAULO, "zipcode": "78005-000", "city": "Cuiabá", "state": "MT"}

# With these, nothing is assumed that the command would warn of.
SHOP_DEFAULTS = SOLD_IN_THE_SHOP | {"approximateTaxRates": {"federal": 13.45}}


def started(desk: Desk) -> subprocess.CompletedProcess[bytes]:
    """Runs the command in a process of its own."""
    command = [sys.executable, "-m", "carimbo.fiscal", *desk.arguments()]
    return subprocess.run(command, capture_output=True, check=False, timeout=60)


class TestAsProgram:
    def test_prints_a_signed_document(self, desk: Desk) -> None:
        desk.company(defaults=SHOP_DEFAULTS)
        program = started(desk)
        assert (program.returncode, program.stderr) == (0, b"")
        verify(etree.fromstring(program.stdout))

    def test_prints_problems_on_standard_error(self, desk: Desk) -> None:
        desk.request("nfe", NFE_BODY | {"nature": "Venda 🎉"})
        program = started(desk)
        assert (program.returncode, program.stdout) == (1, b"")
        assert program.stderr.decode() == (
            "nature: O campo tem um caractere que o documento fiscal não aceita: “🎉” (U+1F389). [225]\n"
        )


class TestGoodInput:
    @pytest.mark.parametrize("kind", ["nfe", "nfce"])
    def test_makes_a_signed_document_without_warnings(self, desk: Desk, capsys: Captured, kind: str) -> None:
        desk.company(defaults=SHOP_DEFAULTS)
        assert run(desk.arguments(kind)) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        verify(etree.fromstring(printed.out.encode()))

    def test_has_the_number_and_code_that_are_asked_for(self, desk: Desk, capsys: Captured) -> None:
        assert run(desk.arguments("nfe", "--number", "77", "--numeric-code", "12345682")) == 0
        said = capsys.readouterr().out
        assert "<nNF>77</nNF>" in said and "<cNF>12345682</cNF>" in said

    def test_has_the_numbering_of_the_companys_settings(self, desk: Desk, capsys: Captured) -> None:
        desk.company(settings={"nfe": {"series": 5, "number": 1234}})
        assert run(desk.arguments()) == 0
        said = capsys.readouterr().out
        assert "<serie>5</serie>" in said and "<nNF>1234</nNF>" in said

    def test_has_the_issue_date_of_the_request(self, desk: Desk, capsys: Captured) -> None:
        desk.request("nfe", NFE_BODY | {"issueDate": "2026-11-14T10:00:00-03:00"})
        assert run(desk.arguments()) == 0
        assert "<dhEmi>2026-11-14T10:00:00-03:00</dhEmi>" in capsys.readouterr().out

    def test_has_the_issue_date_by_the_clock_of_the_state(self, desk: Desk, capsys: Captured) -> None:
        desk.request("nfe", NFE_BODY | {"issueDate": "2026-11-01T02:30:00.5+00:00"})
        assert run(desk.arguments()) == 0
        said = capsys.readouterr().out
        assert "<dhEmi>2026-10-31T23:30:00-03:00</dhEmi>" in said
        assert f'Id="NFe352610{CNPJ}' in said

    @pytest.mark.parametrize(("address", "offset"), [(SAO_PAULO, "-03:00"), (CUIABA, "-04:00")])
    def test_has_the_moment_of_the_state_when_none_is_asked_for(
        self, desk: Desk, capsys: Captured, address: dict[str, str], offset: str
    ) -> None:
        desk.company(address=address, stateRegistrations=[])
        assert run(desk.arguments()) == 0
        told = etree.fromstring(capsys.readouterr().out.encode()).findtext(f".//{{{NAMESPACE}}}dhEmi")
        assert told
        assert told.endswith(offset)

    @pytest.mark.parametrize(
        ("companys", "own", "code"),
        [
            ("homologation", "production", "1"),
            ("production", "homologation", "2"),
            ("production", "test", "2"),
            ("production", None, "1"),
        ],
    )
    def test_is_of_the_environment_of_its_module(
        self, desk: Desk, capsys: Captured, companys: str, own: str | None, code: str
    ) -> None:
        settings = {"environment": own, "qrVersion": 3} if own else {"qrVersion": 3}
        desk.company(environment=companys, settings={"nfce": settings})
        assert run(desk.arguments("nfce")) == 0
        assert f"<tpAmb>{code}</tpAmb>" in capsys.readouterr().out

    def test_may_be_signed_by_another_establishment(self, desk: Desk, capsys: Captured) -> None:
        desk.company(taxId="11222333000262")
        assert run(desk.arguments()) == 0
        assert "<CNPJ>11222333000262</CNPJ>" in capsys.readouterr().out

    def test_keeps_numbers_exact(self, desk: Desk, capsys: Captured) -> None:
        text = json.dumps(NFE_BODY | {"items": [item(unitValue=0)]}).replace(
            '"unitValue": 0', '"unitValue": 12345678901.0123456789'
        )
        desk.write_text("nfe/request.json", text)
        assert run(desk.arguments()) == 0
        assert "<vUnCom>12345678901.0123456789</vUnCom>" in capsys.readouterr().out

    def test_may_name_the_type_apart_from_the_folder(self, desk: Desk, capsys: Captured) -> None:
        desk.request("pedidos", NFCE_BODY)
        assert run(desk.arguments("pedidos", "--type", "nfce")) == 0
        assert "<mod>65</mod>" in capsys.readouterr().out

    def test_may_be_of_a_company_with_letters_in_its_cnpj(
        self, desk: Desk, capsys: Captured, authority: SampleAuthority
    ) -> None:
        certificate = authority.issue_company(OTHER_CNPJ, "OUTRA LTDA", LONG_AGO, FAR_AWAY)
        (desk.folder / "company.pfx").write_bytes(certificate.to_pfx(PASSWORD))
        desk.company(taxId="12.ABC.345/01DE-35")
        assert run(desk.arguments()) == 0
        assert "<CNPJ>12ABC34501DE35</CNPJ>" in capsys.readouterr().out


class TestBadInput:
    def test_that_is_no_json_is_told(self, desk: Desk, capsys: Captured) -> None:
        desk.write_text("nfe/request.json", '{"items": [}')
        said = refusal(desk, capsys)
        assert said.startswith(f"{desk.folder / 'nfe' / 'request.json'}: ")
        assert "não é um JSON" in said

    def test_that_is_no_json_object_is_told(self, desk: Desk, capsys: Captured) -> None:
        desk.write_text("nfe/request.json", "[]")
        assert "Deve ser um objeto JSON." in refusal(desk, capsys)

    def test_that_is_no_text_or_nested_without_end_is_refused(self, desk: Desk, capsys: Captured) -> None:
        for content in (b'{"nature": "\xe3o"}', b"[" * 100_000, b'{"a":' * 100_000):
            (desk.folder / "nfe" / "request.json").write_bytes(content)
            assert "não é um JSON" in refusal(desk, capsys), content[:20]

    def test_with_an_unknown_field_is_told_at_the_field(self, desk: Desk, capsys: Captured) -> None:
        desk.request("nfe", NFE_BODY | {"natOp": "Venda"})
        assert refusal(desk, capsys) == "natOp: Campo desconhecido. [VALIDATION_ERROR]\n"

    def test_with_an_absurd_number_is_told_at_the_field(self, desk: Desk, capsys: Captured) -> None:
        text = json.dumps(NFE_BODY).replace('"unitValue": 35.9', '"unitValue": 1e400')
        desk.write_text("nfe/request.json", text)
        assert "items[0].unitValue: Deve ter no máximo 21 dígitos." in refusal(desk, capsys)

    def test_with_what_is_no_number_is_refused_at_the_field(self, desk: Desk, capsys: Captured) -> None:
        for number in ("NaN", "Infinity", "-Infinity"):
            text = json.dumps(NFE_BODY).replace('"unitValue": 35.9', f'"unitValue": {number}')
            desk.write_text("nfe/request.json", text)
            said = refusal(desk, capsys)
            assert "items[0].unitValue: Número pequeno ou grande demais." in said, number

    def test_that_lacks_a_tax_is_told_at_the_tax(self, desk: Desk, capsys: Captured) -> None:
        desk.request("nfe", NFE_BODY | {"items": [item(pis={"cst": "03", "quantity": 1, "amount": 1})]})
        said = refusal(desk, capsys)
        assert said.startswith("items[0].pis.unitRate: Obrigatório com CST 03 do PIS. Informe")

    def test_of_a_company_without_the_regime_that_a_tax_needs_is_told_at_the_company(
        self, desk: Desk, capsys: Captured
    ) -> None:
        desk.company(taxRegime="normal")
        desk.request("nfe", NFE_BODY | {"issueDate": "2026-11-14T10:00:00-03:00", "items": [item(**REFORM)]})
        said = refusal(desk, capsys)
        assert {line.partition(":")[0] for line in said.splitlines()} == {"company.pisCofinsRegime"}

    def test_that_breaks_a_rule_is_told_with_what_to_do(self, desk: Desk, capsys: Captured) -> None:
        desk.request("nfe", NFE_BODY | {"items": [item(cfop="1102")]})
        assert refusal(desk, capsys).startswith(
            "items[0].cfop: O CFOP é de entrada, e a nota é de saída. Use"
        )

    @pytest.mark.parametrize(("kind", "body"), [("nfe", NFE_BODY), ("nfce", NFCE_BODY)])
    def test_of_tomorrow_is_told_at_the_date(
        self, desk: Desk, capsys: Captured, kind: str, body: dict[str, Any]
    ) -> None:
        tomorrow = datetime.now(UTC) + timedelta(days=1)
        desk.request(kind, body | {"issueDate": tomorrow.isoformat()})
        assert refusal(desk, capsys, kind).startswith("issueDate: A data de emissão está no futuro.")

    def test_for_a_receipt_of_yesterday_is_told_at_the_date(self, desk: Desk, capsys: Captured) -> None:
        yesterday = datetime.now(UTC) - timedelta(days=1)
        desk.request("nfce", NFCE_BODY | {"issueDate": yesterday.isoformat()})
        said = refusal(desk, capsys, "nfce")
        assert said.startswith("issueDate: A NFC-e em emissão normal tem de ser emitida na hora")
        assert said.endswith("[704]\n")

    @pytest.mark.parametrize("missing", ["nfe/request.json", "company.json", "company.pfx"])
    def test_in_a_file_that_is_not_there_is_told(self, desk: Desk, capsys: Captured, missing: str) -> None:
        (desk.folder / missing).unlink()
        said = refusal(desk, capsys)
        assert str(desk.folder / missing) in said
        assert "não foi encontrado" in said

    def test_with_a_wrong_password_is_told(self, desk: Desk, capsys: Captured) -> None:
        desk.company(certificate={"file": "company.pfx", "password": "outra"})
        said = refusal(desk, capsys)
        assert "A senha do certificado está incorreta." in said
        assert "outra" not in said

    def test_with_a_file_that_is_no_certificate_is_told(self, desk: Desk, capsys: Captured) -> None:
        (desk.folder / "company.pfx").write_bytes(b"x")
        assert "O arquivo não é um certificado A1" in refusal(desk, capsys)

    def test_with_a_wrong_company_is_told_at_the_field(self, desk: Desk, capsys: Captured) -> None:
        desk.company(taxId="11222333000182")
        assert refusal(desk, capsys).startswith("taxId: CNPJ inválido")

    def test_with_wrong_settings_is_told_at_the_field(self, desk: Desk, capsys: Captured) -> None:
        desk.company(settings={"nfe": {"series": 900}})
        assert refusal(desk, capsys).startswith("series: A série vai de 0 a 889;")

    def test_for_a_receipt_without_csc_is_told_at_the_settings(self, desk: Desk, capsys: Captured) -> None:
        desk.company(settings={})
        assert refusal(desk, capsys, "nfce") == (
            "company.settings.nfce.csc: O QR Code da versão 2 exige o CSC deste ambiente. "
            "Informe cscId e csc nas configurações da NFC-e, ou use qrVersion 3. [462]\n"
        )

    def test_for_a_receipt_issued_offline_is_told_at_each_field(self, desk: Desk, capsys: Captured) -> None:
        desk.request("nfce", NFCE_BODY | {"issueMode": "offlineContingency"})
        said = refusal(desk, capsys, "nfce")
        assert [line.partition(":")[0] for line in said.splitlines()] == [
            "accessKey",
            "number",
            "series",
            "issuedAt",
            "contingency",
        ]

    def test_of_a_file_that_is_not_there_is_told_before_its_type(self, desk: Desk, capsys: Captured) -> None:
        said = refusal(desk, capsys, "pedidos")
        assert "O arquivo não foi encontrado" in said and "--type" not in said

    def test_in_a_folder_of_no_type_is_told(self, desk: Desk, capsys: Captured) -> None:
        desk.request("pedidos", NFE_BODY)
        assert "Informe --type: “pedidos” não é um tipo de documento." in refusal(desk, capsys, "pedidos")

    def test_of_a_type_that_is_not_issued_yet_is_told(self, desk: Desk, capsys: Captured) -> None:
        desk.request("mdfe", {})
        assert "ainda não pode ser emitid" in refusal(desk, capsys, "mdfe")

    @pytest.mark.parametrize("number", ["0", "-5", "9999999999"])
    def test_with_a_number_that_makes_no_key_is_told(self, desk: Desk, capsys: Captured, number: str) -> None:
        said = refusal(desk, capsys, "nfe", "--number", number)
        assert "A chave de acesso tem partes fora do formato." in said

    @pytest.mark.parametrize("code", ["1", "12345678", "00000077", "1234568x"])
    def test_with_a_trivial_code_is_told(self, desk: Desk, capsys: Captured, code: str) -> None:
        said = refusal(desk, capsys, "nfe", "--number", "77", "--numeric-code", code)
        assert "O código numérico (cNF) é trivial ou repete o número do documento." in said

    def test_with_a_folder_of_schemas_that_is_not_there_is_told(self, desk: Desk, capsys: Captured) -> None:
        missing = desk.folder / "schemas"
        said = refusal(desk, capsys, "nfe", "--schemas", str(missing))
        assert f"A pasta de schemas {missing} não existe." in said

    def test_with_the_certificate_of_another_company_is_told(self, desk: Desk, capsys: Captured) -> None:
        desk.company(taxId=OTHER_CNPJ)
        assert refusal(desk, capsys) == (
            "company.certificate: O certificado não é da empresa: o CNPJ base é outro. "
            "Use o certificado da matriz ou de uma filial da empresa. [213]\n"
        )

    def test_on_a_date_beyond_the_certificates_is_told(self, desk: Desk, capsys: Captured) -> None:
        desk.request("nfe", NFE_BODY | {"issueDate": "2090-01-02T10:00:00-03:00"})
        assert refusal(desk, capsys) == (
            "company.certificate: O certificado não vale na data da emissão; vence em 01/01/2090. [291]\n"
        )

    def test_for_a_receipt_issued_now_has_nothing_from_paper(self, desk: Desk, capsys: Captured) -> None:
        desk.request("nfce", NFCE_BODY | {"number": 10, "series": 2})
        told = "Só se usa quando issueMode é offlineContingency. [225]\n"
        assert refusal(desk, capsys, "nfce") == f"number: {told}series: {told}"


class TestBadArguments:
    @pytest.mark.parametrize(
        "arguments", [[], ["request.json"], ["request.json", "--company", "c.json", "--type", "nfx"]]
    )
    def test_end_the_program_with_the_usage(self, arguments: list[str], capsys: Captured) -> None:
        with pytest.raises(SystemExit) as raised:
            main(arguments)
        assert raised.value.code == 2
        assert "usage: python -m carimbo.fiscal" in capsys.readouterr().err
