-- Whether an operator held the row (`carimbo documents hold`): only the operator resumes it then. Null if a release
-- before this one parked it.
alter table documents add column held_by_operator boolean;
alter table sales add column held_by_operator boolean;
