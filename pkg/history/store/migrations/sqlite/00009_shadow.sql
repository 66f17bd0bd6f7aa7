-- +goose Up

-- Answers of classifiers and rules in shadow, which decide nothing.
CREATE TABLE shadow_verdict (
    id          INTEGER PRIMARY KEY,
    key         BLOB NOT NULL UNIQUE,
    fw          BIGINT NOT NULL,
    fw_attempt  INTEGER NOT NULL,
    namespace   TEXT NOT NULL,
    role        TEXT NOT NULL,
    idx         INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    task_uid    TEXT NOT NULL,
    time        BIGINT NOT NULL,
    plugin      TEXT NOT NULL,    -- empty for a rule
    rule        INTEGER NOT NULL, -- its code
    comparison  TEXT NOT NULL,    -- with the decision: same, other_type, other_code, other_advice or no_opinion
    decision    BIGINT NOT NULL,  -- an outcome: the judgment that counts
    verdict     BIGINT NOT NULL,  -- an outcome: what it would have been; 0 if it is the same, or if there is none
    diagnostics TEXT NOT NULL,
    remedy      TEXT NOT NULL,
    answer      TEXT NOT NULL     -- JSON; empty if no plugin gave one
);
CREATE INDEX shadow_verdict_fw ON shadow_verdict (fw, fw_attempt, role, idx, attempt);
CREATE INDEX shadow_verdict_time ON shadow_verdict (time, id);
CREATE INDEX shadow_verdict_namespace ON shadow_verdict (namespace, time, id);
