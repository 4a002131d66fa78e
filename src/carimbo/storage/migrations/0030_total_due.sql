-- What the receiver of a document pays by the authority's computation, where taxes are added to the amount: the NFS-e
-- from 2027 on. Null for all others.
alter table emissions add column total_due numeric(15, 2);
