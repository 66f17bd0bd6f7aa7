-- +goose Up

-- Pages of other systems that belong to a Framework: JSON; empty if it has none.
ALTER TABLE framework ADD COLUMN links TEXT NOT NULL DEFAULT '';
