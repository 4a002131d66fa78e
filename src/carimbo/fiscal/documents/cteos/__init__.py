"""CT-e OS, model 67: persons, valuables, excess baggage."""
