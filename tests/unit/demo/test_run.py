"""What the demo tells when it can't begin."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from carimbo.demo import run


class TestPort:
    def test_a_port_for_administrators_is_not_called_a_port_in_use(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        def refuse(*_: Any, **__: Any) -> NoReturn:
            raise PermissionError

        monkeypatch.setattr(socket, "create_server", refuse)
        with pytest.raises(run.DemoProblem, match="Sem permissão para usar a porta 80"):
            run._require_free(80, "--port")


class TestKnownSecret:
    @pytest.mark.parametrize("content", ["", "[]", "null", "{}", "not json", '{"apiKey": "x"}'])
    def test_a_damaged_file_is_as_good_as_none(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "demo.json").write_text(content)
        assert run._known_secret(tmp_path) is None


class TestPrivateFile:
    def test_is_for_its_owner_only_even_in_place_of_a_public_one(self, tmp_path: Path) -> None:
        file = tmp_path / "demo.json"
        file.write_text("public")
        file.chmod(0o644)
        run._write_private(file, "private")
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.read_text() == "private"
        assert list(tmp_path.iterdir()) == [file]


class TestSecretKeys:
    def test_are_made_once_and_kept(self, tmp_path: Path) -> None:
        assert run._secret_keys(tmp_path) == run._secret_keys(tmp_path)

    @pytest.mark.parametrize("content", ["", "garbage", "demo:AAAA"])
    def test_that_are_damaged_are_told_in_a_sentence(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "secret-keys").write_text(content)
        with pytest.raises(run.DemoProblem, match="está danificado"):
            run._secret_keys(tmp_path)


class TestClosedTerminal:
    @pytest.mark.parametrize(("gives_up", "code"), [(True, 0), (False, 120)])
    def test_does_not_spoil_the_exit_code(self, gives_up: bool, code: int) -> None:
        script = (
            "import contextlib, os; from carimbo.demo.run import _give_up_on_a_closed_terminal as give_up\n"
            "reader, writer = os.pipe(); os.dup2(writer, 1); os.close(writer); os.close(reader)\n"
            "with contextlib.suppress(OSError): print('nobody reads this', flush=True)\n"
        )
        command = [sys.executable, "-c", script + ("give_up()" if gives_up else "")]
        buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        done = subprocess.run(command, capture_output=True, timeout=30, check=False, env=buffered)
        assert done.returncode == code
