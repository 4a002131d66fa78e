-- What a company's documents are printed with: the file `logo/{logo_digest}` of the company in the archive.
alter table companies add column logo_digest text;
