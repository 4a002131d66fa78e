-- The options of a company of Simples Nacional for IBS and CBS, one per half-year: [{"halfYear": "2027-1", "regime": "regular"}].
alter table companies add column ibs_cbs_regime jsonb not null default '[]';
