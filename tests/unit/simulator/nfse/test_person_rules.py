"""Provider, taker and intermediary: who they are, and where."""

from functools import partial

import pytest

from support import CNPJ
from unit.simulator.mutating import after, both, says, without
from unit.simulator.nfse.declaring import ABROAD, ADDRESS, OTHER_CNPJ, TAKER_CPF
from unit.simulator.nfse.sefin import Breaking, ServiceCourt
from unit.simulator.rules.certificates import of_person
from unit.simulator.rules.edits import becomes, grown

TAKER, BETWEEN, PROVIDER = "infDPS/toma", "infDPS/interm", "infDPS/prest"
TAX = "infDPS/valores/trib/tribMun"
NOBODY = "<cNaoNIF>0</cNaoNIF>"
FOREIGNER = "<NIF>US-12</NIF>"

OF_PROVIDER = [
    Breaking("E0080", edit=says(f"{PROVIDER}/CNPJ", "11222333000182")),
    Breaking(
        "E0096",
        "by_person",
        says(f"{PROVIDER}/CPF", "11144477736"),
        issue=partial(of_person, cpf="11144477736"),
    ),
    Breaking("E0112", edit=becomes(f"{PROVIDER}/CNPJ", FOREIGNER)),
    Breaking("E0114", edit=becomes(f"{PROVIDER}/CNPJ", "<cNaoNIF>1</cNaoNIF>")),
    Breaking("E0121", edit=after(f"{PROVIDER}/CNPJ", "xNome", "LOJA MODELO LTDA")),
    Breaking("E0128", edit=grown(f"{PROVIDER}/CNPJ", ADDRESS)),
    Breaking("E0148", edit=after(f"{PROVIDER}/CNPJ", "email", "nenhum")),
    Breaking("E0162", "normal", after(f"{PROVIDER}/regTrib/opSimpNac", "regApTribSN", "1")),
    Breaking("E0162", "mei", after(f"{PROVIDER}/regTrib/opSimpNac", "regApTribSN", "1")),
    Breaking("E0166", edit=without(f"{PROVIDER}/regTrib/regApTribSN")),
    Breaking("E0172", "immune", says(f"{PROVIDER}/regTrib/regEspTrib", "1")),
    Breaking("E0174", "mei", says(f"{PROVIDER}/regTrib/regEspTrib", "1")),
    Breaking("E0175", edit=says(f"{PROVIDER}/regTrib/regEspTrib", "1")),
]
OF_TAKER = [
    Breaking("E0187", "normal", without(TAKER)),
    Breaking("E0188", edit=says(f"{TAKER}/CNPJ", "44455566000184")),
    Breaking("E0202", edit=says(f"{TAKER}/CNPJ", CNPJ)),
    Breaking("E0204", "normal_withheld", without(TAKER)),
    Breaking("E0206", "to_person", says(f"{TAKER}/CPF", "52998224726")),
    Breaking("E0223", "export", becomes(f"{TAKER}/NIF", f"<CPF>{TAKER_CPF}</CPF>")),
    Breaking("E0226", "export", becomes(f"{TAKER}/NIF", NOBODY)),
    Breaking("E0234", "normal", without(f"{TAKER}/end")),
    Breaking("E0237", "simples_withheld", without(f"{TAKER}/end")),
    Breaking("E0238", edit=says(f"{TAKER}/end/endNac/cMun", "3550309")),
    Breaking("E0240", edit=says(f"{TAKER}/end/endNac/CEP", "20040002")),
    Breaking("E0242", edit=becomes(f"{TAKER}/CNPJ", FOREIGNER)),
    Breaking("E0246", "export", says(f"{TAKER}/end/endExt/cPais", "BR")),
    Breaking("E0246", "export", says(f"{TAKER}/end/endExt/cPais", "XX")),
    Breaking("E0247", edit=says(f"{TAKER}/email", "tomador@example")),
]
NOT_WITHHELD = says(f"{TAX}/tpRetISSQN", "1")
WITH_TRADE = grown(
    "infDPS/serv/cServ",
    "<comExt><mdPrestacao>1</mdPrestacao><vincPrest>0</vincPrest><tpMoeda>220</tpMoeda>"
    "<vServMoeda>200.00</vServMoeda><mecAFComexP>01</mecAFComexP><mecAFComexT>01</mecAFComexT>"
    "<movTempBens>1</movTempBens><mdic>0</mdic></comExt>",
)
ABROAD_BETWEEN = both(NOT_WITHHELD, WITH_TRADE, becomes(f"{BETWEEN}/end", ABROAD))
OF_INTERMEDIARY = [
    Breaking("E0248", "between", says(f"{BETWEEN}/CNPJ", "66677788000184")),
    Breaking("E0262", "between", says(f"{BETWEEN}/CNPJ", "11222333000262")),
    Breaking("E0264", "between", without(BETWEEN)),
    Breaking("E0266", "between", both(NOT_WITHHELD, becomes(f"{BETWEEN}/CNPJ", "<CPF>52998224726</CPF>"))),
    Breaking("E0281", "between", ABROAD_BETWEEN),
    Breaking("E0286", "between", both(ABROAD_BETWEEN, becomes(f"{BETWEEN}/CNPJ", NOBODY))),
    Breaking("E0293", "between", without(f"{BETWEEN}/end")),
    Breaking("E0294", "between", says(f"{BETWEEN}/end/endNac/cMun", "3550309")),
    Breaking("E0296", "between", says(f"{BETWEEN}/end/endNac/CEP", "70040010")),
    Breaking("E0298", "between", both(NOT_WITHHELD, becomes(f"{BETWEEN}/CNPJ", FOREIGNER))),
    Breaking(
        "E0299",
        "between",
        both(
            ABROAD_BETWEEN,
            becomes(f"{BETWEEN}/CNPJ", FOREIGNER),
            says(f"{BETWEEN}/end/endExt/cPais", "BR"),
        ),
    ),
    Breaking("E0300", "between", says(f"{BETWEEN}/email", "i@ example.com")),
]
BREAKINGS = [*OF_PROVIDER, *OF_TAKER, *OF_INTERMEDIARY]
ALLOWED = [
    # E0235 is a rule of the data environment, for what cities share: the Sefin takes such a declaration.
    Breaking("E0234", edit=without(f"{TAKER}/end")),
    Breaking("E0202", edit=says(f"{TAKER}/CNPJ", "11222333000262")),
    Breaking("E0240", edit=says(f"{TAKER}/end/endNac/CEP", "13010000")),
    Breaking(
        "E0240",
        edit=both(says(f"{TAKER}/end/endNac/cMun", "5300108"), says(f"{TAKER}/end/endNac/CEP", "73015132")),
    ),
    Breaking("E0188", edit=says(f"{TAKER}/CNPJ", "12ABC34501DE35")),
    Breaking("E0242", "by_person", both(becomes(f"{TAKER}/CNPJ", FOREIGNER), says(f"{TAKER}/xNome", "ACME"))),
    Breaking("E0262", "between", says(f"{BETWEEN}/CNPJ", OTHER_CNPJ[:8] + "000264")),
    Breaking("E0226", "export", becomes(f"{TAKER}/NIF", "<cNaoNIF>1</cNaoNIF>")),
]
"""What comes near to breaking a rule."""


class TestPersonRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, service_court: ServiceCourt) -> None:
        service_court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, service_court: ServiceCourt) -> None:
        assert service_court.verdict_on(service_court.broken(allowed), allowed) == []
