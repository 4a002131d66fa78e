"""The control API, as the operator and the control page use it."""

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest

from carimbo.simulator.controls import Controls
from carimbo.simulator.program.control_api import ROUTES
from carimbo.simulator.program.panel import json_names
from carimbo.simulator.program.site import Site
from carimbo.simulator.registers import Contributor, SecurityCode
from support import CNPJ
from unit.simulator.sample_family import (
    CONTRIBUTOR,
    KEY,
    NOW,
    code_sent,
    control,
    holds,
    keep_event,
    keep_range,
    read_json,
    refusal,
    send,
    switch,
    write_json,
)


class TestGuard:
    @pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8444", "127.0.0.1:8444", "[::1]:8444"])
    async def test_local_host_names_are_allowed(self, site: Site, host: str) -> None:
        assert (await control(site, "GET", "/controls", headers={"host": host})).status == 200

    @pytest.mark.parametrize("host", ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil:8444"])
    async def test_other_host_names_are_refused(self, site: Site, host: str) -> None:
        status, message = await refusal(site, "GET", "/controls", headers={"host": host})
        assert (status, "localhost" in message) == (403, True)

    @pytest.mark.parametrize("media_type", ["", "text/plain", "application/x-www-form-urlencoded"])
    @pytest.mark.parametrize(
        ("method", "path"),
        [("PATCH", "/controls"), ("POST", "/reset"), ("PUT", "/contributors"), ("PUT", "/security-codes")],
    )
    async def test_body_without_json_media_type_is_refused(
        self, site: Site, method: str, path: str, media_type: str
    ) -> None:
        headers = {"host": "localhost", "content-type": media_type}
        status, _ = await refusal(site, method, path, headers=headers, body=b'{"what": "everything"}')
        assert status == 415

    @pytest.mark.parametrize(
        "body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"\\ud800": 1}', b'{"seed": "\xed\xa0\x80"}']
    )
    async def test_invalid_json_is_refused(self, site: Site, body: bytes) -> None:
        assert await refusal(site, "PATCH", "/controls", body=body) == (400, "O corpo não é um JSON.")

    @pytest.mark.parametrize(
        ("path", "record"),
        [
            ("/contributors", CONTRIBUTOR | {"name": "\ud83d"}),
            ("/security-codes", {"issuer": CNPJ, "id": 2, "token": "\udc00"}),
        ],
    )
    async def test_lone_surrogates_are_refused(
        self, site: Site, path: str, record: dict[str, object]
    ) -> None:
        body = json.dumps([record]).encode()
        assert await refusal(site, "PUT", path, body=body) == (400, "O corpo não é um JSON.")

    @pytest.mark.parametrize(("method", "path"), [("PATCH", "/controls"), ("POST", "/reset")])
    async def test_json_of_another_type_is_refused(self, site: Site, method: str, path: str) -> None:
        assert (await refusal(site, method, path, body=b"[]"))[0] == 400

    async def test_unknown_address_lists_the_known_ones(self, site: Site) -> None:
        status, message = await refusal(site, "GET", "/nada")
        assert (status, "/controls, /journal" in message) == (404, True)

    async def test_unknown_parameters_are_refused(self, site: Site) -> None:
        answer = await refusal(site, "GET", "/journal", query="keys=1&limit=5")
        assert answer == (400, "Este endereço não tem o parâmetro keys.")

    @pytest.mark.parametrize("path", ["/", "/controls", "/reset", f"/documents/{KEY}.xml"])
    async def test_other_methods_are_refused(self, site: Site, path: str) -> None:
        assert (await refusal(site, "DELETE", path))[0] == 405


class TestControls:
    async def test_controls_are_shown_with_the_clock(self, site: Site) -> None:
        shown = await read_json(site, "/controls")
        assert shown["now"] == NOW.isoformat()
        assert (shown["outages"], shown["limits"], shown["seed"]) == ({}, True, 0)

    async def test_changed_controls_apply_to_the_next_request(self, site: Site) -> None:
        shown = await write_json(site, "PATCH", "/controls", {"outages": {"SP": "109"}})
        assert shown["outages"] == {"SP": "109"}
        assert await code_sent(site) == "109"

    async def test_every_invalid_control_is_reported(self, site: Site) -> None:
        body = json.dumps({"failures": 2, "nada": 1}).encode()
        status, message = await refusal(site, "PATCH", "/controls", body=body)
        assert status == 400
        assert message == "failures: deve ser um número de 0 a 1. nada: este controle não existe."

    async def test_only_existing_rules_can_be_switched_off(self, site: Site) -> None:
        assert (await write_json(site, "PATCH", "/controls", {"rulesOff": ["610"]}))["rulesOff"] == ["610"]
        body = b'{"rulesOff": ["610", "9999"]}'
        answer = await refusal(site, "PATCH", "/controls", body=body)
        assert answer == (400, "rulesOff: nenhuma regra tem o código 9999.")


class TestReset:
    async def test_reset_of_the_controls_keeps_the_documents(self, site: Site) -> None:
        await send(site)
        switch(site, failures=1)
        shown = await write_json(site, "POST", "/reset", {"what": "controls"})
        assert shown["failures"] == 0
        assert holds(site)

    async def test_reset_of_everything_deletes_everything(self, site: Site) -> None:
        await send(site)
        switch(site, outages={"RS": "108"})
        await write_json(site, "POST", "/reset", {"what": "everything"})
        assert (site.switches.read(), site.journal.entries(), holds(site)) == (Controls(), [], False)
        assert await code_sent(site) == "100"

    async def test_unknown_reset_is_refused(self, site: Site) -> None:
        status, _ = await refusal(site, "POST", "/reset", body=b'{"what": "all"}')
        assert status == 400


def fields_of(page: str, form: str) -> set[str]:
    """Returns the field names of a form."""
    [inside] = re.findall(rf"<form {form}.*?</form>", page, re.DOTALL)
    return set(re.findall(r'<input name="(\w+)"', inside))


class TestPage:
    async def test_control_page_is_in_portuguese(self, site: Site) -> None:
        reply = await control(site, "GET", "/")
        assert (reply.status, reply.media_type) == (200, "text/html; charset=utf-8")
        assert '<html lang="pt-BR">' in reply.body.decode()

    async def test_control_page_runs_only_its_own_script_and_style(self, site: Site) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
        for tag in ("style", "script"):
            [inside] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
            digest = b64encode(sha256(inside.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy
        assert "default-src 'none'" in policy

    async def test_control_page_loads_nothing_from_other_hosts(self, site: Site) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        assert re.findall(r"(?:https?:)?//[\w.]+\.\w+", page) == []

    async def test_control_page_uses_only_existing_addresses(self, site: Site) -> None:
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

    async def test_control_page_has_a_field_for_every_control(self, site: Site) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        fields = fields_of(page, 'id="controls"')
        changed_elsewhere = {"outages", "contingency", "calendar"}
        assert fields | changed_elsewhere == set(await read_json(site, "/controls"))

    @pytest.mark.parametrize("record_type", [Contributor, SecurityCode])
    async def test_control_page_has_a_form_with_the_required_fields_of_an_entry(
        self, site: Site, record_type: type
    ) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        path = {Contributor: "/contributors", SecurityCode: "/security-codes"}[record_type]
        names, fields = json_names(record_type), fields_of(page, f'data-path="{path}"')
        assert {name for name, is_needed in names.items() if is_needed} <= fields <= set(names)


class TestRoutes:
    async def test_lists_have_the_documented_fields(self, site: Site) -> None:
        await send(site)
        await write_json(site, "PUT", "/contributors", [CONTRIBUTOR])
        await write_json(site, "PUT", "/security-codes", [{"issuer": CNPJ, "id": 2, "token": "ABC"}])
        keep_event(site, KEY, NOW)
        keep_range(site, 5, NOW)
        answers = {route.path: list(route.answers) for route in ROUTES if route.answers}
        assert answers == {path: list((await read_json(site, path))[0]) for path in answers}
        assert set(answers) >= {"/journal", "/documents", "/events", "/voided-ranges"}

    def test_routes_are_documented(self) -> None:
        assert [route.path for route in ROUTES if not route.about.endswith(".")] == []
        assert [route.path for route in ROUTES if (route.method == "GET") == bool(route.body)] == []
