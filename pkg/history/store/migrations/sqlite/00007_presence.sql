-- +goose Up

-- The earliest known version of the storage of Kubernetes at which the Framework was there; 0 if none is known.
ALTER TABLE framework ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
-- The time of a list that lacks the Framework, if there is no record of its deletion.
ALTER TABLE framework ADD COLUMN absent BIGINT;
-- The Frameworks that may be there.
CREATE INDEX framework_there ON framework (cluster, uid) WHERE state <> 'Deleted';
