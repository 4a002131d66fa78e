"""Requests and kept files, held against the official XSDs."""

from dataclasses import replace

import pytest
from lxml import etree

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.nfe_v4.inutilization import (
    Inutilization,
    issue_inutilization,
    read_inutilization_request,
    signed_inutilization,
)
from carimbo.fiscal.layouts.nfe_v4.messages import (
    authorization_lot,
    authorized_invoice,
    distribution_after,
    distribution_at,
    distribution_of_key,
    key_query,
    receipt_query,
    registered_event,
    registered_inutilization,
    status_query,
)
from carimbo.fiscal.layouts.paths import problems
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import Signer, verify
from support import CNPJ, OTHER_CNPJ
from xmlsec1 import xmlsec1_accepts

NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
KEY = AccessKey.parse("35261111222333000181550010000000011123456806")
KEY_WITH_LETTERS = AccessKey.parse("35261112ABC34501DE35550010000000071123456860")
CPF = "52998224725"
REASON = "Numeração pulada por falha de sistema"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

ADDRESS = (
    "<xLgr>Rua Direita</xLgr><nro>100</nro><xBairro>Centro</xBairro><cMun>3550308</cMun>"
    "<xMun>São Paulo</xMun><UF>SP</UF><CEP>01002000</CEP>"
)
ZEROS = "<{0}>0.00</{0}>".format
TOTALS = (
    "".join(map(ZEROS, ("vBC", "vICMS", "vICMSDeson", "vFCP", "vBCST", "vST", "vFCPST", "vFCPSTRet")))
    + "<vProd>9.90</vProd>"
    + "".join(
        map(ZEROS, ("vFrete", "vSeg", "vDesc", "vII", "vIPI", "vIPIDevol", "vPIS", "vCOFINS", "vOutro"))
    )
    + "<vNF>9.90</vNF>"
)
INVOICE = (
    f'Id="NFe{KEY}" versao="4.00">'
    "<ide><cUF>35</cUF><cNF>12345680</cNF><natOp>Venda</natOp><mod>55</mod><serie>1</serie><nNF>1</nNF>"
    "<dhEmi>2026-11-14T10:00:00-03:00</dhEmi><tpNF>1</tpNF><idDest>1</idDest><cMunFG>3550308</cMunFG>"
    "<tpImp>1</tpImp><tpEmis>1</tpEmis><cDV>6</cDV><tpAmb>2</tpAmb><finNFe>1</finNFe><indFinal>1</indFinal>"
    "<indPres>1</indPres><procEmi>0</procEmi><verProc>carimbo 1.0</verProc></ide>"
    f"<emit><CNPJ>{CNPJ}</CNPJ><xNome>Loja Modelo</xNome><enderEmit>{ADDRESS}</enderEmit>"
    "<IE>111111111111</IE><CRT>1</CRT></emit>"
    '<det nItem="1"><prod><cProd>1</cProd><cEAN>SEM GTIN</cEAN><xProd>Pão</xProd><NCM>19059090</NCM>'
    "<CFOP>5102</CFOP><uCom>KG</uCom><qCom>1.0000</qCom><vUnCom>9.90</vUnCom><vProd>9.90</vProd>"
    "<cEANTrib>SEM GTIN</cEANTrib><uTrib>KG</uTrib><qTrib>1.0000</qTrib><vUnTrib>9.90</vUnTrib>"
    "<indTot>1</indTot></prod><imposto>"
    "<ICMS><ICMSSN102><orig>0</orig><CSOSN>102</CSOSN></ICMSSN102></ICMS>"
    "<PIS><PISNT><CST>07</CST></PISNT></PIS><COFINS><COFINSNT><CST>07</CST></COFINSNT></COFINS>"
    f"</imposto></det><total><ICMSTot>{TOTALS}</ICMSTot></total><transp><modFrete>9</modFrete></transp>"
    "<pag><detPag><tPag>01</tPag><vPag>9.90</vPag></detPag></pag></infNFe>"
)
PROTOCOL = (
    f'<protNFe xmlns="{NAMESPACE}" versao="4.00"><infProt><tpAmb>2</tpAmb><verAplic>SP_NFE_PL_010</verAplic>'
    f"<chNFe>{KEY}</chNFe><dhRecbto>2026-11-14T10:00:05-03:00</dhRecbto><nProt>135260000000001</nProt>"
    "<digVal>IJKcPCllY/ZW9aIZ8cyA9NMcuJg=</digVal><cStat>100</cStat>"
    "<xMotivo>Autorizado o uso da NF-e</xMotivo></infProt></protNFe>"
).encode()
INUTILIZATION_ANSWER = (
    f'<retInutNFe xmlns="{NAMESPACE}" versao="4.00"><infInut><tpAmb>2</tpAmb>'
    "<verAplic>SP_NFE_PL_010</verAplic><cStat>102</cStat>"
    "<xMotivo>Inutilizacao de numero homologado</xMotivo><cUF>35</cUF>"
    "<dhRecbto>2026-11-14T12:00:00-03:00</dhRecbto><nProt>135260000000003</nProt></infInut></retInutNFe>"
).encode()


