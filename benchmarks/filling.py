"""Fills a database with documents of a year that are like those it has, far faster than they are issued."""

from typing import Any

import asyncpg

from carimbo.fiscal.identity.access_key import AccessKey

# Triggers would count documents one by one, and look up every reference.
_UNCHECKED = "set local session_replication_role = replica"
_PLAN = """
    create temporary table plan on commit drop as
    select
        templates.ids[1 + position % cardinality(templates.ids)] as model,
        uuidv7(- interval '1 hour' - age.span) as id,
        now() - interval '1 hour' - age.span as moment,
        position
    from generate_series(1, $1) as position,
        lateral (select interval '365 days' * ($1 - position) / $1 as span) as age,
        (select array_agg(id) as ids from documents where status = 'authorized') as templates
"""
_DOCUMENTS = """
    insert into documents
    select made.* from plan join documents as template on template.id = plan.model,
        jsonb_populate_record(template, jsonb_build_object(
            'id', plan.id, 'idempotency_key', gen_random_uuid(), 'created_at', plan.moment,
            'updated_at', plan.moment, 'queued_at', plan.moment
        )) as made
"""
_EMISSIONS = """
    insert into emissions
    select made.* from plan join emissions as template on template.document_id = plan.model,
        number_sequences as sequence,
        lateral (select sequence.next_number + plan.position - 1 as number) as next,
        lateral (select lpad(next.number::text, 9, '0') as digits) as written,
        lateral (select overlay(left(template.access_key, 43) placing written.digits from 26) as text) as key,
        -- The rule of `access_key.check_digit`: weights 2 to 9, from the right.
        lateral (
            select (11 - sum((ascii(substr(key.text, place, 1)) - 48) * (2 + (43 - place) % 8)) % 11)
                % 11 % 10 as digit
            from generate_series(1, 43) as place
        ) as check_digit,
        jsonb_populate_record(template, jsonb_build_object(
            'document_id', plan.id, 'number', next.number, 'issued_at', plan.moment,
            'authorized_at', plan.moment, 'access_key', key.text || check_digit.digit
        )) as made
    where template.company_id = sequence.company_id and template.document_type = sequence.document_type
        and template.environment = sequence.environment and template.series = sequence.series
"""
_EVENTS = """
    insert into document_events
    select made.* from plan
        join documents as issued on issued.id = plan.model
        join document_events as template on template.document_id = plan.model,
        lateral (select template.created_at - issued.created_at as span) as delay,
        jsonb_populate_record(template, jsonb_build_object(
            'document_id', plan.id, 'id', uuidv7(plan.moment - now() + delay.span),
            'created_at', plan.moment + delay.span
        )) as made
"""
# The files themselves would only fill the disk: nothing that is measured reads them.
_ARCHIVE = r"""
    insert into archive
    select made.* from plan join archive as template on template.owner_id = plan.model,
        jsonb_populate_record(template, jsonb_build_object(
            'owner_id', plan.id, 'content', '\x00', 'created_at', plan.moment
        )) as made
"""
_COUNTS = """
    insert into document_counts as c
    select subscription_id, company_id, type, status, 0, count(*)
    from documents where id in (select id from plan) group by 1, 2, 3, 4
    on conflict (subscription_id, company_id, type, status, shard)
    do update set documents = c.documents + excluded.documents
"""
_NUMBERS = "update number_sequences set next_number = next_number + $1 where next_number > 1"
_KEYS = "select access_key from emissions join plan on plan.id = document_id order by random() limit 100"


async def fill(database: "asyncpg.Connection[Any]", documents: int) -> None:
    """Bring a database that has some authorized documents to so many in all; their keys must be right."""
    missing = documents - await database.fetchval("select count(*) from documents")
    async with database.transaction():
        await database.execute(_UNCHECKED)
        await database.execute(_PLAN, missing)
        await database.execute("analyze plan")
        for statement in (_DOCUMENTS, _EMISSIONS, _EVENTS, _ARCHIVE, _COUNTS):
            await database.execute(statement)
        await database.execute(_NUMBERS, missing)
        for row in await database.fetch(_KEYS):
            AccessKey.parse(row["access_key"])
    await database.execute("vacuum analyze")
    await database.execute("checkpoint")
