-- +goose Up

-- The failures of one Framework, which may be few among hundreds of thousands of attempts.
CREATE INDEX task_attempt_failed ON task_attempt (fw, fw_attempt, ended, id) WHERE failed;