@pytest.fixture(scope="module")
def signed_invoice(signer: Signer) -> bytes:
    signature = signer.sign(f'<infNFe xmlns="{NAMESPACE}" {INVOICE}'.encode(), f"NFe{KEY}")
    return f'<NFe xmlns="{NAMESPACE}"><infNFe {INVOICE}'.encode() + signature.text + b"</NFe>"


def message(root: str, content: bytes, version: str = "4.00") -> bytes:
    return f'<{root} xmlns="{NAMESPACE}" versao="{version}">'.encode() + content + f"</{root}>".encode()


def range_of(cnpj: str = CNPJ, reason: str = REASON) -> Inutilization:
    return Inutilization(
        environment="2",
        state_code="35",
        year="26",
        cnpj=cnpj,
        model="55",
        series=1,
        first_number=10,
        last_number=12,
        reason=reason,
    )


class TestQueries:
    @pytest.mark.parametrize(
        ("text", "schema"),
        [
            (receipt_query("2", "351000000000001"), Schema.NFE_RECEIPT_QUERY),
            (key_query("2", KEY), Schema.NFE_DOCUMENT_QUERY),
            (key_query("2", KEY_WITH_LETTERS), Schema.NFE_DOCUMENT_QUERY),
            (status_query("1", "35"), Schema.NFE_SERVICE_QUERY),
            (distribution_after("1", "35", CNPJ, 0), Schema.NFE_DISTRIBUTION),
            (distribution_after("1", "35", OTHER_CNPJ, 999_999_999_999_999), Schema.NFE_DISTRIBUTION),
            (distribution_after("1", "35", CPF, 123), Schema.NFE_DISTRIBUTION),
            (distribution_at("1", "35", CNPJ, 123), Schema.NFE_DISTRIBUTION),
            (distribution_of_key("1", "35", CNPJ, KEY_WITH_LETTERS), Schema.NFE_DISTRIBUTION),
        ],
    )
    def test_the_xsd_accepts_it_and_it_is_canonical(
        self, text: bytes, schema: Schema, schemas: Schemas
    ) -> None:
        assert schemas.problems(schema, etree.fromstring(text)) == ()
        assert etree.tostring(etree.fromstring(text), method="c14n") == text

    def test_documents_after_a_number_are_asked_with_fifteen_digits(self) -> None:
        assert distribution_after("1", "35", CNPJ, 123).decode() == (
            f'<distDFeInt xmlns="{NAMESPACE}" versao="1.01"><tpAmb>1</tpAmb><cUFAutor>35</cUFAutor>'
            f"<CNPJ>{CNPJ}</CNPJ><distNSU><ultNSU>000000000000123</ultNSU></distNSU></distDFeInt>"
        )

    def test_a_person_asks_by_cpf(self) -> None:
        assert f"<CPF>{CPF}</CPF><consChNFe>".encode() in distribution_of_key("1", "35", CPF, KEY)

    def test_markup_stays_text(self) -> None:
        assert b"<nRec>1&lt;/nRec&gt;&amp;</nRec>" in receipt_query("2", "1</nRec>&")

    @pytest.mark.parametrize("receipt", ["351\x00", "351\x1b", "351🙈", "\ud800", ""])
    def test_what_no_message_can_hold_is_refused(self, receipt: str) -> None:
        with pytest.raises(Unwritable):
            receipt_query("2", receipt)


