"""The command line as a whole."""

import subprocess
import sys

from typer.testing import CliRunner

from carimbo.cli import app


def test_a_command_loads_no_document_types_before_it_needs_them() -> None:
    code = "import sys, carimbo.cli; sys.exit('carimbo.fiscal.registry' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_misspelled_group_of_commands_is_suggested() -> None:
    assert "Did you mean 'admin'?" in CliRunner().invoke(app, ["admn"]).output
