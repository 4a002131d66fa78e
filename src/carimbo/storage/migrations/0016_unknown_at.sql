-- When an authority last said that it does not have an attempt. Until nothing can arrive any more that was on
-- its way then, the number goes no other way; when the document was issued does not tell, as it may have been
-- sent again hours later.
alter table emissions add column unknown_at timestamptz;
