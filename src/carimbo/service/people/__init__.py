"""People of the installation: who they are, how they sign in, and what they may do."""
