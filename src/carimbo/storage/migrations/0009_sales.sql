-- What a company sells, to whom, and the sales: made by a caller, or by a document that is created directly.

-- Customers and products are only marked as deleted: sales go on naming them.
create table customers (
    subscription_id uuid not null,
    id uuid not null,
    company_id uuid not null,
    name text not null,
    email text,
    -- CPF or CNPJ without punctuation.
    document text,
    -- How a customer abroad is known there.
    foreign_id text,
    phone text,
    address jsonb,
    municipal_registration text,
    state_registration text,
    trade_name text,
    is_foreign boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    primary key (subscription_id, id),
    foreign key (subscription_id, company_id) references companies (subscription_id, id)
);

create unique index customers_by_document on customers (subscription_id, company_id, document)
    where document is not null and deleted_at is null;
create index customers_by_foreign_id on customers (company_id, foreign_id)
    where foreign_id is not null and deleted_at is null;
create index customers_by_email on customers (company_id, lower(email))
    where email is not null and deleted_at is null;

create table products (
    subscription_id uuid not null,
    -- A ULID.
    id text not null,
    company_id uuid not null,
    sku text not null,
    name text not null,
    type text not null check (type in ('service', 'product', 'split')),
    category text,
    price numeric(21, 10),
    -- Days.
    guarantee integer,
    -- Whether what `fiscal` lacks is the company's.
    follows_company_defaults boolean not null,
    fiscal jsonb not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    primary key (subscription_id, id),
    foreign key (subscription_id, company_id) references companies (subscription_id, id)
);

create unique index products_by_sku on products (subscription_id, company_id, sku) where deleted_at is null;

-- How a sale stands is what its documents say.
create table sales (
    subscription_id uuid not null,
    id uuid not null,
    company_id uuid not null,
    external_id text,
    -- Whether a document that was created directly made it.
    is_direct boolean not null,
    customer_id uuid not null,
    amount numeric(15, 2) not null,
    discount numeric(15, 2) not null default 0,
    shipping numeric(15, 2) not null default 0,
    sold_on date not null,
    payment_method text,
    emit_when text not null check (emit_when in ('immediately', 'after_guarantee', 'manual')),
    guarantee_date date,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (subscription_id, id),
    foreign key (subscription_id, company_id) references companies (subscription_id, id),
    foreign key (subscription_id, customer_id) references customers (subscription_id, id)
);

-- The external id of a document that is created directly guards the document, and with it its sale.
create unique index sales_by_external_id on sales (subscription_id, company_id, external_id)
    where external_id is not null and not is_direct;

create table sale_lines (
    subscription_id uuid not null,
    sale_id uuid not null,
    position integer not null,
    product_id text not null,
    name text not null,
    price numeric(21, 10) not null,
    quantity numeric(15, 4) not null,
    total numeric(15, 2) not null,
    primary key (subscription_id, sale_id, position),
    foreign key (subscription_id, sale_id) references sales (subscription_id, id),
    foreign key (subscription_id, product_id) references products (subscription_id, id)
);

-- What a sale makes has no key of its own; what is created directly has one, even where it makes a sale.
alter table documents add column is_direct boolean not null default true;
drop index documents_by_external_id;
create unique index documents_by_external_id on documents
    (subscription_id, company_id, namespace, external_id) where external_id is not null and is_direct;
