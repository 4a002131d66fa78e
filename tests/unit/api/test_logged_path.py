"""The paths of requests in the log."""

from carimbo.api.middleware import logged_path

TOKEN = "Zm9vYmFyYmF6cXV4"


def test_tokens_of_links_are_not_logged() -> None:
    link = {"path": f"/painel/redefinir/{TOKEN}", "dashboard_path": "/painel/redefinir/{token}"}
    assert logged_path(link) == "/painel/redefinir/{token}"
    # A link that was cut off or mistyped is as secret, and no route has its path.
    assert TOKEN not in logged_path({"path": f"/painel/redefinir/x/{TOKEN}"})


def test_other_paths_are_logged_as_they_are() -> None:
    assert logged_path({"path": "/v1/companies"}) == "/v1/companies"
    page = {"path": "/painel/1/pessoas", "dashboard_path": "/painel/{subscription_id:uuid}/pessoas"}
    assert logged_path(page) == "/painel/1/pessoas"
