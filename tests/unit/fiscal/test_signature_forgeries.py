"""Documents made to deceive the verification of their signature, or to keep it busy."""

import pytest

from carimbo.fiscal.identity.signature import MAX_ATTRIBUTES, MAX_PREFIXES, Signer
from unit.fiscal.signed_texts import (
    ID,
    NFE,
    accepted_by_xmlsec1,
    element,
    refusal,
    replaced,
    signed_document,
    verified,
)

FORGED = f'<infNFe Id="{ID}1" versao="4.00"><ide><cUF>43</cUF></ide></infNFe>'


class TestVerifyPlace:
    def test_missing_signature_is_reported(self, nfe: str) -> None:
        signature = nfe[nfe.index("<Signature ") : nfe.index("</NFe>")]
        for xml in (replaced(nfe, signature, ""), f"<NFe>{signature}</NFe>", "<NFe/>"):
            assert "não termina com uma assinatura" in refusal(xml)

    def test_signature_that_is_not_last_is_refused(self, nfe: str) -> None:
        assert "não termina" in refusal(replaced(nfe, "</NFe>", "<x></x></NFe>"))

    def test_second_signature_is_refused(self, nfe: str) -> None:
        signature = nfe[nfe.index("<Signature ") : nfe.index("</NFe>")]
        assert "grupos a mais" in refusal(replaced(nfe, signature, signature * 2))

    def test_group_of_another_namespace_is_refused(self, nfe: str) -> None:
        assert "não começa" in refusal(replaced(nfe, "<infNFe", '<infNFe xmlns="urn:x"'))

    @pytest.mark.parametrize("identifier", ["", "xpointer(/)", "1", "NFe 1", "ã"])
    def test_ambiguous_id_is_refused(self, signer: Signer, identifier: str) -> None:
        xml = signed_document(signer).replace(ID, identifier)
        assert "Id válido" in refusal(xml)

    @pytest.mark.parametrize("name", ["Id", "ID", "id", "xml:id"])
    def test_repeated_id_is_refused(self, nfe: str, name: str) -> None:
        inside = f'<lote xmlns="{NFE}"><x {name}="{ID}"/>{nfe}</lote>'
        assert "se repete" in refusal(inside, "n:NFe")

    @pytest.mark.parametrize("node", ["<!-- x -->", "<?x y?>"])
    def test_comments_and_instructions_are_refused_everywhere(self, nfe: str, node: str) -> None:
        for place in ("<infNFe", "<cUF>", "</cUF>", "<Signature ", "</NFe>"):
            assert refusal(replaced(nfe, place, f"{node}{place}"))
        assert "comentários" in refusal(replaced(nfe, "<cUF>35", f"<cUF>3{node}5"))


class TestVerifyWrapped:
    """Documents with a valid signature, and something else where readers look."""

    def test_signed_group_moved_into_the_signature_is_refused(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        declared = replaced(real, "<infNFe", f'<infNFe xmlns="{NFE}"')
        hidden = replaced(nfe, "</Signature>", f"<Object>{declared}</Object></Signature>")
        xml = replaced(hidden, real, FORGED)
        assert "foge do padrão" in refusal(xml)

    def test_signed_group_moved_into_the_forged_one_is_refused(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        xml = replaced(nfe, real, replaced(FORGED, "</ide>", f"</ide>{real}"))
        assert accepted_by_xmlsec1(xml)
        assert "Reference" in refusal(xml)

    def test_signed_group_moved_into_the_supplement_is_refused(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        xml = replaced(nfe, real, f"{FORGED}<infNFeSupl>{real}</infNFeSupl>")
        assert accepted_by_xmlsec1(xml)
        assert "Reference" in refusal(xml)

    def test_forged_group_with_the_same_id_is_refused(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        same = FORGED.replace(f"{ID}1", ID)
        xml = replaced(nfe, real, f"{same}<infNFeSupl>{real}</infNFeSupl>")
        assert "se repete" in refusal(xml)

    def test_forged_group_beside_the_signed_one_is_refused(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        for both in (real + FORGED, FORGED + real):
            xml = replaced(nfe, real, both)
            assert accepted_by_xmlsec1(xml)
            assert "grupos a mais" in refusal(xml)


class TestVerifyCostly:
    """Small documents that would keep libxml2's C14N busy for minutes."""

    def test_number_of_namespaces_around_the_document_is_limited(self, signer: Signer) -> None:
        def inside(count: int) -> str:
            namespaces = "".join(f' xmlns:p{n:02}="urn:{n}"' for n in range(count))
            return f"<lote{namespaces}>{signed_document(signer, namespaces=namespaces)}</lote>"

        # The default namespace is one of those in scope.
        assert verified(inside(MAX_PREFIXES - 1), "n:NFe").reference_id == ID
        assert "demais" in refusal(inside(MAX_PREFIXES), "n:NFe")

    def test_number_of_namespaces_in_the_document_is_limited(self, signer: Signer) -> None:
        def content(count: int) -> str:
            return "".join(f'<p:a xmlns:p="urn:{n}"></p:a>' for n in range(count))

        assert verified(signed_document(signer, content(MAX_PREFIXES))).reference_id == ID
        assert "demais" in refusal(signed_document(signer, content(MAX_PREFIXES + 1)))

    def test_number_of_attributes_is_limited(self, signer: Signer) -> None:
        def content(count: int) -> str:
            attributes = "".join(f' b{n:02}=""' for n in range(count))
            return f"<a{attributes}></a>"

        assert verified(signed_document(signer, content(MAX_ATTRIBUTES))).reference_id == ID
        assert "demais" in refusal(signed_document(signer, content(MAX_ATTRIBUTES + 1)))

    def test_document_that_c14n_cannot_write_is_refused(self, nfe: str) -> None:
        assert "canonizado" in refusal(replaced(nfe, "<cUF>", '<cUF xmlns:r="relative">'))
