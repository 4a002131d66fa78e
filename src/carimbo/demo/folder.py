"""The demo's folder: used by one demo at a time, with secrets that only its owner may read."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from carimbo.storage.envelope import KeyRing, UnusableKey, new_key


class FolderProblem(Exception):
    """The folder can't be used; the message is one sentence for the user."""


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Locks the folder while the block runs, so that two demos don't share and then stop one database.

    Raises FolderProblem if another demo uses the folder, or it can't be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / "lock").open("w")
    except OSError as error:
        raise FolderProblem(f"Não foi possível usar a pasta {folder}: {error.strerror}.") from None
    with file as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise FolderProblem(
                f"Outra demonstração já usa a pasta {folder}: pare-a ou use --data-dir."
            ) from None
        yield


def secret_keys(folder: Path) -> str:
    """Returns the key ring that seals the demo's secrets; made at the first start. Raises FolderProblem."""
    file = folder / "secret-keys"
    if not file.exists():
        write_private(file, new_key("demo") + "\n")
    keys = file.read_text().strip()
    try:
        KeyRing.parse(keys)
    except UnusableKey:
        raise FolderProblem(
            f"O arquivo {file} está danificado: apague a pasta {folder} e comece do zero."
        ) from None
    return keys


def previous_api_secret(folder: Path) -> str | None:
    """Returns the API secret that an earlier start wrote, or None."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(json.loads((folder / "demo.json").read_text())["apiSecret"])
    return None


def write_private(file: Path, text: str) -> None:
    """Writes a file that only its owner may read, completely or not at all."""
    draft = file.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(text)
    draft.replace(file)
