"""PostgreSQL: the only package that uses asyncpg and PgQueuer."""
