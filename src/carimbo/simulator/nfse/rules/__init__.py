"""The rules of the Sefin Nacional for declarations and events (Anexos I and II of the layout 1.01)."""
