"""The input files of `python -m carimbo.fiscal`, and its output when it refuses."""

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from carimbo.fiscal.__main__ import main
from carimbo.fiscal.identity.certificate import open_a1
from carimbo.fiscal.parties import company_file
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


class InputFiles:
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

    def request(self, document_type: str, body: Any) -> None:
        (self.folder / document_type).mkdir(exist_ok=True)
        self.write(f"{document_type}/request.json", body)

    def write(self, name: str, body: Any) -> None:
        self.write_text(name, json.dumps(body))

    def write_text(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def arguments(self, document_type: str = "nfe", *more: str) -> list[str]:
        folder = self.folder
        return [
            str(folder / document_type / "request.json"),
            "--company",
            str(folder / "company.json"),
            *more,
        ]


def refusal(inputs: InputFiles, capsys: Captured, document_type: str = "nfe", *more: str) -> str:
    """Returns the error output of a refusal."""
    assert run(inputs.arguments(document_type, *more)) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert "Traceback" not in output.err
    return output.err
