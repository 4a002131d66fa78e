"""The signed XML of an MDF-e: order of its elements, QR code, contingency, key, limits and XSDs."""

import base64
import re
from dataclasses import replace
from itertools import groupby

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA1
from lxml import etree

from carimbo.fiscal.documents.mdfe.definition import MDFE
from carimbo.fiscal.documents.mdfe.hints import hint_of
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.issuance import csrt_proof
from carimbo.fiscal.layouts.mdfe_v3.manifest import check
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.transport.making import judge_size
from support import OTHER_CNPJ
from unit.fiscal.documents.cte.bodies import ISSUED_AT, RECIPIENT_CNPJ, cte_key
from unit.fiscal.documents.cte.breaking import Breaking, emission
from unit.fiscal.documents.mdfe.bodies import GOOD, INSURANCE, SALVADOR
from unit.fiscal.documents.mdfe.breaking import manifest_of, places, review, signed_manifest, texts, written
from unit.fiscal.documents.mdfe.breakings_cargo import OFFLINE, RESPONSIBLE
from unit.fiscal.rules.breaking import GONE

QR_CODE = "infMDFeSupl/qrCodMDFe"
PORTAL = "https://dfe-portal.svrs.rs.gov.br/mdfe/qrCode"
EVERYTHING = Breaking(
    "",
    "",
    "full load",
    {
        "greenChannel": True,
        "tripStartsAt": "2026-11-24T09:00:00-03:00",
        "route": ["MG", "MS"],
        "modal.tollVouchers": GOOD["carrier"]["modal"]["tollVouchers"],
        "modal.tollAxles": 2,
        "modal.trailers": GOOD["carrier"]["modal"]["trailers"],
        "modal.portSchedulingCode": 4711,
        "modal.seals": ["L-1", 2],
        "seals": [3],
        "autXml": [{"taxId": RECIPIENT_CNPJ}],
        "additional": {"notes": "Para todos", "authorityNotes": "Para o fisco"},
        "techResponsible": RESPONSIBLE | {"csrtId": "001", "csrt": "G8063VRTND"},
    },
    {"tradeName": "Alvorada", "phone": "1133334444"},
)


@pytest.mark.parametrize(
    ("path", "tags"),
    [
        ("", "infMDFe infMDFeSupl Signature"),
        ("infMDFe", "ide emit infModal infDoc seg prodPred tot lacres autXML infAdic infRespTec"),
        (
            "infMDFe/ide",
            "cUF tpAmb tpEmit tpTransp mod serie nMDF cMDF cDV modal dhEmi tpEmis procEmi verProc UFIni UFFim"
            " infMunCarrega infPercurso dhIniViagem indCanalVerde",
        ),
        ("infMDFe/emit", "CNPJ IE xNome xFant enderEmit"),
        ("infMDFe/infModal/rodo", "infANTT veicTracao veicReboque codAgPorto lacRodo"),
        ("infMDFe/infModal/rodo/infANTT", "RNTRC infCIOT valePed infContratante infPag"),
        (
            "infMDFe/infModal/rodo/infANTT/infPag",
            "xNome CNPJ Comp vContrato indPag vAdiant infPrazo tpAntecip infBanc",
        ),
        ("infMDFe/infModal/rodo/veicTracao", "placa RENAVAM tara capKG prop condutor tpRod tpCar UF"),
        ("infMDFe/infModal/rodo/veicReboque", "placa RENAVAM tara capKG tpCar UF"),
        ("infMDFe/infRespTec", "CNPJ xContato email fone idCSRT hashCSRT"),
    ],
)
def test_elements_are_in_the_order_of_the_layout(path: str, tags: str, signer: Signer) -> None:
    manifest = manifest_of(EVERYTHING, signer)
    parent = manifest.find("/".join(f"{{*}}{tag}" for tag in path.split("/"))) if path else manifest
    assert parent is not None
    # Repeated elements are neighbours.
    assert [tag for tag, _ in groupby(etree.QName(child).localname for child in parent)] == tags.split()


@pytest.mark.parametrize("letters", [False, True])
@pytest.mark.parametrize("good", GOOD)
def test_signed_manifest_is_valid_by_both_xsds(
    good: str, signer: Signer, schemas: Schemas, *, letters: bool
) -> None:
    breaking = Breaking("", "", good, company={"taxId": OTHER_CNPJ} if letters else {})
    signed = signed_manifest(breaking, signer)
    assert check(signed, schemas) == ()
    verified = verify(etree.fromstring(signed.xml))
    assert (verified.reference_id, verified.signed_tag) == (f"MDFe{signed.access_key}", "infMDFe")
    identity = MDFE.issuing.identity(signed.xml)
    assert (identity.access_key, identity.issued_at) == (signed.access_key, ISSUED_AT)