class TestAuthorizationLot:
    def test_one_document_is_judged_at_once(self, signed_invoice: bytes, schemas: Schemas) -> None:
        text = authorization_lot(1, [signed_invoice])
        assert schemas.problems(Schema.NFE_BATCH, etree.fromstring(text)) == ()
        assert text == message("enviNFe", b"<idLote>1</idLote><indSinc>1</indSinc>" + signed_invoice)

    def test_several_documents_are_judged_later(self, signed_invoice: bytes) -> None:
        assert b"<indSinc>0</indSinc>" in authorization_lot(1, [signed_invoice] * 2)

    def test_the_signature_verifies_inside_it(self, signed_invoice: bytes) -> None:
        text = authorization_lot(1, [signed_invoice])
        document = etree.fromstring(text).find("{*}NFe")
        assert document is not None
        assert verify(document).reference_id == f"NFe{KEY}"
        assert xmlsec1_accepts(text, "infNFe")

    @pytest.mark.parametrize("count", [0, 51])
    def test_none_and_too_many_are_refused(self, count: int, signed_invoice: bytes) -> None:
        with pytest.raises(ValueError, match="1 to 50"):
            authorization_lot(1, [signed_invoice] * count)

    @pytest.mark.parametrize(
        "before", [DECLARATION, f"\ufeff{DECLARATION}\n", "\ufeff", " \n", "<?xml version='1.0'?>"]
    )
    def test_a_declaration_and_white_space_around_a_document_stay_out(
        self, before: str, signed_invoice: bytes
    ) -> None:
        dressed = before.encode() + signed_invoice + b"\n"
        assert authorization_lot(1, [dressed]) == authorization_lot(1, [signed_invoice])


class TestInutilization:
    @pytest.mark.parametrize("cnpj", [CNPJ, OTHER_CNPJ])
    def test_the_xsd_accepts_it_and_it_is_canonical(
        self, cnpj: str, signer: Signer, schemas: Schemas
    ) -> None:
        text = signed_inutilization(range_of(cnpj), signer)
        assert schemas.problems(Schema.NFE_INUTILIZATION, etree.fromstring(text), Inutilization) == ()
        assert etree.tostring(etree.fromstring(text), method="c14n") == text

    def test_it_is_written_as_the_manual_shows(self, signer: Signer) -> None:
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

    def test_its_signature_verifies(self, signer: Signer) -> None:
        text = signed_inutilization(range_of(), signer)
        assert verify(etree.fromstring(text)).reference_id == range_of().id
        assert xmlsec1_accepts(text, "infInut")

    def test_a_reason_that_cannot_be_written_is_told_by_its_field(self, signer: Signer) -> None:
        wrong = range_of(reason="Numeração pulada \x1b")
        assert [problem.path for problem in problems(wrong)] == ["justification"]
        with pytest.raises(Unwritable):
            signed_inutilization(wrong, signer)

    def test_a_range_that_does_not_fit_is_told_by_the_xsd_with_its_field(
        self, signer: Signer, schemas: Schemas
    ) -> None:
        text = signed_inutilization(range_of(), signer).replace(b"<nNFFin>12<", b"<nNFFin>0<")
        found = schemas.problems(Schema.NFE_INUTILIZATION, etree.fromstring(text), Inutilization)
        assert [problem.path for problem in found] == ["numberEnd"]


