"""The official XSDs in force, and the patterns of nfelib's that have to be widened."""

import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.layouts.layout import content_xml
from carimbo.fiscal.layouts.nfe_v4.events import Correction
from carimbo.fiscal.schemas import Schema, Schemas, SchemaUnusable
from carimbo.fiscal.schemas.files import WIDER, WIDER_THAN_OFFICIAL, widen_patterns

NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
SERVICE_NAMESPACE = "http://www.sped.fazenda.gov.br/nfse"
CNPJ, LETTERS_CNPJ = "11222333000181", "12ABC34501DE35"
KEY, LETTERS_KEY = (
    "35261111222333000181550010000000011123456806",
    "35261112ABC34501DE35550010000000071123456860",
)
PROTOCOL = "135260000000001"
XML_SCHEMA = etree.XMLSchema

SIGNATURE = """<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo>
<CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"/>
<SignatureMethod Algorithm="http://www.w3.org/2000/09/xmldsig#rsa-sha1"/><Reference URI="#{id}"><Transforms>
<Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>
<Transform Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"/></Transforms>
<DigestMethod Algorithm="http://www.w3.org/2000/09/xmldsig#sha1"/><DigestValue>AAAA</DigestValue></Reference>
</SignedInfo><SignatureValue>AAAA</SignatureValue><KeyInfo><X509Data><X509Certificate>AAAA</X509Certificate>
</X509Data></KeyInfo></Signature>"""

DETAILS = {
    "110111": "<descEvento>Cancelamento</descEvento><nProt>{protocol}</nProt>"
    "<xJust>ERRO DE DIGITACAO NO PEDIDO</xJust>",
    "110110": content_xml(Correction(correction="CORRIGE O ENDERECO DE ENTREGA")),
    "210210": "<descEvento>Ciencia da Operacao</descEvento>",
}
# ID, DPS, NFS, PRE, EVT.
LETTERS_OF_IDS = "DEFINPRSTV"
EVENTS = {
    Schema.NFE_CANCELLATION: "110111",
    Schema.NFE_CORRECTION: "110110",
    Schema.NFE_MANIFESTATION: "210210",
}


def event(event_type: str, cnpj: str, key: str, protocol: str = PROTOCOL) -> etree._Element:
    details = DETAILS[event_type].format(protocol=protocol)
    reference = f"ID{event_type}{key}01"
    return etree.fromstring(
        f'<evento xmlns="{NAMESPACE}" versao="1.00"><infEvento Id="{reference}"><cOrgao>35</cOrgao>'
        f"<tpAmb>2</tpAmb><CNPJ>{cnpj}</CNPJ><chNFe>{key}</chNFe><dhEvento>2026-11-14T12:00:00-03:00</dhEvento>"
        f"<tpEvento>{event_type}</tpEvento><nSeqEvento>1</nSeqEvento><verEvento>1.00</verEvento>"
        f'<detEvento versao="1.00">{details}</detEvento></infEvento>{SIGNATURE.format(id=reference)}</evento>'
    )


def inutilization(cnpj: str) -> etree._Element:
    reference = f"ID3526{cnpj}55001000000010000000012"
    return etree.fromstring(
        f'<inutNFe xmlns="{NAMESPACE}" versao="4.00"><infInut Id="{reference}"><tpAmb>2</tpAmb>'
        f"<xServ>INUTILIZAR</xServ><cUF>35</cUF><ano>26</ano><CNPJ>{cnpj}</CNPJ><mod>55</mod><serie>1</serie>"
        "<nNFIni>10</nNFIni><nNFFin>12</nNFFin><xJust>NUMERACAO PULADA POR FALHA</xJust></infInut>"
        f"{SIGNATURE.format(id=reference)}</inutNFe>"
    )


def consult(key: str) -> etree._Element:
    return etree.fromstring(
        f'<consSitNFe xmlns="{NAMESPACE}" versao="4.00"><tpAmb>2</tpAmb><xServ>CONSULTAR</xServ>'
        f"<chNFe>{key}</chNFe></consSitNFe>"
    )


def service_event(key: str) -> etree._Element:
    return etree.fromstring(
        f'<pedRegEvento xmlns="{SERVICE_NAMESPACE}" versao="1.01"><infPedReg Id="PRE{key}101101">'
        "<tpAmb>2</tpAmb><verAplic>1</verAplic><dhEvento>2026-11-14T12:00:00-03:00</dhEvento>"
        f"<CNPJAutor>{CNPJ}</CNPJAutor><chNFSe>{key}</chNFSe><e101101><xDesc>Cancelamento de NFS-e</xDesc>"
        "<cMotivo>1</cMotivo><xMotivo>ERRO NA EMISSAO DA NOTA</xMotivo></e101101></infPedReg></pedRegEvento>"
    )


