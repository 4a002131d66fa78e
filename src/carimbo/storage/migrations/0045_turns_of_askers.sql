-- Whose turn it is to ask for a stream, and what the last question in a company's name got instead of documents.
alter table receptions add column asked_at timestamptz;
-- since 0.1.0: no release has this table.
alter table receptions rename column refusal to failure;

-- Why the last question for a page got none; null after a page, and during a block.
alter table streams add column failure text;
