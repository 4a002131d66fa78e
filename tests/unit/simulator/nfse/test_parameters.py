"""City parameters of the national data environment."""

import json

import pytest

from unit.simulator.nfse.declaring import BRASILIA, CAMPINAS, PORTO_ALEGRE
from unit.simulator.nfse.sefin import ADN, Sefin

OK = "Parâmetros do convênio recuperados com sucesso."


class TestAgreement:
    @pytest.mark.parametrize(
        ("city", "emitter"), [(CAMPINAS, 1), ("3550308", 1), ("1100015", 1), (PORTO_ALEGRE, 0)]
    )
    async def test_agreement_says_whether_the_city_uses_the_national_emitter(
        self, city: str, emitter: int, sefin: Sefin
    ) -> None:
        answer = await sefin.ask("GET", f"{ADN}/{city}/convenio")
        assert answer.status == 200
        assert answer.body == {
            "parametrosConvenio": {
                "aderenteAmbienteNacional": 1,
                "aderenteEmissorNacional": emitter,
                "situacaoEmissaoPadraoContribuintesRFB": 1,
                "aderenteMAN": 0,
                "permiteAproveitametoDeCreditos": False,
            },
            "mensagem": OK,
        }

    @pytest.mark.parametrize(("city", "name"), [(BRASILIA, "<Brasília/DF>"), ("9999999", "<9999999>")])
    async def test_agreement_of_a_city_that_has_not_joined_is_not_found(
        self, city: str, name: str, sefin: Sefin
    ) -> None:
        answer = await sefin.ask("GET", f"{ADN}/{city}/convenio")
        assert (answer.status, answer.body["parametrosConvenio"]) == (404, None)
        assert name in answer.body["mensagem"]

    async def test_query_of_an_agreement_is_in_the_journal(self, sefin: Sefin) -> None:
        await sefin.ask("GET", f"{ADN}/{CAMPINAS}/convenio")
        entry = sefin.entries()[-1]
        assert (entry.authorizer, entry.service) == ("ADN", "GET /{municipio}/convenio")
        assert (entry.subject, entry.code, entry.message) == (CAMPINAS, "200", OK)


class TestRate:
    @pytest.mark.parametrize(
        ("city", "service", "rate"),
        [
            ("3550308", "01.01.01.000", 2.0),
            ("3550308", "01.07.01.001", 2.9),
            ("3304557", "01.01.01.000", 5.0),
            (CAMPINAS, "11.01.01.000", 5.0),
        ],
    )
    async def test_rate_is_that_of_the_city_and_the_service(
        self, city: str, service: str, rate: float, sefin: Sefin
    ) -> None:
        answer = await sefin.ask("GET", f"{ADN}/{city}/{service}/2026-11-14/aliquota")
        assert answer.status == 200
        assert answer.body["aliquotas"] == {
            service: [{"Incidencia": "SIM", "Aliq": rate, "DtIni": "2023-01-01T00:00:00", "DtFim": None}]
        }

    @pytest.mark.parametrize(
        ("city", "service"),
        [(BRASILIA, "01.01.01.000"), (CAMPINAS, "20.01.01.000"), (CAMPINAS, "01.01.99.000")],
    )
    async def test_rate_of_a_service_that_the_city_does_not_administer_is_not_found(
        self, city: str, service: str, sefin: Sefin
    ) -> None:
        answer = await sefin.ask("GET", f"{ADN}/{city}/{service}/2026-11-14/aliquota")
        assert answer.status == 404
        assert answer.body == {"aliquotas": None, "mensagem": "Alíquotas não encontradas."}

    @pytest.mark.parametrize("service", ["010101", "010101000", "01.01.01"])
    async def test_unformatted_service_code_is_a_bad_request(self, service: str, sefin: Sefin) -> None:
        answer = await sefin.ask("GET", f"{ADN}/{CAMPINAS}/{service}/2026-11-14/aliquota")
        assert (answer.status, answer.body["aliquotas"]) == (400, None)

    async def test_invalid_date_is_a_bad_request(self, sefin: Sefin) -> None:
        answer = await sefin.ask("GET", f"{ADN}/{CAMPINAS}/01.01.01.000/14-11-2026/aliquota")
        assert answer.status == 400
        assert answer.body["errors"] == {"competencia": ["The value '14-11-2026' is not valid."]}

    async def test_rate_has_a_history_with_one_entry(self, sefin: Sefin) -> None:
        answer = await sefin.ask("GET", f"{ADN}/{CAMPINAS}/01.01.01.000/historicoaliquotas")
        assert (answer.status, len(answer.body["aliquotas"]["01.01.01.000"])) == (200, 1)
        assert json.loads(answer.reply.body)["mensagem"].startswith("Histórico")
