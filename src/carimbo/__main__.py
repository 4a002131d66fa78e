"""`python -m carimbo`."""

from carimbo.cli import run

run()
