-- The body as the caller sent it, of a document whose request was filled from the catalog; null where the request
-- is what was sent. The request stays what the document is made of, also for workers of the release before.
alter table documents add column posted_request text;
