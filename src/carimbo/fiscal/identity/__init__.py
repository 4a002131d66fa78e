"""Identifiers and proofs of identity: tax ids, access keys, certificates and signatures."""
