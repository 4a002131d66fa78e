"""Filters of lists: whatever an address says, the page opens and its file is complete."""

import pytest

from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel
from support import Caller

_DAYS = ("0001-01-01", "9999-12-31")
_MONTHS = ("0001-01", "9999-12")
_LARGE = "2147483648"
"""More than the column of a series can hold."""
_FILTERS = (
    *(
        f"{page}inicio={day}&fim={day}"
        for page in (
            "/registro?",
            "{company}/documentos?",
            "{company}/vendas?",
            "/webhooks/{webhook}?",
        )
        for day in _DAYS
    ),
    *(f"{{company}}/recebidos?mes={month}" for month in _MONTHS),
    f"{{company}}/documentos?serie={_LARGE}",
    f"{{company}}/documentos?numero={'9' * 15}&serie=99999",
    f"{{company}}/documentos?numero={'9' * 5000}&pagina={'9' * 5000}",
    f"{{company}}/documentos?busca={'9' * 18}",
)


@pytest.fixture
async def webhook(caller: Caller) -> str:
    body = {"url": "http://127.0.0.1:9/", "events": {"invoice": ["nfe.authorized"]}}
    return str((await caller.http.post("/v1/webhooks", json=body)).json()["data"]["id"])


@pytest.mark.parametrize("address", _FILTERS, ids=range(len(_FILTERS)))
async def test_list_and_its_file_open_with_every_day_and_number(
    address: str, caller: Caller, panel: Panel, webhook: str
) -> None:
    company_id = await caller.create_company()
    rest = address.format(company=f"/empresas/{company_id}", webhook=webhook)
    await panel.page(panel.base + rest)
    file = await panel.http.get(f"{panel.base}{rest}&formato=csv")
    assert file.headers["content-type"].startswith("text/csv")


@pytest.mark.parametrize("month", _MONTHS)
async def test_totals_open_in_every_month(month: str, caller: Caller, panel: Panel) -> None:
    company_id = await caller.create_company()
    await panel.page(f"{panel.company(company_id)}/recebidos/totais?mes={month}")


@pytest.mark.parametrize("day", _DAYS)
async def test_fiscal_calendar_opens_on_every_day(day: str, sign_in_as: NewPanel) -> None:
    operator = await sign_in_as(None, None, is_operator=True)
    await operator.page(f"/painel/operacao/calendario?dia={day}")
    await operator.page(f"/painel/operacao/registro?inicio={day}&fim={day}")
