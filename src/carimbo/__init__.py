"""carimbo: a self-hosted service that issues Brazilian fiscal documents."""

__version__ = "0.1.0"
