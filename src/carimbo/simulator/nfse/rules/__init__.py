"""The rules that the Sefin Nacional holds notes and events against (Anexos I and II of the layout 1.01)."""
