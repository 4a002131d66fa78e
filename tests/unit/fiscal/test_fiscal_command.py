"""`python -m carimbo.fiscal`: a signed document on standard output, or the problems in Portuguese."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.__main__ import main
from carimbo.fiscal.identity.signature import verify
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.sample_certificate import SampleAuthority
from support import CNPJ, OTHER_CNPJ, REFORM
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO, PASSWORD, Captured, InputFiles, refusal, run
from unit.fiscal.documents.cte.bodies import FREIGHT
from unit.fiscal.goods.support import NFCE_BODY, NFE_BODY, SAO_PAULO, SOLD_IN_THE_SHOP, item

CUIABA = {**SAO_PAULO, "zipcode": "78005-000", "city": "Cuiabá", "state": "MT"}

# With these, nothing is assumed, so there is nothing to warn of.
SHOP_DEFAULTS = SOLD_IN_THE_SHOP | {"approximateTaxRates": {"federal": 13.45}}


def run_program(inputs: InputFiles) -> subprocess.CompletedProcess[bytes]:
    """Runs the command in a process of its own."""
    command = [sys.executable, "-m", "carimbo.fiscal", *inputs.arguments()]
    return subprocess.run(command, capture_output=True, check=False, timeout=60)


class TestAsProgram:
    def test_program_prints_a_signed_document(self, inputs: InputFiles) -> None:
        inputs.company(defaults=SHOP_DEFAULTS)
        program = run_program(inputs)
        assert (program.returncode, program.stderr) == (0, b"")
        verify(etree.fromstring(program.stdout))

    def test_program_prints_problems_on_standard_error(self, inputs: InputFiles) -> None:
        inputs.request("nfe", NFE_BODY | {"nature": "Venda 🎉"})
        program = run_program(inputs)
        assert (program.returncode, program.stdout) == (1, b"")
        assert program.stderr.decode() == (
            "nature: O campo tem um caractere que o documento fiscal não aceita: “🎉” (U+1F389). [225]\n"
        )


class TestGoodInput:
    @pytest.mark.parametrize("document_type", ["nfe", "nfce"])
    def test_valid_input_makes_a_signed_document_without_warnings(
        self, inputs: InputFiles, capsys: Captured, document_type: str
    ) -> None:
        inputs.company(defaults=SHOP_DEFAULTS)
        assert run(inputs.arguments(document_type)) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        verify(etree.fromstring(printed.out.encode()))

    def test_number_and_code_come_from_the_arguments(self, inputs: InputFiles, capsys: Captured) -> None:
        assert run(inputs.arguments("nfe", "--number", "77", "--numeric-code", "12345682")) == 0
        output = capsys.readouterr().out
        assert "<nNF>77</nNF>" in output and "<cNF>12345682</cNF>" in output

    def test_numbering_comes_from_the_companys_settings(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.company(settings={"nfe": {"series": 5, "number": 1234}})
        assert run(inputs.arguments()) == 0
        output = capsys.readouterr().out
        assert "<serie>5</serie>" in output and "<nNF>1234</nNF>" in output

    def test_issue_date_comes_from_the_request(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.request("nfe", NFE_BODY | {"issueDate": "2026-11-14T10:00:00-03:00"})
        assert run(inputs.arguments()) == 0
        assert "<dhEmi>2026-11-14T10:00:00-03:00</dhEmi>" in capsys.readouterr().out

    def test_issue_date_is_written_by_the_clock_of_the_state(
        self, inputs: InputFiles, capsys: Captured
    ) -> None:
        inputs.request("nfe", NFE_BODY | {"issueDate": "2026-11-01T02:30:00.5+00:00"})
        assert run(inputs.arguments()) == 0
        output = capsys.readouterr().out
        assert "<dhEmi>2026-10-31T23:30:00-03:00</dhEmi>" in output
        assert f'Id="NFe352610{CNPJ}' in output

    @pytest.mark.parametrize(("address", "offset"), [(SAO_PAULO, "-03:00"), (CUIABA, "-04:00")])
    def test_default_issue_date_is_now_by_the_clock_of_the_state(
        self, inputs: InputFiles, capsys: Captured, address: dict[str, str], offset: str
    ) -> None:
        inputs.company(address=address, stateRegistrations=[])
        assert run(inputs.arguments()) == 0
        moment = etree.fromstring(capsys.readouterr().out.encode()).findtext(f".//{{{NAMESPACE}}}dhEmi")
        assert moment
        assert moment.endswith(offset)

    @pytest.mark.parametrize(
        ("companys", "own", "code"),
        [
            ("homologation", "production", "1"),
            ("production", "homologation", "2"),
            ("production", "test", "2"),
            ("production", None, "1"),
        ],
    )
    def test_environment_of_the_module_overrides_that_of_the_company(
        self, inputs: InputFiles, capsys: Captured, companys: str, own: str | None, code: str
    ) -> None:
        settings = {"environment": own, "qrVersion": 3} if own else {"qrVersion": 3}
        inputs.company(environment=companys, settings={"nfce": settings})
        assert run(inputs.arguments("nfce")) == 0
        assert f"<tpAmb>{code}</tpAmb>" in capsys.readouterr().out

    def test_certificate_may_be_of_another_establishment(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.company(taxId="11222333000262")
        assert run(inputs.arguments()) == 0
        assert "<CNPJ>11222333000262</CNPJ>" in capsys.readouterr().out

    def test_numbers_keep_their_precision(self, inputs: InputFiles, capsys: Captured) -> None:
        text = json.dumps(NFE_BODY | {"items": [item(unitValue=0)]}).replace(
            '"unitValue": 0', '"unitValue": 12345678901.0123456789'
        )
        inputs.write_text("nfe/request.json", text)
        assert run(inputs.arguments()) == 0
        assert "<vUnCom>12345678901.0123456789</vUnCom>" in capsys.readouterr().out

    def test_type_argument_overrides_the_folder(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.request("pedidos", NFCE_BODY)
        assert run(inputs.arguments("pedidos", "--type", "nfce")) == 0
        assert "<mod>65</mod>" in capsys.readouterr().out

    def test_company_may_have_letters_in_its_cnpj(
        self, inputs: InputFiles, capsys: Captured, authority: SampleAuthority
    ) -> None:
        certificate = authority.issue_company(OTHER_CNPJ, "OUTRA LTDA", LONG_AGO, FAR_AWAY)
        (inputs.folder / "company.pfx").write_bytes(certificate.to_pfx(PASSWORD))
        inputs.company(taxId="12.ABC.345/01DE-35")
        assert run(inputs.arguments()) == 0
        assert "<CNPJ>12ABC34501DE35</CNPJ>" in capsys.readouterr().out


class TestBadInput:
    def test_file_that_is_not_json_is_refused(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.write_text("nfe/request.json", '{"items": [}')
        output = refusal(inputs, capsys)
        assert output.startswith(f"{inputs.folder / 'nfe' / 'request.json'}: ")
        assert "não é um JSON" in output

    def test_json_that_is_not_an_object_is_refused(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.write_text("nfe/request.json", "[]")
        assert "Deve ser um objeto JSON." in refusal(inputs, capsys)

    def test_binary_or_endlessly_nested_json_is_refused(self, inputs: InputFiles, capsys: Captured) -> None:
        for content in (b'{"nature": "\xe3o"}', b"[" * 100_000, b'{"a":' * 100_000):
            (inputs.folder / "nfe" / "request.json").write_bytes(content)
            assert "não é um JSON" in refusal(inputs, capsys), content[:20]

    def test_unknown_field_is_reported_at_the_field(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.request("nfe", NFE_BODY | {"natOp": "Venda"})
        assert refusal(inputs, capsys) == "natOp: Campo desconhecido. [VALIDATION_ERROR]\n"

    def test_absurd_number_is_reported_at_the_field(self, inputs: InputFiles, capsys: Captured) -> None:
        text = json.dumps(NFE_BODY).replace('"unitValue": 35.9', '"unitValue": 1e400')
        inputs.write_text("nfe/request.json", text)
        assert "items[0].unitValue: Deve ter no máximo 21 dígitos." in refusal(inputs, capsys)

    def test_nan_and_infinity_are_reported_at_the_field(self, inputs: InputFiles, capsys: Captured) -> None:
        for number in ("NaN", "Infinity", "-Infinity"):
            text = json.dumps(NFE_BODY).replace('"unitValue": 35.9', f'"unitValue": {number}')
            inputs.write_text("nfe/request.json", text)
            output = refusal(inputs, capsys)
            assert "items[0].unitValue: Número pequeno ou grande demais." in output, number

    def test_missing_tax_field_is_reported_at_the_tax(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.request("nfe", NFE_BODY | {"items": [item(pis={"cst": "03", "quantity": 1, "amount": 1})]})
        output = refusal(inputs, capsys)
        assert output.startswith("items[0].pis.unitRate: Obrigatório com CST 03 do PIS. Informe")

    def test_missing_regime_is_reported_at_the_company(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.company(taxRegime="normal")
        inputs.request(
            "nfe", NFE_BODY | {"issueDate": "2026-11-14T10:00:00-03:00", "items": [item(**REFORM)]}
        )
        output = refusal(inputs, capsys)
        assert {line.partition(":")[0] for line in output.splitlines()} == {"company.pisCofinsRegime"}

    def test_broken_rule_is_reported_with_a_hint(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.request("nfe", NFE_BODY | {"items": [item(cfop="1102")]})
        assert refusal(inputs, capsys).startswith(
            "items[0].cfop: O CFOP é de entrada, e a nota é de saída. Use"
        )

    def test_cte_is_not_filled_from_invoices_that_the_program_does_not_have(
        self, inputs: InputFiles, capsys: Captured
    ) -> None:
        inputs.request("cte", FREIGHT | {"documents": FREIGHT["documents"] | {"fromInvoices": True}})
        assert refusal(inputs, capsys, "cte").startswith(
            "documents.nfes[0].accessKey: A empresa não tem esta NF-e autorizada"
        )

    @pytest.mark.parametrize(("document_type", "body"), [("nfe", NFE_BODY), ("nfce", NFCE_BODY)])
    def test_issue_date_of_tomorrow_is_refused(
        self, inputs: InputFiles, capsys: Captured, document_type: str, body: dict[str, Any]
    ) -> None:
        tomorrow = datetime.now(UTC) + timedelta(days=1)
        inputs.request(document_type, body | {"issueDate": tomorrow.isoformat()})
        assert refusal(inputs, capsys, document_type).startswith(
            "issueDate: A data de emissão está no futuro."
        )

    def test_nfce_of_yesterday_is_refused(self, inputs: InputFiles, capsys: Captured) -> None:
        yesterday = datetime.now(UTC) - timedelta(days=1)
        inputs.request("nfce", NFCE_BODY | {"issueDate": yesterday.isoformat()})
        output = refusal(inputs, capsys, "nfce")
        assert output.startswith("issueDate: A NFC-e em emissão normal tem de ser emitida na hora")
        assert output.endswith("[704]\n")

    @pytest.mark.parametrize("missing", ["nfe/request.json", "company.json", "company.pfx"])
    def test_missing_file_is_reported(self, inputs: InputFiles, capsys: Captured, missing: str) -> None:
        (inputs.folder / missing).unlink()
        output = refusal(inputs, capsys)
        assert str(inputs.folder / missing) in output
        assert "não foi encontrado" in output

    def test_wrong_password_is_reported(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.company(certificate={"file": "company.pfx", "password": "outra"})
        output = refusal(inputs, capsys)
        assert "A senha do certificado está incorreta." in output
        assert "outra" not in output

    def test_file_that_is_not_a_certificate_is_refused(self, inputs: InputFiles, capsys: Captured) -> None:
        (inputs.folder / "company.pfx").write_bytes(b"x")
        assert "O arquivo não é um certificado A1" in refusal(inputs, capsys)

    def test_invalid_company_is_reported_at_the_field(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.company(taxId="11222333000182")
        assert refusal(inputs, capsys).startswith("taxId: CNPJ inválido")

    def test_invalid_settings_are_reported_at_the_field(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.company(settings={"nfe": {"series": 900}})
        assert refusal(inputs, capsys).startswith("series: A série vai de 0 a 889;")

    def test_nfce_without_csc_is_reported_at_the_settings(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.company(settings={})
        assert refusal(inputs, capsys, "nfce") == (
            "company.settings.nfce.csc: O QR Code da versão 2 exige o CSC deste ambiente. "
            "Informe cscId e csc nas configurações da NFC-e, ou use qrVersion 3. [462]\n"
        )

    def test_missing_fields_of_an_offline_nfce_are_all_reported(
        self, inputs: InputFiles, capsys: Captured
    ) -> None:
        inputs.request("nfce", NFCE_BODY | {"issueMode": "offlineContingency"})
        output = refusal(inputs, capsys, "nfce")
        assert [line.partition(":")[0] for line in output.splitlines()] == [
            "accessKey",
            "number",
            "series",
            "issuedAt",
            "contingency",
        ]

    def test_missing_file_is_reported_before_an_unknown_type(
        self, inputs: InputFiles, capsys: Captured
    ) -> None:
        output = refusal(inputs, capsys, "pedidos")
        assert "O arquivo não foi encontrado" in output and "--type" not in output

    def test_folder_that_is_no_document_type_is_refused(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.request("pedidos", NFE_BODY)
        assert "Informe --type: “pedidos” não é um tipo de documento." in refusal(inputs, capsys, "pedidos")

    @pytest.mark.parametrize("number", ["0", "-5", "9999999999"])
    def test_number_that_makes_no_key_is_refused(
        self, inputs: InputFiles, capsys: Captured, number: str
    ) -> None:
        output = refusal(inputs, capsys, "nfe", "--number", number)
        assert "A chave de acesso tem partes fora do formato." in output

    @pytest.mark.parametrize("code", ["1", "12345678", "00000077", "1234568x"])
    def test_trivial_numeric_code_is_refused(self, inputs: InputFiles, capsys: Captured, code: str) -> None:
        output = refusal(inputs, capsys, "nfe", "--number", "77", "--numeric-code", code)
        assert "O código numérico (cNF) é trivial ou repete o número do documento." in output

    def test_missing_folder_of_schemas_is_reported(self, inputs: InputFiles, capsys: Captured) -> None:
        missing = inputs.folder / "schemas"
        output = refusal(inputs, capsys, "nfe", "--schemas", str(missing))
        assert f"A pasta de schemas {missing} não existe." in output

    def test_certificate_of_another_company_is_refused(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.company(taxId=OTHER_CNPJ)
        assert refusal(inputs, capsys) == (
            "company.certificate: O certificado não é da empresa: o CNPJ base é outro. "
            "Use o certificado da matriz ou de uma filial da empresa. [213]\n"
        )

    def test_expired_certificate_is_refused(self, inputs: InputFiles, capsys: Captured) -> None:
        inputs.request("nfe", NFE_BODY | {"issueDate": "2090-01-02T10:00:00-03:00"})
        assert refusal(inputs, capsys) == (
            "company.certificate: O certificado não vale na data da emissão; vence em 01/01/2090. [291]\n"
        )

    def test_fields_of_an_offline_receipt_are_refused_in_a_normal_one(
        self, inputs: InputFiles, capsys: Captured
    ) -> None:
        inputs.request("nfce", NFCE_BODY | {"number": 10, "series": 2})
        message = "Só se usa quando issueMode é offlineContingency. [225]\n"
        assert refusal(inputs, capsys, "nfce") == f"number: {message}series: {message}"


class TestBadArguments:
    @pytest.mark.parametrize(
        "arguments", [[], ["request.json"], ["request.json", "--company", "c.json", "--type", "nfx"]]
    )
    def test_bad_arguments_end_the_program_with_the_usage(
        self, arguments: list[str], capsys: Captured
    ) -> None:
        with pytest.raises(SystemExit) as raised:
            main(arguments)
        assert raised.value.code == 2
        assert "usage: python -m carimbo.fiscal" in capsys.readouterr().err
