-- A link of the operator for a new password may remove the second factor too, but only when it is used: until then
-- the account keeps it. Null means no.
alter table person_links add column removes_second_factor boolean;
