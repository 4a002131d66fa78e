"""Pages offer each person what their role may do, and nothing else: links, buttons and forms."""

from urllib.parse import urlsplit

import pytest
from lxml import html

from carimbo.dashboard.options import PREFIX
from carimbo.dashboard.pages import ROUTES
from carimbo.dashboard.routes import GET, POST, PageTable
from carimbo.service.access import Authenticator
from carimbo.service.people.roles import CAPABILITIES, MemberRole
from carimbo.storage.database import Database
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel, strings_of
from integration.storage.neighbours import create_neighbours

_TABLE = PageTable(ROUTES)


async def _offers_of(panel: Panel) -> set[tuple[str, str]]:
    """Opens a page of each kind that links lead to, and returns the methods and paths that pages offer."""
    waiting, visited, offered = [panel.base], set[str](), set[tuple[str, str]]()
    while waiting:
        address = waiting.pop(0)
        selected = _TABLE.select(GET, urlsplit(address).path)
        if selected is None or selected[0].name in visited:
            continue
        visited.add(selected[0].name)
        answer = await panel.http.get(address)
        if "text/html" not in answer.headers.get("content-type", ""):
            continue
        page = html.fromstring(answer.text)
        links = [link for link in strings_of(page, "//a/@href") if link.startswith(panel.base)]
        forms = strings_of(page, "//form[@method='post']/@action | //button/@formaction")
        offered |= {(GET, urlsplit(link).path) for link in links}
        offered |= {(POST, urlsplit(form).path) for form in forms if form.startswith(panel.base)}
        waiting += links
    return offered


@pytest.mark.parametrize("role", list(MemberRole))
async def test_no_page_offers_what_the_role_may_not_do(
    role: MemberRole, database: Database, authenticator: Authenticator, sign_in_as: NewPanel
) -> None:
    neighbours = await create_neighbours(database, authenticator)
    offered = await _offers_of(await sign_in_as(neighbours.owner, role))
    assert any(method == GET and path.endswith("/documentos") for method, path in offered)
    refused = {
        (method, path.partition(PREFIX)[2])
        for method, path in offered
        if _TABLE.find(method, path).capability not in {None, *CAPABILITIES[role]}
    }
    assert refused == set()
