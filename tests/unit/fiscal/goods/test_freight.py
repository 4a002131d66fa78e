"""How goods travel."""

from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.goods.freight import FreightBody
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from unit.fiscal.goods.support import BUYER_CNPJ, CPF, issued_nfe, misformed, nfe, refused, said

VOLUME = {"quantity": 3, "kind": "CAIXA", "brand": "MODELO", "grossWeight": 10.5, "netWeight": 9.75}


def told(path: str, **freight: Any) -> str | None:
    return said(nfe(freight=freight), f"transp/{path}")


class TestFreight:
    def test_is_none_unless_it_is_given(self) -> None:
        assert said(nfe(), "transp/modFrete") == told("modFrete") == "9"

    @pytest.mark.parametrize(
        ("mode", "code"),
        [
            ("sender", "0"),
            ("recipient", "1"),
            ("thirdParty", "2"),
            ("ownBySender", "3"),
            ("ownByRecipient", "4"),
            ("none", "9"),
        ],
    )
    def test_has_a_word_for_every_code(self, mode: str, code: str) -> None:
        assert told("modFrete", mode=mode) == code

    def test_with_all_that_can_be_told_stands_before_the_xsd(self, signer: Signer) -> None:
        freight = {
            "mode": "sender",
            "carrier": {
                "taxId": BUYER_CNPJ,
                "name": "Rápido Ltda",
                "stateRegistration": "ISENTO",
                "address": "Rua 2",
                "city": "Santos",
                "state": "SP",
            },
            "vehicle": {"plate": "ABC1D23", "state": "SP"},
            "trailers": [{"plate": "ABC1D24", "state": "SP"}],
            "volumes": [VOLUME],
        }
        document = issued_nfe(signer, freight=freight)
        assert isinstance(document, SignedDocument), document
        assert f"<transporta><CNPJ>{BUYER_CNPJ}</CNPJ><xNome>Rápido Ltda</xNome>" in document.xml.decode()

    def test_with_a_volume_of_which_nothing_is_told_is_refused_at_it(self, signer: Signer) -> None:
        problems = issued_nfe(signer, freight={"volumes": [VOLUME, {}, {"seals": []}]})
        assert refused(problems) == {
            "freight.volumes[1]": "O campo está vazio.",
            "freight.volumes[2]": "O campo está vazio.",
        }

    @pytest.mark.parametrize(
        ("name", "one", "most"),
        [("trailers", {"plate": "ABC1D24", "state": "SP"}, 5), ("volumes", {"kind": "CX"}, 5000)],
    )
    def test_has_no_more_of_anything_than_the_xsd(
        self, signer: Signer, name: str, one: dict[str, Any], most: int
    ) -> None:
        assert isinstance(issued_nfe(signer, freight={name: [one] * most}), SignedDocument)
        with pytest.raises(ValidationError) as raised:
            FreightBody.model_validate({name: [one] * (most + 1)})
        assert misformed(raised.value) == {name: f"Deve ter no máximo {most} itens."}

    def test_by_a_person_tells_the_cpf(self) -> None:
        assert told("transporta/CPF", mode="sender", carrier={"taxId": CPF}) == CPF
