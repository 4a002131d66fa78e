"""CadConsultaCadastro4 and the registers behind it."""

import pytest
from lxml import etree

from carimbo.simulator.contributors import Contributor, Contributors
from carimbo.simulator.family import Said
from carimbo.simulator.nfe.dialect import NAMESPACE
from support import CNPJ
from unit.fiscal.goods.support import BUYER_CNPJ, CPF
from unit.simulator.mutating import nfe
from unit.simulator.nfe.counter import REGISTRY, Counter, message_of, place, text_of

FARMER = Contributor(state="SP", tax_id=CPF, registration="110042490114", name="MARIA DA SILVA")
BRANCHES = [
    Contributor(state="SP", tax_id=tax_id, registration="111111110110", name=name, is_active=False)
    for tax_id, name in ((CNPJ, "LOJA MODELO LTDA"), ("11222333000262", "LOJA MODELO FILIAL"))
]


def ask(counter: Counter, inside: str, authorizer: str = "SP") -> Said:
    message = (
        f'<ConsCad xmlns="{NAMESPACE}" versao="2.00"><infCons><xServ>CONS-CAD</xServ>{inside}</infCons>'
        "</ConsCad>"
    )
    return counter.ask(place(REGISTRY, authorizer), message.encode())


def found(said: Said) -> list[etree._Element]:
    return message_of(said).findall(f"{{{NAMESPACE}}}infCons/{{{NAMESPACE}}}infCad")


class TestRegister:
    def test_who_is_put_in_again_is_replaced(self, counter: Counter) -> None:
        register = Contributors(counter.store)
        register.put(FARMER)
        register.put(Contributor(state="SP", tax_id=CPF, registration="110042490114", name="MARIA SOUZA"))
        assert [one.name for one in register.all()] == ["MARIA SOUZA"]

    def test_who_is_seen_again_stays_as_an_operator_put_it_in(self, counter: Counter) -> None:
        register = Contributors(counter.store)
        register.put(BRANCHES[0])
        counter.authorised(nfe(counter.signer))
        assert register.of_tax_id("SP", CNPJ) == [BRANCHES[0]]

    def test_details_of_another_version_are_passed_over(self, counter: Counter) -> None:
        register = Contributors(counter.store)
        register.put(FARMER)
        counter.store.connection.execute("update contributors set details = '{\"unknown\": 1}'")
        assert register.all() == [FARMER]


class TestQuestion:
    @pytest.mark.parametrize("who", [f"<CPF>{CPF}</CPF>", "<IE>110042490114</IE>"])
    def test_one_taxpayer_is_found(self, who: str, counter: Counter) -> None:
        Contributors(counter.store).put(FARMER)
        said = ask(counter, f"<UF>SP</UF>{who}")
        assert (said.code, text_of(said, "infCons/cStat")) == ("111", "111")
        [only] = found(said)
        told = {child.tag.rpartition("}")[2]: child.text for child in only}
        assert told == {
            "IE": "110042490114",
            "CPF": CPF,
            "UF": "SP",
            "cSit": "1",
            "indCredNFe": "1",
            "indCredCTe": "4",
            "xNome": "MARIA DA SILVA",
        }

    def test_an_issuer_is_found_with_its_address(self, counter: Counter) -> None:
        counter.authorised(nfe(counter.signer))
        [only] = found(ask(counter, f"<UF>SP</UF><CNPJ>{CNPJ}</CNPJ>"))
        assert only.findtext(f"{{{NAMESPACE}}}ender/{{{NAMESPACE}}}cMun") == "3550308"

    def test_several_that_share_a_registration_are_found(self, counter: Counter) -> None:
        for branch in BRANCHES:
            Contributors(counter.store).put(branch)
        said = ask(counter, "<UF>SP</UF><IE>111111110110</IE>")
        assert (said.code, len(found(said))) == ("112", 2)

    def test_the_answer_repeats_the_question(self, counter: Counter) -> None:
        said = ask(counter, f"<UF>SP</UF><CNPJ>{CNPJ}</CNPJ>")
        order = [child.tag.rpartition("}")[2] for child in message_of(said)[0]]
        assert order == ["verAplic", "cStat", "xMotivo", "UF", "CNPJ", "dhCons", "cUF"]

    @pytest.mark.parametrize(
        ("inside", "code"),
        [
            ("<UF>SP</UF>", "215"),
            (f"<UF>SP</UF><CNPJ>{CNPJ}</CNPJ><IE>1</IE>", "215"),
            (f"<CNPJ>{CNPJ}</CNPJ><UF>SP</UF>", "215"),
            (f"<UF>RJ</UF><CNPJ>{CNPJ}</CNPJ>", "265"),
            ("<UF>SP</UF><CNPJ>11222333000182</CNPJ>", "258"),
            (f"<UF>SP</UF><CNPJ>{BUYER_CNPJ}</CNPJ>", "259"),
            ("<UF>SP</UF><IE>000000000000</IE>", "260"),
            ("<UF>SP</UF><IE>111111110110</IE>", "261"),
            ("<UF>SP</UF><CPF>52998224700</CPF>", "263"),
            (f"<UF>SP</UF><CPF>{CPF}</CPF>", "264"),
        ],
    )
    def test_what_is_wrong_with_a_question_is_told(self, inside: str, code: str, counter: Counter) -> None:
        said = ask(counter, inside)
        assert (said.code, found(said)) == (code, [])
        assert text_of(said, "infCons/xMotivo").startswith("Rejeição: ")

    def test_an_authority_of_several_states_answers_for_each(self, counter: Counter) -> None:
        Contributors(counter.store).put(
            Contributor(state="RJ", tax_id=CNPJ, registration="77040072", name="LOJA")
        )
        said = ask(counter, f"<UF>RJ</UF><CNPJ>{CNPJ}</CNPJ>", "SVRS")
        assert (said.code, text_of(said, "infCons/cUF")) == ("111", "33")
