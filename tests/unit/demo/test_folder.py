"""The files that the demo keeps."""

from pathlib import Path

import pytest

from carimbo.demo import folder


class TestKnownSecret:
    @pytest.mark.parametrize("content", ["", "[]", "null", "{}", "not json", '{"apiKey": "x"}'])
    def test_a_damaged_file_is_as_good_as_none(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "demo.json").write_text(content)
        assert folder.known_secret(tmp_path) is None


class TestPrivateFile:
    def test_is_for_its_owner_only_even_in_place_of_a_public_one(self, tmp_path: Path) -> None:
        file = tmp_path / "demo.json"
        file.write_text("public")
        file.chmod(0o644)
        folder.write_private(file, "private")
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.read_text() == "private"
        assert list(tmp_path.iterdir()) == [file]


class TestSecretKeys:
    def test_are_made_once_and_kept(self, tmp_path: Path) -> None:
        assert folder.secret_keys(tmp_path) == folder.secret_keys(tmp_path)

    @pytest.mark.parametrize("content", ["", "garbage", "demo:AAAA"])
    def test_that_are_damaged_are_told_in_a_sentence(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "secret-keys").write_text(content)
        with pytest.raises(folder.FolderProblem, match="está danificado"):
            folder.secret_keys(tmp_path)
