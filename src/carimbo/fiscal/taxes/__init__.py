"""Tax formulas: codes and amounts in, amounts out, each with its legal source."""
