-- The simulator's memory. Moments are ISO 8601 texts in UTC; `environment` is tpAmb.

create table if not exists documents (
    environment   text not null,
    access_key    text not null,
    authorizer    text not null,
    issuer        text not null,
    recipient     text not null,
    series        integer not null,
    number        integer not null,
    issued_at     text not null,
    received_at   text not null,
    code          text not null,
    protocol      text not null,
    digest        text not null,
    xml           blob not null,
    protocol_xml  blob not null,
    status        text not null default 'authorized',
    number_id     text,
    primary key (environment, access_key)
);
-- A number belongs to one document. Each family says what makes a number (`number_id`): issuer, model, series
-- and number, and of NFC-e the way of emission too. It is null where the authority gives the number.
create unique index if not exists document_numbers on documents (environment, number_id);

-- What an NFS-e was asked for by: the Id of a DPS, which belongs to one note.
create table if not exists declarations (
    environment  text not null,
    id           text not null,
    access_key   text not null,
    primary key (environment, id)
);

-- What a document refers to by key: a CT-e to the one that it complements or replaces.
create table if not exists document_references (
    environment   text not null,
    referred_key  text not null,
    access_key    text not null,
    primary key (environment, referred_key, access_key)
) without rowid;

-- What an MDF-e blocks others by while it is authorized: the trip of a vehicle has one open MDF-e.
create table if not exists manifests (
    environment     text not null,
    access_key      text not null,
    issuer          text not null,
    issuer_base     text not null,
    plate           text not null,
    issuer_type     text not null,
    start_state     text not null,
    end_state       text not null,
    states_between  integer not null,
    loads_later     integer not null,
    primary key (environment, access_key)
) without rowid;
create index if not exists manifests_of_plate on manifests (environment, issuer_base, plate);
create index if not exists manifests_of_issuer on manifests (environment, issuer);

create table if not exists events (
    environment    text not null,
    access_key     text not null,
    type           text not null,
    sequence       integer not null,
    author         text not null,
    authorizer     text not null,
    registered_at  text not null,
    code           text not null,
    protocol       text not null,
    xml            blob not null,
    answer_xml     blob not null,
    primary key (environment, access_key, type, sequence, author)
);

create table if not exists voided_ranges (
    environment   text not null,
    state_code    text not null,
    issuer        text not null,
    model         text not null,
    series        integer not null,
    year          text not null,
    first_number  integer not null,
    last_number   integer not null,
    authorizer    text not null,
    received_at   text not null,
    protocol      text not null,
    primary key (environment, state_code, issuer, model, series, year, first_number, last_number)
);

create table if not exists lots (
    environment  text not null,
    receipt      text not null,
    authorizer   text not null,
    ready_at     text not null,
    protocols    blob not null,
    primary key (environment, receipt)
);

-- The services of NF-e, CT-e and NFS-e have sequences of their own.
create table if not exists interests (
    environment  text not null,
    family       text not null,
    taxpayer     text not null,
    nsu          integer not null,
    access_key   text not null,
    schema       text not null,
    created_at   text not null,
    xml          blob not null,
    primary key (environment, family, taxpayer, nsu)
);

-- Who has asked the distribution services of NF-e and CT-e, and how long it must wait (656).
create table if not exists distribution_readers (
    environment  text not null,
    family       text not null,
    taxpayer     text not null,
    last_nsu     integer,
    asked_at     text,
    finished_at  text,
    blocked_at   text,
    primary key (environment, family, taxpayer)
) without rowid;

create table if not exists contributors (
    state       text not null,
    tax_id      text not null,
    registration text not null,
    name        text not null,
    details     text not null default '{}',
    primary key (state, tax_id, registration)
);

create table if not exists security_codes (
    issuer  text not null,
    id      integer not null,
    token   text not null,
    primary key (issuer, id)
);

create table if not exists uses (
    taxpayer  text not null,
    service   text not null,
    subject   text not null,
    at        text not null
);
create index if not exists uses_of on uses (taxpayer, service, subject, at);
create index if not exists uses_ages on uses (at);

create table if not exists journal (
    id           integer primary key,
    at           text not null,
    authorizer   text not null,
    environment  text not null,
    service      text not null,
    subject      text not null,
    keys         text not null,
    taxpayer     text not null,
    bytes        integer not null,
    digest       text not null,
    status       integer not null,
    code         text not null,
    message      text not null,
    fault        text not null
);
-- What an entry is found by: its subject, the keys of its documents, and the parts of a lot.
create table if not exists journal_names (
    name   text not null,
    entry  integer not null,
    primary key (name, entry)
) without rowid;
create index if not exists journal_names_ages on journal_names (entry);

create table if not exists switches (
    name   text primary key,
    value  text not null
);

create table if not exists counters (
    name   text primary key,
    value  integer not null
);
