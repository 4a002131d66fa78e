-- What only the documents of a sale said until now, and what is lost with a document that is discarded.
alter table sales
    -- CPF or CNPJ of a buyer without a name, who is not in the catalog; null in older rows, where the receipt has it.
    add column buyer_tax_id text,
    -- True once a document of the sale was discarded, until a change of the sale makes its documents anew.
    add column has_discarded_document boolean not null default false;
