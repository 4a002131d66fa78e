"""`carimbo person`: options that need each other."""

from uuid import uuid4

import pytest
from typer.testing import CliRunner

from carimbo.cli import app


@pytest.mark.parametrize("options", [["--role", "viewer"], ["--company", str(uuid4())]])
def test_access_without_a_subscription_is_refused_and_not_ignored(options: list[str]) -> None:
    result = CliRunner().invoke(app, ["person", "invite", "ana@example.com", "--operator", *options])
    assert result.exit_code == 1
    assert "--subscription" in result.stderr
