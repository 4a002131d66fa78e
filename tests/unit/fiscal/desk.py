"""The files that `python -m carimbo.fiscal` reads, and what it says when it refuses."""

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from carimbo.fiscal import company_file
from carimbo.fiscal.__main__ import main
from carimbo.fiscal.certificate import open_a1
from carimbo.fiscal.sample_certificate import SampleAuthority
from support import CNPJ
from unit.fiscal.goods.support import COMPANY, CSC, NFCE_BODY, NFE_BODY

PASSWORD = "carimbo"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
FAR_AWAY = datetime(2090, 1, 1, tzinfo=UTC)
Captured = pytest.CaptureFixture[str]


# Opening an A1 file checks its key, which takes tenths of a second.
_open_a1_once = cache(open_a1)


def lasting_pfx(authority: SampleAuthority) -> bytes:
    """Returns the company's A1 file, valid now and on every date that tests name."""
    return authority.issue_company(CNPJ, "LOJA MODELO LTDA", LONG_AGO, FAR_AWAY).to_pfx(PASSWORD)


def run(arguments: list[str]) -> int:
    """Runs the command in this process, where each A1 file is opened once for all tests."""
    with patch.object(company_file, "open_a1", _open_a1_once):
        return main(arguments)


class Desk:
    """A folder with a company, its certificate and a request, as the program reads them."""

    def __init__(self, folder: Path, pfx: bytes) -> None:
        self.folder = folder
        (folder / "company.pfx").write_bytes(pfx)
        self.company()
        self.request("nfe", NFE_BODY)
        self.request("nfce", NFCE_BODY)

    def company(self, **changes: Any) -> None:
        certificate = {"file": "company.pfx", "password": PASSWORD}
        self.write(
            "company.json", {**COMPANY, "certificate": certificate, "settings": {"nfce": CSC}, **changes}
        )

    def request(self, kind: str, body: Any) -> None:
        (self.folder / kind).mkdir(exist_ok=True)
        self.write(f"{kind}/request.json", body)

    def write(self, name: str, body: Any) -> None:
        self.write_text(name, json.dumps(body))

    def write_text(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def arguments(self, kind: str = "nfe", *more: str) -> list[str]:
        folder = self.folder
        return [str(folder / kind / "request.json"), "--company", str(folder / "company.json"), *more]


def refusal(desk: Desk, capsys: Captured, kind: str = "nfe", *more: str) -> str:
    """Returns what the program says when it refuses."""
    assert run(desk.arguments(kind, *more)) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    return said.err
