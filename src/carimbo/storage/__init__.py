"""PostgreSQL: the only package that uses asyncpg."""
