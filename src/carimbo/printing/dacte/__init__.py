"""The DACTE, the printed form of a CT-e, and the pages of its events."""
