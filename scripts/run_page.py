"""Runs the commands of documentation pages beside a demo that is running, as the tests do."""

import time
from pathlib import Path
from typing import Annotated

import typer
from page_runs import flaws_of


def main(
    pages: Annotated[list[Path], typer.Argument(help="Pages, in the order in which they are run.")],
    data_dir: Annotated[Path, typer.Option(help="The data folder of the demo.")] = Path(".carimbo"),
) -> None:
    """Run pages, and print their mistakes."""
    flaws = []
    for page in pages:
        began = time.monotonic()
        page_flaws = flaws_of(page, data_dir)
        typer.echo(f"{page}: {len(page_flaws)} flaws in {time.monotonic() - began:.1f} s")
        flaws += page_flaws
    typer.echo("\n".join(flaws), nl=bool(flaws))
    raise typer.Exit(1 if flaws else 0)


if __name__ == "__main__":
    typer.run(main)
