"""The message of a started demo: addresses, files, and commands that work as they are printed."""

import json
import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console

from carimbo.demo.folder import write_private
from carimbo.demo.issuing import SampleProgress
from carimbo.demo.made_up import MADE_UP_RATE
from carimbo.demo.samples import NFE_BODY, SALE_BODY
from carimbo.fiscal.local_time import BRASILIA

_BODIES = {"nfe.json": NFE_BODY, "sale.json": SALE_BODY}


def write_curl_files(folder: Path, facts: Mapping[str, Any]) -> None:
    """Writes the files of the printed commands: credentials, addresses, and request bodies.

    A body that exists is kept, as the user may have changed it.
    """
    headers = f"X-Api-Key: {facts['apiKey']}\nX-Api-Secret: {facts['apiSecret']}\n"
    write_private(folder / "headers", headers)
    addresses = {
        "BASE": facts["baseUrl"],
        "COMPANY": f"{facts['baseUrl']}/v1/companies/{facts['companyId']}",
        "SIMULATOR": facts["simulatorUrl"],
        "PANEL": facts["simulatorControlUrl"],
    }
    lines = [f"export {name}={address}\n" for name, address in addresses.items()]
    (folder / "env").write_text("".join(lines), encoding="utf-8")
    for name, body in _BODIES.items():
        file = folder / name
        if not file.exists():
            file.write_text(json.dumps(body, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def greet(
    console: Console,
    folder: Path,
    facts: Mapping[str, Any],
    samples: Sequence[SampleProgress],
    notes: Sequence[str] = (),
) -> None:
    """Prints addresses, files and commands to try; `notes` are lines about what is not real."""
    console.rule("[bold]carimbo está no ar")
    say(console, f"Painel        {facts['dashboardUrl']}")
    say(console, f"API           {facts['baseUrl']}")
    say(console, f"Documentação  {facts['baseUrl']}/docs")
    say(console, f"Simulador     {facts['simulatorUrl']} (painel: {facts['simulatorControlUrl']})")
    say(console, f"E-mails       {facts['emailFolder']}")
    say(console, f"Dados         {folder / 'demo.json'}")
    for note in notes:
        say(console, note)
    say(console, "\nExperimente, em outro terminal:")
    for what, command in _commands(folder, facts, samples):
        say(console, f"\n# {what}\n{command}")
    console.print("\nCtrl-C para parar; os dados ficam.", style="dim")
    console.rule()


def made_up_notes(rates_file: Path | None, clock_offset: int) -> list[str]:
    """Returns the lines about what is not real: the CBS rate and the clock."""
    notes = []
    if clock_offset:
        now = datetime.now(BRASILIA) + timedelta(seconds=clock_offset)
        notes.append(f"Relógio       {now:%d/%m/%Y %H:%M:%S} em Brasília, no serviço e no simulador")
    if rates_file:
        rate = f"{MADE_UP_RATE}".replace(".", ",")
        notes.append(f"CBS de 2027   inventada: {rate}%, só na demonstração ({rates_file})")
    return notes


def say(console: Console, text: str) -> None:
    """Prints a text without wrapping or markup, so that a copied command works."""
    console.print(text, soft_wrap=True, highlight=False, markup=False)


def _commands(
    folder: Path, facts: Mapping[str, Any], samples: Sequence[SampleProgress]
) -> list[tuple[str, str]]:
    curl = f"curl -s -H {_file(folder / 'headers')}"
    post = f"{curl} -H 'Content-Type: application/json' -d"
    company = f"{facts['baseUrl']}/v1/companies/{facts['companyId']}"
    commands = [
        ("emitir uma NF-e", f"{post} {_file(folder / 'nfe.json')} {company}/nfe"),
        ("ler as NF-e, da mais nova à mais antiga", f"{curl} {company}/nfe"),
        ("vender do catálogo: uma NFS-e e uma NF-e", f"{post} {_file(folder / 'sale.json')} {company}/sales"),
    ]
    authorized = [each.record["id"] for each in samples if each.record["status"] == "authorized"]
    if authorized:
        invoice = f"{facts['baseUrl']}/v1/invoices/{authorized[0]}"
        commands.append(("baixar um XML autorizado", f"{curl} {invoice}.xml"))
        commands.append(("baixar o DANFE dele em PDF", f"{curl} -o danfe.pdf {invoice}.pdf"))
    return commands


def _file(path: Path) -> str:
    return shlex.quote(f"@{path}")
