"""Documents made to deceive whoever verifies their signature, or to keep it busy."""

import pytest

from carimbo.fiscal.signature import MAX_ATTRIBUTES, MAX_PREFIXES, Signer
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
    def test_no_signature_is_named_so(self, nfe: str) -> None:
        signature = nfe[nfe.index("<Signature ") : nfe.index("</NFe>")]
        for xml in (replaced(nfe, signature, ""), f"<NFe>{signature}</NFe>", "<NFe/>"):
            assert "não termina com uma assinatura" in refusal(xml)

    def test_a_signature_that_is_not_last_is_refused(self, nfe: str) -> None:
        assert "não termina" in refusal(replaced(nfe, "</NFe>", "<x></x></NFe>"))

    def test_a_second_signature_is_refused(self, nfe: str) -> None:
        signature = nfe[nfe.index("<Signature ") : nfe.index("</NFe>")]
        assert "grupos a mais" in refusal(replaced(nfe, signature, signature * 2))

    def test_a_group_of_another_namespace_is_refused(self, nfe: str) -> None:
        assert "não começa" in refusal(replaced(nfe, "<infNFe", '<infNFe xmlns="urn:x"'))

    @pytest.mark.parametrize("identifier", ["", "xpointer(/)", "1", "NFe 1", "ã"])
    def test_an_id_that_could_mean_something_else_is_refused(self, signer: Signer, identifier: str) -> None:
        xml = signed_document(signer).replace(ID, identifier)
        assert "Id válido" in refusal(xml)

    @pytest.mark.parametrize("name", ["Id", "ID", "id", "xml:id"])
    def test_an_id_held_twice_is_refused(self, nfe: str, name: str) -> None:
        inside = f'<lote xmlns="{NFE}"><x {name}="{ID}"/>{nfe}</lote>'
        assert "se repete" in refusal(inside, "n:NFe")

    @pytest.mark.parametrize("node", ["<!-- x -->", "<?x y?>"])
    def test_comments_and_instructions_are_refused_wherever_they_could_hide(
        self, nfe: str, node: str
    ) -> None:
        for place in ("<infNFe", "<cUF>", "</cUF>", "<Signature ", "</NFe>"):
            assert refusal(replaced(nfe, place, f"{node}{place}"))
        assert "comentários" in refusal(replaced(nfe, "<cUF>35", f"<cUF>3{node}5"))


class TestVerifyWrapped:
    """Documents that hold a good signature, and something else where readers look."""

    def test_the_signed_group_in_the_signature_and_a_forged_one_in_its_place(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        declared = replaced(real, "<infNFe", f'<infNFe xmlns="{NFE}"')
        hidden = replaced(nfe, "</Signature>", f"<Object>{declared}</Object></Signature>")
        xml = replaced(hidden, real, FORGED)
        assert "foge do padrão" in refusal(xml)

    def test_the_signed_group_in_the_forged_one(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        xml = replaced(nfe, real, replaced(FORGED, "</ide>", f"</ide>{real}"))
        assert accepted_by_xmlsec1(xml)
        assert "Reference" in refusal(xml)

    def test_the_signed_group_in_the_supplement(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        xml = replaced(nfe, real, f"{FORGED}<infNFeSupl>{real}</infNFeSupl>")
        assert accepted_by_xmlsec1(xml)
        assert "Reference" in refusal(xml)

    def test_the_forged_group_with_the_same_id(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        same = FORGED.replace(f"{ID}1", ID)
        xml = replaced(nfe, real, f"{same}<infNFeSupl>{real}</infNFeSupl>")
        assert "se repete" in refusal(xml)

    def test_the_forged_group_beside_the_signed_one(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        for both in (real + FORGED, FORGED + real):
            xml = replaced(nfe, real, both)
            assert accepted_by_xmlsec1(xml)
            assert "grupos a mais" in refusal(xml)


class TestVerifyCostly:
    """Small documents that would keep libxml2's C14N busy for minutes."""

    def test_namespaces_around_the_document_are_bounded(self, signer: Signer) -> None:
        def inside(count: int) -> str:
            namespaces = "".join(f' xmlns:p{n:02}="urn:{n}"' for n in range(count))
            return f"<lote{namespaces}>{signed_document(signer, namespaces=namespaces)}</lote>"

        # The default namespace is one of those in scope.
        assert verified(inside(MAX_PREFIXES - 1), "n:NFe").reference_id == ID
        assert "demais" in refusal(inside(MAX_PREFIXES), "n:NFe")

    def test_namespaces_in_the_document_are_bounded(self, signer: Signer) -> None:
        def content(count: int) -> str:
            return "".join(f'<p:a xmlns:p="urn:{n}"></p:a>' for n in range(count))

        assert verified(signed_document(signer, content(MAX_PREFIXES))).reference_id == ID
        assert "demais" in refusal(signed_document(signer, content(MAX_PREFIXES + 1)))

    def test_attributes_are_bounded(self, signer: Signer) -> None:
        def content(count: int) -> str:
            attributes = "".join(f' b{n:02}=""' for n in range(count))
            return f"<a{attributes}></a>"

        assert verified(signed_document(signer, content(MAX_ATTRIBUTES))).reference_id == ID
        assert "demais" in refusal(signed_document(signer, content(MAX_ATTRIBUTES + 1)))

    def test_what_c14n_cannot_write_is_refused(self, nfe: str) -> None:
        assert "canonizado" in refusal(replaced(nfe, "<cUF>", '<cUF xmlns:r="relative">'))
