"""Programs of others in the dashboard are the published files, unchanged, with their license."""

import hashlib
import json

from documentation import ROOT

STATIC = ROOT / "src" / "carimbo" / "dashboard" / "static"
RECORDS = json.loads((STATIC / "vendored.json").read_text("utf-8"))


def test_every_minified_program_is_the_recorded_file() -> None:
    sums = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in STATIC.glob("*.min.*")}
    assert sums == {name: record["sha256"] for name, record in RECORDS.items()}


def test_every_record_names_the_version_in_the_program_and_has_a_license() -> None:
    wrong = [
        name
        for name, record in RECORDS.items()
        if f'"{record["version"]}"' not in (STATIC / name).read_text("utf-8")
        or not (STATIC / record["licenseFile"]).read_text("utf-8").strip()
    ]
    assert wrong == []
