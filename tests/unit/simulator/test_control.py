"""The control API, as the operator and the page call it."""

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest

from carimbo.simulator.contributors import Contributor
from carimbo.simulator.control import ROUTES
from carimbo.simulator.controls import Controls
from carimbo.simulator.records import names_of
from carimbo.simulator.security_codes import SecurityCode
from carimbo.simulator.site import Site
from support import CNPJ
from unit.simulator.front_desk import (
    CONTRIBUTOR,
    KEY,
    NOW,
    code_sent,
    control,
    holds,
    keep_event,
    keep_range,
    refusal,
    seen,
    send,
    switch,
    written,
)


class TestGuard:
    @pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8444", "127.0.0.1:8444", "[::1]:8444"])
    async def test_lets_this_machine_in(self, site: Site, host: str) -> None:
        assert (await control(site, "GET", "/controls", headers={"host": host})).status == 200

    @pytest.mark.parametrize("host", ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil:8444"])
    async def test_keeps_out_whoever_calls_it_by_another_name(self, site: Site, host: str) -> None:
        status, message = await refusal(site, "GET", "/controls", headers={"host": host})
        assert (status, "localhost" in message) == (403, True)

    @pytest.mark.parametrize("media_type", ["", "text/plain", "application/x-www-form-urlencoded"])
    @pytest.mark.parametrize(
        ("method", "path"),
        [("PATCH", "/controls"), ("POST", "/reset"), ("PUT", "/contributors"), ("PUT", "/security-codes")],
    )
    async def test_writes_only_what_no_other_site_can_send(
        self, site: Site, method: str, path: str, media_type: str
    ) -> None:
        headers = {"host": "localhost", "content-type": media_type}
        status, _ = await refusal(site, method, path, headers=headers, body=b'{"what": "everything"}')
        assert status == 415

    @pytest.mark.parametrize(
        "body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"\\ud800": 1}', b'{"seed": "\xed\xa0\x80"}']
    )
    async def test_refuses_what_is_no_json(self, site: Site, body: bytes) -> None:
        assert await refusal(site, "PATCH", "/controls", body=body) == (400, "O corpo não é um JSON.")

    @pytest.mark.parametrize(
        ("path", "record"),
        [
            ("/contributors", CONTRIBUTOR | {"name": "\ud83d"}),
            ("/security-codes", {"issuer": CNPJ, "id": 2, "token": "\udc00"}),
        ],
    )
    async def test_refuses_halves_of_characters(
        self, site: Site, path: str, record: dict[str, object]
    ) -> None:
        body = json.dumps([record]).encode()
        assert await refusal(site, "PUT", path, body=body) == (400, "O corpo não é um JSON.")

    @pytest.mark.parametrize(("method", "path"), [("PATCH", "/controls"), ("POST", "/reset")])
    async def test_refuses_json_of_another_form(self, site: Site, method: str, path: str) -> None:
        assert (await refusal(site, method, path, body=b"[]"))[0] == 400

    async def test_unknown_addresses_tell_which_there_are(self, site: Site) -> None:
        status, message = await refusal(site, "GET", "/nada")
        assert (status, "/controls, /journal" in message) == (404, True)

    async def test_unknown_parameters_are_refused(self, site: Site) -> None:
        told = await refusal(site, "GET", "/journal", query="keys=1&limit=5")
        assert told == (400, "Este endereço não tem o parâmetro keys.")

    @pytest.mark.parametrize("path", ["/", "/controls", "/reset", f"/documents/{KEY}.xml"])
    async def test_other_methods_tell_which_there_are(self, site: Site, path: str) -> None:
        assert (await refusal(site, "DELETE", path))[0] == 405


class TestControls:
    async def test_are_shown_with_the_clock(self, site: Site) -> None:
        shown = await seen(site, "/controls")
        assert shown["now"] == NOW.isoformat()
        assert (shown["outages"], shown["limits"], shown["seed"]) == ({}, True, 0)

    async def test_are_changed_for_the_next_request(self, site: Site) -> None:
        shown = await written(site, "PATCH", "/controls", {"outages": {"SP": "109"}})
        assert shown["outages"] == {"SP": "109"}
        assert await code_sent(site) == "109"

    async def test_tell_all_that_is_wrong(self, site: Site) -> None:
        body = json.dumps({"failures": 2, "nada": 1}).encode()
        status, message = await refusal(site, "PATCH", "/controls", body=body)
        assert status == 400
        assert message == "failures: deve ser um número de 0 a 1. nada: este controle não existe."

    async def test_switch_off_only_rules_that_some_family_has(self, site: Site) -> None:
        assert (await written(site, "PATCH", "/controls", {"rulesOff": ["610"]}))["rulesOff"] == ["610"]
        body = b'{"rulesOff": ["610", "9999"]}'
        told = await refusal(site, "PATCH", "/controls", body=body)
        assert told == (400, "rulesOff: nenhuma regra tem o código 9999.")


class TestReset:
    async def test_of_the_controls_keeps_the_documents(self, site: Site) -> None:
        await send(site)
        switch(site, failures=1)
        shown = await written(site, "POST", "/reset", {"what": "controls"})
        assert shown["failures"] == 0
        assert holds(site)

    async def test_of_everything_forgets_everything(self, site: Site) -> None:
        await send(site)
        switch(site, outages={"RS": "108"})
        await written(site, "POST", "/reset", {"what": "everything"})
        assert (site.switches.read(), site.journal.entries(), holds(site)) == (Controls(), [], False)
        assert await code_sent(site) == "100"

    async def test_of_anything_else_is_refused(self, site: Site) -> None:
        status, _ = await refusal(site, "POST", "/reset", body=b'{"what": "all"}')
        assert status == 400


def fields_of(page: str, form: str) -> set[str]:
    """The names of the fields of a form."""
    [inside] = re.findall(rf"<form {form}.*?</form>", page, re.DOTALL)
    return set(re.findall(r'<input name="(\w+)"', inside))


class TestPage:
    async def test_is_a_page_in_portuguese(self, site: Site) -> None:
        reply = await control(site, "GET", "/")
        assert (reply.status, reply.media_type) == (200, "text/html; charset=utf-8")
        assert '<html lang="pt-BR">' in reply.body.decode()

    async def test_runs_only_its_own_script_and_style(self, site: Site) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
        for tag in ("style", "script"):
            [inside] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
            digest = b64encode(sha256(inside.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy
        assert "default-src 'none'" in policy

    async def test_asks_for_nothing_from_elsewhere(self, site: Site) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        assert re.findall(r"(?:https?:)?//[\w.]+\.\w+", page) == []

    async def test_asks_only_for_what_there_is(self, site: Site) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        paths = set(re.findall(r'"(/[a-z.-]+)[?"]', page))
        assert paths >= {
            "/controls",
            "/journal",
            "/documents",
            "/authorizers",
            "/triggers",
            "/reset",
            "/calendar",
        }
        for path in paths:
            assert (await control(site, "GET", path)).status in {200, 405}, path

    async def test_has_a_field_for_every_control(self, site: Site) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        fields = fields_of(page, 'id="controls"')
        changed_elsewhere = {"outages", "contingency", "calendar"}
        assert fields | changed_elsewhere == set(await seen(site, "/controls"))

    @pytest.mark.parametrize("kind", [Contributor, SecurityCode])
    async def test_has_a_form_with_all_that_an_entry_needs(self, site: Site, kind: type) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        path = {Contributor: "/contributors", SecurityCode: "/security-codes"}[kind]
        names, fields = names_of(kind), fields_of(page, f'data-path="{path}"')
        assert {name for name, is_needed in names.items() if is_needed} <= fields <= set(names)


class TestRoutes:
    async def test_answer_with_the_names_that_they_tell(self, site: Site) -> None:
        await send(site)
        await written(site, "PUT", "/contributors", [CONTRIBUTOR])
        await written(site, "PUT", "/security-codes", [{"issuer": CNPJ, "id": 2, "token": "ABC"}])
        keep_event(site, KEY, NOW)
        keep_range(site, 5, NOW)
        told = {route.path: list(route.answers) for route in ROUTES if route.answers}
        assert told == {path: list((await seen(site, path))[0]) for path in told}
        assert set(told) >= {"/journal", "/documents", "/events", "/voided-ranges"}

    def test_say_what_they_do(self) -> None:
        assert [route.path for route in ROUTES if not route.about.endswith(".")] == []
        assert [route.path for route in ROUTES if (route.method == "GET") == bool(route.body)] == []
