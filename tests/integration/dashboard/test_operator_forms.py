"""The operator creates and changes plans and subscriptions on pages."""

from uuid import UUID, uuid4

import pytest

from carimbo.service.access import Authenticator
from carimbo.service.plan_bodies import TWO_COUNTS, WRONG_NAME
from carimbo.service.subscriptions import define_plan, list_plans, list_subscriptions
from carimbo.storage.database import Database
from carimbo.storage.subscriptions import Subscription, SubscriptionPlan
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel, strings_of, words_of
from support import Caller

ROOT = "/painel/operacao"
PLANS = f"{ROOT}/planos"


@pytest.fixture
async def operator(sign_in_as: NewPanel) -> Panel:
    return await sign_in_as(None, None, is_operator=True)


@pytest.fixture
def new_name() -> str:
    """The name of a plan that does not exist."""
    return f"plano-{uuid4().hex[:12]}"


async def plan_named(database: Database, name: str) -> SubscriptionPlan | None:
    return next((plan for plan in await list_plans(database) if plan.name == name), None)


async def subscription_of(database: Database, subscription_id: UUID) -> Subscription:
    return next(each for each in await list_subscriptions(database) if each.id == subscription_id)


class TestNewPlan:
    async def test_plan_is_created_with_its_limits(
        self, operator: Panel, database: Database, new_name: str
    ) -> None:
        answer = await operator.submit(
            f"{PLANS}/novo", PLANS, name=new_name, monthlyDocuments="500", requestsPerMinute=""
        )
        assert answer.status_code == 303
        assert await plan_named(database, new_name) == SubscriptionPlan(new_name, 500, None, None)
        assert "Criado." in words_of(await operator.page(answer.headers["location"]))

    @pytest.mark.parametrize(
        ("fields", "marked"),
        [
            ({"name": "Grande Plano"}, ["name"]),
            ({"name": ""}, ["name"]),
            ({"monthlyDocuments": "5", "totalDocuments": "5"}, ["totalDocuments"]),
            ({"monthlyDocuments": "-1"}, ["monthlyDocuments"]),
            ({"requestsPerMinute": "0"}, ["requestsPerMinute"]),
            ({"requestsPerMinute": "9999999999"}, ["requestsPerMinute"]),
        ],
        ids=str,
    )
    async def test_wrong_input_is_shown_beside_its_field_and_nothing_is_stored(
        self,
        operator: Panel,
        database: Database,
        new_name: str,
        fields: dict[str, str],
        marked: list[str],
    ) -> None:
        before = await list_plans(database)
        answer = await operator.submit(f"{PLANS}/novo", PLANS, **({"name": new_name} | fields))
        assert answer.status_code == 422
        assert strings_of(answer.text, "//input[@aria-invalid='true']/@name") == marked
        assert await list_plans(database) == before

    async def test_rules_of_plans_are_explained(self, operator: Panel) -> None:
        fields = {"name": "Grande", "monthlyDocuments": "5", "totalDocuments": "5"}
        answer = await operator.submit(f"{PLANS}/novo", PLANS, **fields)
        sentences = strings_of(answer.text, "//span[@class='wrong']/b/text()")
        assert sentences == [WRONG_NAME, TWO_COUNTS]

    async def test_name_of_another_plan_is_refused_and_that_plan_stays_as_it_is(
        self, operator: Panel, database: Database, new_name: str
    ) -> None:
        plan = SubscriptionPlan(new_name, 10, None, None)
        await define_plan(database, plan)
        answer = await operator.submit(f"{PLANS}/novo", PLANS, name=new_name, monthlyDocuments="99")
        assert answer.status_code == 422
        assert strings_of(answer.text, "//input[@aria-invalid='true']/@name") == ["name"]
        assert await plan_named(database, new_name) == plan


