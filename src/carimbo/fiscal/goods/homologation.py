"""Texts that documents without fiscal value must have (MOC 7.0, E04-20 and I04-10)."""

HOMOLOGATION_NAME = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
"""Name of whoever buys."""

HOMOLOGATION_ITEM = "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
"""Description of the first item of a receipt."""
