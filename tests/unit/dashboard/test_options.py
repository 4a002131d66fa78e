"""The addresses of the dashboard, from the public address of the installation."""

import pytest

from carimbo.dashboard.options import DashboardOptions


@pytest.mark.parametrize(
    ("public_url", "api_root"),
    [
        (None, ""),
        ("https://fiscal.example.com", ""),
        ("https://fiscal.example.com/notas", "/notas"),
        ("https://fiscal.example.com/painel-fiscal", "/painel-fiscal"),
        ("https://fiscal.example.com/painel", "/painel"),
    ],
)
def test_paths_of_pages_are_found_below_the_path_of_a_proxy_and_without_it(
    public_url: str | None, api_root: str
) -> None:
    options = DashboardOptions(public_url)
    assert (options.api_root, options.root) == (api_root, f"{api_root}/painel")
    for path in ("", "/conta", "/painel-velho"):
        assert options.path_in_dashboard(f"{api_root}/painel{path}") == path
    assert options.path_in_dashboard("/painel/conta") == "/conta"
    assert options.path_in_dashboard("/painel-velho/conta") == ""
    assert options.path_in_dashboard("/docs") == ""
