"""The status codes of the authorities, and the action that each of them leads to."""

import re

import pytest

from carimbo.fiscal.goods.hints import hints
from carimbo.fiscal.tables.statuses import (
    CTE_STATUSES,
    MDFE_STATUSES,
    NFE_STATUSES,
    REJECTIONS,
    Action,
    AuthorityStatus,
)
from carimbo.fiscal.tables.table import Table
from carimbo.fiscal.taxes.pis_cofins import PIS_COFINS_ENDED
from unit.fiscal.rules.goods_rules import GOODS_RULES

STATUSES = [NFE_STATUSES, CTE_STATUSES, MDFE_STATUSES]


class TestStatuses:
    @pytest.mark.parametrize(
        ("code", "action"),
        [
            ("100", Action.AUTHORIZED),
            ("120", Action.AUTHORIZED),
            ("150", Action.AUTHORIZED_LATE),
            ("101", Action.CANCELED),
            ("155", Action.CANCELED_LATE),
            ("204", Action.DUPLICATE),
            ("217", Action.NOT_FOUND),
            ("302", Action.DENIED),
            ("656", Action.THROTTLED),
            ("156", Action.REJECTION),
            ("163", Action.REJECTION_BY_REGISTER),
            ("180", Action.REJECTION_BY_REGISTER),
            ("215", Action.REJECTION_OF_MESSAGE),
            ("280", Action.REJECTION_OF_CERTIFICATE),
            ("501", Action.REJECTION_BY_DEADLINE),
            ("610", Action.REJECTION),
            ("244", Action.REJECTION),
            ("701", Action.REJECTION),
            ("770", Action.REJECTION),
            ("1115", Action.REJECTION),
            ("1283", Action.REJECTION),
        ],
    )
    def test_status_of_nfe_has_its_action(self, code: str, action: Action) -> None:
        assert NFE_STATUSES[code].action is action

    @pytest.mark.parametrize(
        ("code", "text"),
        [
            ("156", "NFC-e não pode ser emitida por contribuinte exclusivo do IBS/CBS"),
            ("244", "Processo de Emissão pelo Contribuinte incompatível com a Série da NF"),
            ("270", "Código Município do Fato Gerador de ICMS inexistente"),
            ("321", "NF-e de devolução de mercadoria não possui documento fiscal referenciado por item"),
            ("337", "CFOP inválido para emitente MEI (CRT=4)"),
            ("522", "Chave de Acesso referenciada com UF inválida"),
            ("590", "Informado CST para emissor do Simples Nacional (CRT=1 ou 4)"),
            ("605", "Total do vServ difere do somatório do vProd dos itens sujeitos ao ISSQN"),
            ("681", "Proibido informar NF referenciada"),
            ("770", "CFOP Inexistente"),
            ("963", "Tipo de pagamento não aceita o grupo de cartões ou boletos"),
            ("1283", "Total Líquido difere do somatório dos itens"),
        ],
    )
    def test_status_of_nfe_has_the_text_of_the_newest_note(self, code: str, text: str) -> None:
        assert NFE_STATUSES[code].text == text

    def test_statuses_of_nfe_that_ended_are_kept_for_older_documents(self) -> None:
        assert {"723", "754", "767", "786", "794"} <= set(NFE_STATUSES)
        assert NFE_STATUSES["794"].text == "NF-e com indicativo de NFC-e com entrega a domicílio"

    def test_every_code_of_a_rule_or_a_hint_is_a_status_of_nfe(self) -> None:
        codes = {rule.code for rule in GOODS_RULES} | set(hints())
        # No authority has a code for contributions that ended.
        assert codes - set(NFE_STATUSES) == {PIS_COFINS_ENDED}

    def test_statuses_of_transport_differ_where_the_manuals_do(self) -> None:
        assert CTE_STATUSES["678"].action is MDFE_STATUSES["678"].action is Action.THROTTLED
        assert NFE_STATUSES["678"].action is Action.REJECTION
        assert CTE_STATUSES["631"].action is MDFE_STATUSES["631"].action is Action.EVENT_DUPLICATE
        assert MDFE_STATUSES["132"].action is MDFE_STATUSES["609"].action is Action.CLOSED
        assert MDFE_STATUSES["686"].action is Action.OPEN_BEFORE
        assert (MDFE_STATUSES["111"].action, MDFE_STATUSES["112"].action) == ("found", "nothing_found")

    @pytest.mark.parametrize(
        ("code", "action"),
        [
            ("204", Action.DUPLICATE),
            ("539", Action.DUPLICATE),
            ("216", Action.KEY_DIFFERS),
            ("600", Action.KEY_DIFFERS),
            ("217", Action.NOT_FOUND),
            ("218", Action.ALREADY_CANCELED),
            ("113", Action.CONTINGENCY_CLOSING),
            ("114", Action.CONTINGENCY_CLOSED),
            ("134", Action.EVENT_REGISTERED),
            ("136", Action.EVENT_REGISTERED),
            ("203", Action.REJECTION_BY_REGISTER),
            ("220", Action.REJECTION_BY_DEADLINE),
            ("787", Action.REJECTION_BY_DEADLINE),
            ("213", Action.REJECTION_OF_CERTIFICATE),
            ("244", Action.REJECTION_OF_MESSAGE),
            ("580", Action.REJECTION_OF_MESSAGE),
            ("599", Action.REJECTION_OF_MESSAGE),
            ("630", Action.REJECTION_OF_MESSAGE),
            ("933", Action.REJECTION),
            ("997", Action.UNDECIDED),
        ],
    )
    def test_status_of_cte_has_its_action(self, code: str, action: Action) -> None:
        assert CTE_STATUSES[code].action is action

    @pytest.mark.parametrize(
        ("code", "action"),
        [
            ("137", Action.NOTHING_FOUND),
            ("138", Action.FOUND),
            ("204", Action.DUPLICATE),
            ("539", Action.DUPLICATE),
            ("216", Action.KEY_DIFFERS),
            ("600", Action.KEY_DIFFERS),
            ("217", Action.NOT_FOUND),
            ("218", Action.ALREADY_CANCELED),
            ("203", Action.REJECTION_BY_REGISTER),
            ("521", Action.REJECTION_BY_REGISTER),
            ("522", Action.REJECTION),
            ("681", Action.REJECTION_BY_REGISTER),
            ("733", Action.REJECTION_BY_REGISTER),
            ("220", Action.REJECTION_BY_DEADLINE),
            ("228", Action.REJECTION),
            ("304", Action.REJECTION),
            ("684", Action.REJECTION),
            ("213", Action.REJECTION_OF_CERTIFICATE),
            ("242", Action.REJECTION_OF_MESSAGE),
            ("580", Action.REJECTION_OF_MESSAGE),
            ("656", Action.REJECTION),
            ("997", Action.UNDECIDED),
            ("998", Action.UNDECIDED),
        ],
    )
    def test_status_of_mdfe_has_its_action(self, code: str, action: Action) -> None:
        assert MDFE_STATUSES[code].action is action

    def test_open_manifests_block_with_six_codes(self) -> None:
        blocking = {status.code for status in MDFE_STATUSES.values() if status.action is Action.OPEN_BEFORE}
        assert blocking == {"462", "610", "611", "662", "686", "712"}

    def test_statuses_of_mdfe_cover_the_notes_after_the_manual(self) -> None:
        codes = {
            *range(301, 305),
            *range(518, 531),
            *range(722, 735),
            *range(747, 750),
            *range(909, 918),
            959,
        }
        assert {str(code) for code in codes} <= set(MDFE_STATUSES)

    def test_distribution_of_cte_blocks_with_the_code_of_nfe(self) -> None:
        assert CTE_STATUSES["656"].action is Action.THROTTLED

    def test_statuses_of_cte_have_no_lots_and_no_inutilization_any_more(self) -> None:
        ended = {Action.PROCESSING, Action.PROCESSED, Action.INUTILIZED}
        assert [status.code for status in CTE_STATUSES.values() if status.action in ended] == []

    def test_statuses_of_older_documents_of_cte_are_kept(self) -> None:
        denied = {status.code for status in CTE_STATUSES.values() if status.action is Action.DENIED}
        assert denied == {"110", "205", "301", "302", "303", "304", "305", "306"}
        assert CTE_STATUSES["206"].action is Action.ALREADY_INUTILIZED

    @pytest.mark.parametrize("table", STATUSES, ids=lambda table: table.name)
    def test_statuses_below_200_are_rejections_only_by_registers_and_epec(
        self, table: Table[str, AuthorityStatus]
    ) -> None:
        refused = {int(code) for code, status in table.items() if status.action in REJECTIONS}
        registers = {*range(156, 189)} - {160, 172, 174}
        expected = {142, *registers} if table is NFE_STATUSES else set()
        assert {code for code in refused if code < 200} == expected

    @pytest.mark.parametrize("table", STATUSES, ids=lambda table: table.name)
    def test_statuses_have_the_official_text_alone(self, table: Table[str, AuthorityStatus]) -> None:
        odd = re.compile(r"(?i)rejei|contador|no passo|painel|\bnItem|\[[a-z]|\.$|\b(nao|operacao|emissao)\b")
        assert [status.text for status in table.values() if odd.search(status.text)] == []
        assert all(re.match(r"[A-ZÁÉÍÓÚ]|[a-z]{1,2}[A-Z]", status.text) for status in table.values())