@pytest.mark.parametrize(
    ("tag", "path"),
    [
        ("RNTRC", "modal.rntrc"),
        ("CIOT", "modal.ciots[0].ciot"),
        ("CNPJForn", "modal.tollVouchers[0].supplierTaxId"),
        ("categCombVeic", "modal.tollAxles"),
        ("codAgencia", "payments[0].bank.branch"),
        ("CPF", "modal.vehicle.owner.taxId"),
        ("placa", "modal.vehicle.plate"),
        ("tara", "modal.vehicle.tareKg"),
        ("cMunDescarga", "documents[0].cityCode"),
        ("chCTe", "documents[0].cteAccessKeys[0]"),
        ("respSeg", "insurance[0].responsible"),
        ("tpCarga", "predominantProduct.cargoType"),
        ("CEP", "company.address.zipcode"),
        ("latitude", "predominantProduct.fullLoad.unloading.latitude"),
        ("cUnid", "cargoUnit"),
    ],
)
def test_both_xsds_name_the_field_of_the_caller(
    tag: str, path: str, signer: Signer, schemas: Schemas
) -> None:
    account = {"payments[0].pixKey": GONE, "payments[0].bank": {"code": "001", "branch": "1234"}}
    signed = signed_manifest(replace(EVERYTHING, body=EVERYTHING.body | account), signer)
    wrong = re.sub(rf"<{tag}>[^<]+<", f"<{tag}>Ω<", signed.xml.decode(), count=1).encode()
    assert [problem.path for problem in check(replace(signed, xml=wrong), schemas)] == [path]


class TestTheQrCode:
    @pytest.mark.parametrize(("environment", "code"), [("PRODUCTION", "1"), ("HOMOLOGATION", "2")])
    def test_normal_emission_has_key_and_environment(
        self, environment: str, code: str, signer: Signer
    ) -> None:
        normal = Breaking("", "", "own cargo", under=emission(environment=Environment[environment]))
        signed = signed_manifest(normal, signer)
        manifest = etree.fromstring(signed.xml)
        assert texts(manifest, QR_CODE) == [f"{PORTAL}?chMDFe={signed.access_key}&tpAmb={code}"]
        assert texts(manifest, "tpEmis") == ["1"]

    def test_contingency_has_the_signature_of_the_key(
        self, signer: Signer, certificate: A1Certificate
    ) -> None:
        signed = signed_manifest(Breaking("", "", "own cargo", under=OFFLINE), signer)
        manifest = etree.fromstring(signed.xml)
        assert texts(manifest, "tpEmis") == ["2"]
        assert signed.access_key[34] == "2"
        (qr_code,) = texts(manifest, QR_CODE)
        address, separator, signature = (qr_code or "").partition("&sign=")
        assert (address, separator) == (f"{PORTAL}?chMDFe={signed.access_key}&tpAmb=2", "&sign=")
        certificate.private_key.public_key().verify(
            base64.b64decode(signature, validate=True), signed.access_key.encode(), PKCS1v15(), SHA1()
        )

    def test_contingency_leaves_the_reason_out(self, signer: Signer) -> None:
        manifest = manifest_of(Breaking("", "", "own cargo", under=OFFLINE), signer)
        assert [texts(manifest, tag) for tag in ("dhCont", "xJust")] == [[], []]


def test_security_code_of_the_responsible_is_proved_with_the_key(signer: Signer) -> None:
    signed = signed_manifest(EVERYTHING, signer)
    proof = csrt_proof("G8063VRTND", AccessKey.parse(signed.access_key))
    assert texts(etree.fromstring(signed.xml), "hashCSRT") == [proof]


class TestTheSize:
    def test_manifest_of_two_thousand_documents_is_accepted(self, signer: Signer) -> None:
        cities = {SALVADOR: range(1, 1001), "2910800": range(1001, 2001)}
        documents = [
            {"cityCode": city, "cteAccessKeys": [cte_key(number) for number in numbers]}
            for city, numbers in cities.items()
        ]
        assert written(signer, "tot/qCTe", {"documents": documents}, "carrier") == ["2000"]

    def test_manifest_of_512_kb_is_accepted(self) -> None:
        assert judge_size("documents", hint_of, b"x" * 512 * 1024).problems == ()

    def test_longer_manifest_is_refused(self, signer: Signer) -> None:
        endorsements = [f"{number:040}" for number in range(1000)]
        insurance = [INSURANCE | {"endorsements": endorsements}] * 12
        long = Breaking("", "", "carrier", {"insurance": insurance})
        assert places(long, signer) == [("214", "documents")]
        (problem,) = review(long, signer).problems
        assert problem.message.endswith("e a SEFAZ recebe até 512 KB.")
        assert problem.hint == hint_of("214")