class TestReadingAnInutilization:
    @pytest.mark.parametrize(
        "asked",
        [
            range_of(),
            range_of(OTHER_CNPJ),
            range_of(reason="Números <10> & 12 pulados por falha"),
            replace(range_of(), series=0, first_number=1, last_number=999_999_999, year="06", model="65"),
        ],
    )
    def test_gives_back_the_range_that_was_signed(self, asked: Inutilization, signer: Signer) -> None:
        assert read_inutilization_request(signed_inutilization(asked, signer)) == asked

    def test_of_anything_else_is_a_mistake_of_ours(self, signed_invoice: bytes) -> None:
        with pytest.raises(LookupError):
            read_inutilization_request(signed_invoice)


class TestIssuingAnInutilization:
    @pytest.mark.parametrize(
        "asked",
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
    def test_what_is_right_is_signed(self, asked: Inutilization, signer: Signer, schemas: Schemas) -> None:
        text = issue_inutilization(asked, signer, schemas)
        assert isinstance(text, bytes)
        assert text == signed_inutilization(asked, signer)
        assert verify(etree.fromstring(text)).reference_id == asked.id

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
    def test_a_wrong_reason_is_told_by_its_field(
        self, reason: str, message: str, signer: Signer, schemas: Schemas
    ) -> None:
        (problem,) = self.problems(range_of(reason=reason), signer, schemas)
        assert (problem.code, problem.path, problem.message) == ("225", "justification", message)

    def test_a_reversed_range_is_told_by_its_end(self, signer: Signer, schemas: Schemas) -> None:
        found = self.problems(replace(range_of(), last_number=9), signer, schemas)
        assert found == (Problem("224", "numberEnd", "O número final é menor do que o inicial."),)

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
    def test_parts_that_make_no_id_are_told_by_their_field(
        self, wrong: Inutilization, path: str, signer: Signer, schemas: Schemas
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
    def test_all_that_is_wrong_is_told_by_field(
        self, wrong: Inutilization, paths: list[str], signer: Signer, schemas: Schemas
    ) -> None:
        assert [problem.path for problem in self.problems(wrong, signer, schemas)] == paths

    def test_parts_that_make_up_for_each_other_in_the_id_are_no_way_round(
        self, signer: Signer, schemas: Schemas
    ) -> None:
        wrong = replace(range_of(CNPJ[:-1]), series=1000)
        assert [problem.path for problem in self.problems(wrong, signer, schemas)] == ["series"]

    def problems(self, wrong: Inutilization, signer: Signer, schemas: Schemas) -> tuple[Problem, ...]:
        found = issue_inutilization(wrong, signer, schemas)
        assert isinstance(found, tuple)
        return found


class TestKeptFiles:
    def test_an_invoice_with_its_authorization(self, signed_invoice: bytes, schemas: Schemas) -> None:
        text = authorized_invoice(signed_invoice, PROTOCOL)
        assert text == message("nfeProc", signed_invoice + PROTOCOL)
        assert schemas.problems(Schema.NFE_AUTHORIZED, etree.fromstring(text)) == ()
        assert xmlsec1_accepts(text, "infNFe")

    def test_an_inutilization_with_its_registration(self, signer: Signer, schemas: Schemas) -> None:
        text = registered_inutilization(signed_inutilization(range_of(), signer), INUTILIZATION_ANSWER)
        root = etree.fromstring(text)
        assert schemas.problems(Schema.NFE_INUTILIZATION_REGISTERED, root) == ()
        assert verify(root[0]).reference_id == range_of().id

    def test_an_answer_with_a_declaration_loses_it(self) -> None:
        event, answer = b"<evento></evento>", b"<retEvento></retEvento>"
        text = registered_event(event, DECLARATION.encode() + answer)
        assert text == message("procEventoNFe", event + answer, "1.00")