def package_of(schema: Schema) -> Path:
    """Returns the folder of nfelib with the XSD of a message."""
    return Schemas().file_of(schema).path.parent


class TestCatalogue:
    @pytest.mark.parametrize("schema", Schema)
    def test_every_message_has_a_schema_that_compiles(self, schemas: Schemas, schema: Schema) -> None:
        assert schemas.file_of(schema).path.is_file()
        assert not schemas.file_of(schema).is_operators
        assert isinstance(schemas.compiled(schema), etree.XMLSchema)

    def test_nfelib_is_not_imported(self) -> None:
        code = "import sys, carimbo.fiscal.schemas as s; s.Schemas(); sys.exit('nfelib' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestThreads:
    def test_schema_is_compiled_once_in_each_thread(self, schemas: Schemas) -> None:
        here = schemas.compiled(Schema.NFE)
        with ThreadPoolExecutor(1) as other:
            there = [other.submit(schemas.compiled, Schema.NFE).result() for _ in range(2)]
        assert schemas.compiled(Schema.NFE) is here
        assert there[0] is there[1] is not here

    def test_threads_get_their_own_errors_only(self, schemas: Schemas) -> None:
        def values(key: str) -> set[str]:
            root = consult(key)
            return {p.message for _ in range(300) for p in schemas.problems(Schema.NFE_DOCUMENT_QUERY, root)}

        with ThreadPoolExecutor(3) as threads:
            valid, first, second = threads.map(values, [KEY, "1", "2"])
        assert valid == set()
        assert [("“1”" in message, "“2”" in message) for message in first] == [(True, False)]
        assert [("“1”" in message, "“2”" in message) for message in second] == [(False, True)]

    def test_schemas_are_compiled_one_after_the_other(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Otherwise one may fail for types that libxml2 has not created yet."""
        compiling, most = 0, 0

        def watched(file: str) -> etree.XMLSchema:
            nonlocal compiling, most
            compiling += 1
            most = max(most, compiling)
            time.sleep(0.02)
            compiling -= 1
            return XML_SCHEMA(file=file)

        monkeypatch.setattr(etree, "XMLSchema", watched)
        schemas = Schemas()
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(schemas.compiled, [Schema.NFE_DOCUMENT_QUERY] * 4))
        assert most == 1

    def test_widened_files_are_included_without_a_resolver(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whenever a parse ends, in any thread, lxml stops asking the resolvers of a running compilation."""

        def compiled(tree: Any = None, file: Any = None) -> etree.XMLSchema:
            if tree is None:
                return XML_SCHEMA(file=file)
            return XML_SCHEMA(etree.fromstring(etree.tostring(tree), base_url=tree.base))

        monkeypatch.setattr(etree, "XMLSchema", compiled)
        cancellation = event("110111", LETTERS_CNPJ, LETTERS_KEY)
        assert Schemas().problems(Schema.NFE_CANCELLATION, cancellation) == ()


class TestNfelibPatterns:
    EVENT_TYPES = ("TChNFe", "TCnpj", "TCnpjOpc", "TCnpjVar", "TProt")
    SERVICE_TYPES = (
        "TSCNPJ",
        "TSChaveNFSe",
        "TSChaveNFe",
        "TSIdDPS",
        "TSIdEvento",
        "TSIdNFSe",
        "TSIdNumEvento",
        "TSIdPedRegEvt",
    )

    def test_widened_patterns_are_those_listed(self) -> None:
        """A newer nfelib that no longer needs one of them changes this list."""
        packages = sorted({package_of(schema) for schema in Schema})
        changed = {
            (file.parents[2].name, file.name): owners
            for package in packages
            for file in sorted(package.glob("*.xsd"))
            if (owners := self._owners_of_changes(file.read_bytes()))
        }
        assert {key: sorted(owners) for key, owners in changed.items()} == {
            ("cte", "eventoCTeTiposBasico_v4.00.xsd"): ["Id"],
            ("cte", "tiposGeralCTe_v4.00.xsd"): ["TProt"],
            ("cte_dist_dfe", "tiposDistDFe_v1.00.xsd"): ["TChNFe", "TCnpj", "TProt"],
            ("mdfe", "eventoMDFeTiposBasico_v3.00.xsd"): ["Id"],
            ("mdfe", "mdfeTiposBasico_v3.00.xsd"): ["Id"],
            ("mdfe", "tiposGeralMDFe_v3.00.xsd"): ["TProt"],
            ("mdfe_dist_dfe", "tiposDistDFe_v1.00.xsd"): ["TCnpj", "TProt"],
            ("mdfe_dist_dfe", "tiposGeralMDFe_v1.00.xsd"): [*self.EVENT_TYPES],
            ("nfe", "leiauteConsSitNFe_v4.00.xsd"): ["Id", "Id"],
            ("nfe", "leiauteInutNFe_v4.00.xsd"): ["Id"],
            ("nfe_evento_cancel", "leiauteEventoCancNFe_v1.00.xsd"): ["Id", "Id"],
            ("nfe_evento_cancel", "tiposBasico_v1.03.xsd"): [*self.EVENT_TYPES],
            ("nfe_evento_cce", "leiauteCCe_v1.00.xsd"): ["Id", "Id"],
            ("nfe_evento_cce", "tiposBasico_v1.03.xsd"): [*self.EVENT_TYPES],
            ("nfe_evento_mde", "leiauteConfRecebto_v1.00.xsd"): ["Id", "Id"],
            ("nfe_evento_mde", "tiposBasico_v1.03.xsd"): [*self.EVENT_TYPES],
            ("nfe_dist_dfe", "tiposDistDFe_v1.01.xsd"): ["TProt"],
            ("nfse", "tiposSimples_v1.01.xsd"): [*self.SERVICE_TYPES],
        }

    @staticmethod
    def _owners_of_changes(xsd: bytes) -> list[str]:
        pattern = "{http://www.w3.org/2001/XMLSchema}pattern"
        before = [element.get("value") for element in etree.fromstring(xsd).iter(pattern)]
        widened = etree.fromstring(xsd)
        widen_patterns(widened, {**WIDER, **WIDER_THAN_OFFICIAL})
        after = list(widened.iter(pattern))
        return [
            next(name for name in (above.get("name") for above in new.iterancestors()) if name)
            for old, new in zip(before, after, strict=True)
            if old != new.get("value")
        ]

    @pytest.mark.parametrize(("numeric", "wider"), [(old, new) for (_, old), new in WIDER.items()])
    @settings(max_examples=10)
    @given(data=st.data())
    def test_widened_patterns_still_accept_every_numeric_value(
        self, numeric: str, wider: str, data: st.DataObject
    ) -> None:
        value = data.draw(st.from_regex(numeric, fullmatch=True, alphabet=f"{LETTERS_OF_IDS}0123456789"))
        assert re.fullmatch(wider, value)

    @pytest.mark.parametrize(
        ("numeric", "wider"),
        [(old, new) for (_, old), new in WIDER.items() if not old.endswith("[0-9]{15}")],
    )
    @settings(max_examples=10)
    @given(data=st.data())
    def test_widened_patterns_accept_no_other_number(
        self, numeric: str, wider: str, data: st.DataObject
    ) -> None:
        digits = st.from_regex(wider.lstrip(LETTERS_OF_IDS), fullmatch=True, alphabet="0123456789")
        prefix = numeric.partition("[")[0].partition("(")[0]
        assert re.fullmatch(numeric, prefix + data.draw(digits))

    @pytest.mark.parametrize(("schema", "event_type"), EVENTS.items())
    @pytest.mark.parametrize(("cnpj", "key"), [(CNPJ, KEY), (LETTERS_CNPJ, LETTERS_KEY)])
    def test_widened_patterns_allow_letters_in_events(
        self, schemas: Schemas, schema: Schema, event_type: str, cnpj: str, key: str
    ) -> None:
        assert schemas.problems(schema, event(event_type, cnpj, key)) == ()

    @pytest.mark.parametrize("cnpj", [CNPJ, LETTERS_CNPJ])
    def test_widened_patterns_allow_letters_in_inutilizations(self, schemas: Schemas, cnpj: str) -> None:
        assert schemas.problems(Schema.NFE_INUTILIZATION, inutilization(cnpj)) == ()

    @pytest.mark.parametrize("cnpj", ["12abc34501de35", "12ABC34501DEF5", "1122233300018", "112223330001811"])
    def test_widened_patterns_refuse_other_values(self, schemas: Schemas, cnpj: str) -> None:
        wrong = schemas.problems(Schema.NFE_INUTILIZATION, inutilization(cnpj))
        assert [problem.source for problem in wrong] == [
            "XSD inutNFe_v4.00.xsd, elemento infInut/@Id",
            "XSD inutNFe_v4.00.xsd, elemento CNPJ",
        ]

    @pytest.mark.parametrize(
        ("owner", "is_accepted"),
        [
            ("11222333000181", True),
            ("12ABC34501DE35", True),
            ("12abc34501de35", False),
            ("12ABC34501DEF5", False),
        ],
    )
    def test_widened_patterns_allow_letters_of_the_cnpj_in_service_notes(
        self, schemas: Schemas, owner: str, is_accepted: bool
    ) -> None:
        wrong = schemas.problems(Schema.NFSE_EVENT, service_event(f"355030822{owner}{'0' * 27}"))
        assert (wrong == ()) is is_accepted
        moved = schemas.problems(Schema.NFSE_EVENT, service_event(f"{owner}355030822{'0' * 27}"))
        assert (moved == ()) is owner.isdecimal()

    @pytest.mark.parametrize(("digits", "accepted"), [(14, False), (15, True), (16, False), (17, True)])
    def test_protocol_may_have_17_digits(self, schemas: Schemas, digits: int, accepted: bool) -> None:
        cancellation = event("110111", CNPJ, KEY, protocol="1" * digits)
        assert (schemas.problems(Schema.NFE_CANCELLATION, cancellation) == ()) is accepted


def unpacked(schema: Schema, folder: Path) -> Path:
    """Returns the file of a message in a package as an operator unzips it; here a copy of nfelib's."""
    shutil.copytree(package_of(schema), folder)
    return folder / schema.file_name


class TestOperatorsFolder:
    def test_operators_file_is_used_where_there_is_one(self, tmp_path: Path) -> None:
        ours = unpacked(Schema.NFE_CANCELLATION, tmp_path / "PL_010d" / "Evento Cancelamento ç")
        schemas = Schemas(tmp_path)
        assert schemas.file_of(Schema.NFE_CANCELLATION).path == ours
        assert schemas.file_of(Schema.NFE_CANCELLATION).is_operators
        assert not schemas.file_of(Schema.NFE).is_operators

    def test_operators_file_is_not_widened(self, tmp_path: Path) -> None:
        unpacked(Schema.NFE_CANCELLATION, tmp_path / "numeric")
        schemas = Schemas(tmp_path)
        assert schemas.problems(Schema.NFE_CANCELLATION, event("110111", CNPJ, KEY)) == ()
        assert schemas.problems(Schema.NFE_CANCELLATION, event("110111", LETTERS_CNPJ, LETTERS_KEY)) != ()

    def test_file_in_the_greater_folder_name_is_used(self, tmp_path: Path) -> None:
        unpacked(Schema.NFE, tmp_path / "PL_010d")
        newest = unpacked(Schema.NFE, tmp_path / "PL_010f")
        unpacked(Schema.NFE, tmp_path / "PL_009" / "zzz")
        shutil.copy(newest, tmp_path)
        assert Schemas(tmp_path).file_of(Schema.NFE).path == newest

    def test_operators_folder_may_be_empty(self, tmp_path: Path) -> None:
        assert not Schemas(tmp_path).file_of(Schema.NFE).is_operators

    def test_operators_folder_must_exist(self, tmp_path: Path) -> None:
        with pytest.raises(SchemaUnusable, match="missing não existe"):
            Schemas(tmp_path / "missing")


class TestBrokenPackage:
    @pytest.mark.parametrize(
        "included", ["leiauteNFe_v4.00.xsd", "tiposBasico_v4.00.xsd", "xmldsig-core-schema_v1.01.xsd"]
    )
    def test_missing_included_file_is_named(self, tmp_path: Path, included: str) -> None:
        unpacked(Schema.NFE, tmp_path / "PL")
        (tmp_path / "PL" / included).rename(tmp_path / included)
        assert included in self._refusal(tmp_path)

    def test_damaged_included_file_is_named_with_its_line(self, tmp_path: Path) -> None:
        unpacked(Schema.NFE, tmp_path / "PL")
        included = tmp_path / "PL" / "tiposBasico_v4.00.xsd"
        included.write_bytes(included.read_bytes()[:500])
        assert "tiposBasico_v4.00.xsd, linha 5" in self._refusal(tmp_path)

    @pytest.mark.parametrize("text", ["", "<a/>", "<xs:schema", "not XML"])
    def test_file_that_is_no_schema_is_refused(self, tmp_path: Path, text: str) -> None:
        unpacked(Schema.NFE, tmp_path / "PL").write_text(text)
        self._refusal(tmp_path)

    def test_deleted_file_is_reported(self, tmp_path: Path) -> None:
        file = unpacked(Schema.NFE, tmp_path / "PL")
        schemas = Schemas(tmp_path)
        file.unlink()
        with pytest.raises(SchemaUnusable, match="nfe_v4"):
            schemas.compiled(Schema.NFE)

    @staticmethod
    def _refusal(folder: Path) -> str:
        with pytest.raises(SchemaUnusable) as refused:
            Schemas(folder).compiled(Schema.NFE)
        assert str(folder / "PL" / "nfe_v4.00.xsd") in str(refused.value)
        return str(refused.value)