class TestChangedPlan:
    async def test_limits_are_shown_and_changed_and_a_blank_one_ends(
        self, operator: Panel, database: Database, new_name: str
    ) -> None:
        await define_plan(database, SubscriptionPlan(new_name, 10_000, None, 60))
        address = f"{PLANS}/{new_name}/alterar"
        page = await operator.page(address)
        assert strings_of(page, "//input[@name='monthlyDocuments']/@value") == ["10000"]
        await operator.submit(address, address, monthlyDocuments="", totalDocuments="7")
        assert await plan_named(database, new_name) == SubscriptionPlan(new_name, None, 7, None)

    async def test_unknown_plan_is_not_created_by_a_change(
        self, operator: Panel, database: Database, new_name: str
    ) -> None:
        await define_plan(database, SubscriptionPlan(new_name, 1, None, None))
        address = f"{PLANS}/{new_name}/alterar"
        assert (await operator.http.get(f"{PLANS}/{new_name}x/alterar")).status_code == 404
        form = (await operator.page(address)).xpath(f"//form[@action='{address}']")[0]
        fields = {each.get("name"): each.get("value") for each in form.xpath(".//input[@type='hidden']")}
        headers = {"Origin": "http://localhost"}
        answer = await operator.http.post(f"{PLANS}/{new_name}x/alterar", data=fields, headers=headers)
        assert answer.status_code == 404
        assert await plan_named(database, f"{new_name}x") is None


class TestNewSubscription:
    async def test_secret_of_the_new_subscription_is_shown_once_and_opens_the_api(
        self, operator: Panel, authenticator: Authenticator
    ) -> None:
        answer = await operator.submit(
            f"{ROOT}/assinaturas/nova", f"{ROOT}/assinaturas", name="Loja Nova", plan="trial"
        )
        assert answer.status_code == 303
        address = answer.headers["location"]
        page = await operator.page(address)
        secret = strings_of(page, "//div[@role='status']//code/text()")[0]
        subscription_id = UUID(address.partition("?")[0].rpartition("/")[2])
        caller = await authenticator.authenticate(str(subscription_id), secret)
        assert (caller.subscription.name, caller.subscription.plan.name) == ("Loja Nova", "trial")
        assert secret not in (await operator.http.get(address.partition("?")[0])).text

    async def test_subscription_needs_a_name_and_an_existing_plan(
        self, operator: Panel, database: Database, new_name: str
    ) -> None:
        before = len(await list_subscriptions(database))
        for fields in ({"name": "", "plan": "trial"}, {"name": "Loja", "plan": new_name}):
            answer = await operator.submit(f"{ROOT}/assinaturas/nova", f"{ROOT}/assinaturas", **fields)
            assert answer.status_code == 422
            assert strings_of(answer.text, "//*[@role='alert']")
        assert len(await list_subscriptions(database)) == before


class TestChangedSubscription:
    async def test_plan_is_changed_by_the_person_in_the_audit(
        self, operator: Panel, caller: Caller, database: Database, new_name: str
    ) -> None:
        await define_plan(database, SubscriptionPlan(new_name, 5, None, None))
        address = f"{ROOT}/assinaturas/{caller.subscription_id}"
        answer = await operator.submit(f"{address}/plano", f"{address}/plano", plan=new_name)
        assert answer.headers["location"].startswith(address)
        assert (await subscription_of(database, caller.subscription_id)).plan.name == new_name
        newest = (await operator.page(f"{ROOT}/registro?assunto=subscription")).xpath("//tbody/tr")[0]
        assert "Ana Souza" in words_of(newest)
        assert f"para {new_name}" in words_of(newest)

    async def test_features_are_those_that_are_marked(
        self, operator: Panel, caller: Caller, database: Database
    ) -> None:
        address = f"{ROOT}/assinaturas/{caller.subscription_id}/recursos"
        page = await operator.page(address)
        assert strings_of(page, "//input[@type='checkbox'][@checked]/@value") == [
            "cteEmission",
            "mdfeEmission",
            "nfceEmission",
        ]
        await operator.submit(address, address, recurso=["cteEmission"])
        subscription = await subscription_of(database, caller.subscription_id)
        assert subscription.features == {"cteEmission"}
        await operator.submit(address, address)
        assert (await subscription_of(database, caller.subscription_id)).features == frozenset()

    async def test_page_shows_nothing_of_what_the_subscription_stores(
        self, operator: Panel, caller: Caller
    ) -> None:
        await caller.create_company(tradeName="Segredo")
        answer = await operator.http.get(f"{ROOT}/assinaturas/{caller.subscription_id}")
        assert (answer.status_code, "Segredo" in answer.text) == (200, False)
