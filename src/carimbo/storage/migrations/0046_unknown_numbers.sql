-- Answers in a row that named an earlier number, or did not know ours.
-- since 0.1.0: no release has this table.
alter table streams rename column blocks to wrong_numbers;

-- With which certificate a company asked last: a new one need not wait for its turn.
alter table receptions add column asked_fingerprint text;

-- Whether the authority itself has said what became of a document. An imported file can't: nobody has signed its
-- protocol.
alter table received_documents add column is_distributed boolean not null default true;
