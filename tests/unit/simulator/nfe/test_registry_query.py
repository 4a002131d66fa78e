"""CadConsultaCadastro4 and the registers behind it."""

import pytest
from lxml import etree

from carimbo.simulator.family import CallReply
from carimbo.simulator.nfe.dialect import NAMESPACE
from carimbo.simulator.registers import Contributor, Contributors
from support import CNPJ
from unit.fiscal.goods.support import BUYER_CNPJ, CPF
from unit.simulator.mutating import nfe
from unit.simulator.nfe.sefaz_client import REGISTRY, SefazClient, message_of, service_path, text_of

FARMER = Contributor(state="SP", tax_id=CPF, registration="110042490114", name="MARIA DA SILVA")
BRANCHES = [
    Contributor(state="SP", tax_id=tax_id, registration="111111110110", name=name, is_active=False)
    for tax_id, name in ((CNPJ, "LOJA MODELO LTDA"), ("11222333000262", "LOJA MODELO FILIAL"))
]


def ask(client: SefazClient, inside: str, authorizer: str = "SP") -> CallReply:
    message = (
        f'<ConsCad xmlns="{NAMESPACE}" versao="2.00"><infCons><xServ>CONS-CAD</xServ>{inside}</infCons>'
        "</ConsCad>"
    )
    return client.ask(service_path(REGISTRY, authorizer), message.encode())


def entries_of(answer: CallReply) -> list[etree._Element]:
    return message_of(answer).findall(f"{{{NAMESPACE}}}infCons/{{{NAMESPACE}}}infCad")


class TestRegister:
    def test_contributor_is_replaced_when_stored_again(self, client: SefazClient) -> None:
        register = Contributors(client.store)
        register.put(FARMER)
        register.put(Contributor(state="SP", tax_id=CPF, registration="110042490114", name="MARIA SOUZA"))
        assert [contributor.name for contributor in register.all()] == ["MARIA SOUZA"]

    def test_contributor_entered_by_an_operator_is_not_overwritten(self, client: SefazClient) -> None:
        register = Contributors(client.store)
        register.put(BRANCHES[0])
        client.authorized(nfe(client.signer))
        assert register.of_tax_id("SP", CNPJ) == [BRANCHES[0]]

    def test_unknown_details_of_a_contributor_are_ignored(self, client: SefazClient) -> None:
        register = Contributors(client.store)
        register.put(FARMER)
        client.store.connection.execute("update contributors set details = '{\"unknown\": 1}'")
        assert register.all() == [FARMER]


class TestQuestion:
    @pytest.mark.parametrize("identification", [f"<CPF>{CPF}</CPF>", "<IE>110042490114</IE>"])
    def test_one_taxpayer_is_found(self, identification: str, client: SefazClient) -> None:
        Contributors(client.store).put(FARMER)
        answer = ask(client, f"<UF>SP</UF>{identification}")
        assert (answer.code, text_of(answer, "infCons/cStat")) == ("111", "111")
        [only] = entries_of(answer)
        values = {child.tag.rpartition("}")[2]: child.text for child in only}
        assert values == {
            "IE": "110042490114",
            "CPF": CPF,
            "UF": "SP",
            "cSit": "1",
            "indCredNFe": "1",
            "indCredCTe": "4",
            "xNome": "MARIA DA SILVA",
        }

    def test_issuer_is_found_with_its_address(self, client: SefazClient) -> None:
        client.authorized(nfe(client.signer))
        [only] = entries_of(ask(client, f"<UF>SP</UF><CNPJ>{CNPJ}</CNPJ>"))
        assert only.findtext(f"{{{NAMESPACE}}}ender/{{{NAMESPACE}}}cMun") == "3550308"

    def test_taxpayers_with_the_same_registration_are_all_found(self, client: SefazClient) -> None:
        for branch in BRANCHES:
            Contributors(client.store).put(branch)
        answer = ask(client, "<UF>SP</UF><IE>111111110110</IE>")
        assert (answer.code, len(entries_of(answer))) == ("112", 2)

    def test_answer_repeats_the_query(self, client: SefazClient) -> None:
        answer = ask(client, f"<UF>SP</UF><CNPJ>{CNPJ}</CNPJ>")
        order = [child.tag.rpartition("}")[2] for child in message_of(answer)[0]]
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
    def test_invalid_query_is_refused(self, inside: str, code: str, client: SefazClient) -> None:
        answer = ask(client, inside)
        assert (answer.code, entries_of(answer)) == (code, [])
        assert text_of(answer, "infCons/xMotivo").startswith("Rejeição: ")

    def test_authority_of_several_states_answers_for_each(self, client: SefazClient) -> None:
        Contributors(client.store).put(
            Contributor(state="RJ", tax_id=CNPJ, registration="77040072", name="LOJA")
        )
        answer = ask(client, f"<UF>RJ</UF><CNPJ>{CNPJ}</CNPJ>", "SVRS")
        assert (answer.code, text_of(answer, "infCons/cUF")) == ("111", "33")
