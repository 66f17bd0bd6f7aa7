-- +goose Up

-- How to avoid a failure, in the words of the rule or the plugin that judged it; empty if it has none.
ALTER TABLE framework ADD COLUMN remedy TEXT NOT NULL DEFAULT '';
ALTER TABLE framework_attempt ADD COLUMN remedy TEXT NOT NULL DEFAULT '';
ALTER TABLE task_attempt ADD COLUMN remedy TEXT NOT NULL DEFAULT '';
ALTER TABLE verdict ADD COLUMN remedy TEXT NOT NULL DEFAULT '';
