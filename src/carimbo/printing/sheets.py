"""Sheets that are filled from top to bottom, each below what all begin with."""

from dataclasses import dataclass, field

from carimbo.printing.sheet import Piece


@dataclass
class Sheets:
    """Which piece stands where on which sheet."""

    first_top: float
    next_top: float
    first_bottom: float
    next_bottom: float
    sheets: list[list[tuple[float, Piece]]] = field(default_factory=lambda: [[]])
    y: float = 0

    def __post_init__(self) -> None:
        self.y = self.first_top

    @property
    def is_first(self) -> bool:
        """Whether there is no other sheet yet."""
        return len(self.sheets) == 1

    @property
    def room(self) -> float:
        """What is left of the last sheet."""
        return (self.first_bottom if self.is_first else self.next_bottom) - self.y

    def turn(self) -> None:
        """Begin another sheet."""
        self.sheets.append([])
        self.y = self.next_top

    def place(self, piece: Piece) -> None:
        """Put a piece below the last one, or at the top of another sheet."""
        if piece.height > self.room and self.sheets[-1]:
            self.turn()
        self.sheets[-1].append((self.y, piece))
        self.y += piece.height
