"""Taxes as formulas: numbers and codes in, amounts out; each says where it comes from."""
