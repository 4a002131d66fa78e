"""The files that the demo keeps."""

from pathlib import Path

import pytest

from carimbo.demo import folder


class TestKnownSecret:
    @pytest.mark.parametrize("content", ["", "[]", "null", "{}", "not json", '{"apiKey": "x"}'])
    def test_damaged_secret_file_counts_as_missing(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "demo.json").write_text(content)
        assert folder.previous_api_secret(tmp_path) is None


class TestPrivateFile:
    def test_private_file_is_for_its_owner_only_even_if_it_replaces_a_public_one(
        self, tmp_path: Path
    ) -> None:
        file = tmp_path / "demo.json"
        file.write_text("public")
        file.chmod(0o644)
        folder.write_private(file, "private")
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.read_text() == "private"
        assert list(tmp_path.iterdir()) == [file]


class TestSecretKeys:
    def test_secret_keys_are_created_once_and_kept(self, tmp_path: Path) -> None:
        assert folder.secret_keys(tmp_path) == folder.secret_keys(tmp_path)

    @pytest.mark.parametrize("content", ["", "garbage", "demo:AAAA"])
    def test_damaged_secret_keys_are_reported_in_a_sentence(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "secret-keys").write_text(content)
        with pytest.raises(folder.FolderProblem, match="está danificado"):
            folder.secret_keys(tmp_path)
