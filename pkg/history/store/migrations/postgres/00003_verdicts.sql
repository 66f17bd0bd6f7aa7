-- +goose Up

-- What many rows have in common: questions about failed Pods, and objects. Equal ones are stored once, whoever refers to them.
CREATE TABLE content (
    digest BYTEA PRIMARY KEY, -- the first 16 bytes of the SHA-256 of the text
    sent   BIGINT NOT NULL, -- when it came last; it is kept for a while even if nothing refers to it
    size   BIGINT NOT NULL, -- of the text, in bytes
    packed BYTEA NOT NULL     -- compressed by DEFLATE
);

CREATE TABLE verdict (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key         BYTEA NOT NULL UNIQUE,
    fw          BIGINT NOT NULL,
    fw_attempt  INTEGER NOT NULL,
    namespace   TEXT NOT NULL,
    role        TEXT NOT NULL,
    idx         INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    task_uid    TEXT NOT NULL,
    time        BIGINT NOT NULL,
    outcome     BIGINT NOT NULL,
    diagnostics TEXT NOT NULL,
    duration_us BIGINT NOT NULL,
    question    BYTEA NOT NULL, -- a content: what it has in common with others
    own         TEXT NOT NULL, -- JSON: the rest of the question
    answer      TEXT NOT NULL  -- JSON; empty if no plugin gave one
);
CREATE INDEX verdict_fw ON verdict (fw, fw_attempt, role, idx, attempt);
CREATE INDEX verdict_time ON verdict (time, id);
CREATE INDEX verdict_namespace ON verdict (namespace, time, id);

-- Contents: the objects as they were last seen.
ALTER TABLE framework ADD COLUMN object BYTEA;
ALTER TABLE task_attempt ADD COLUMN object BYTEA;

-- Numbers of attempts of Tasks that ended on one day, counted from 1970.
CREATE TABLE outcome_count (
    day       INTEGER NOT NULL,
    namespace TEXT COLLATE "C" NOT NULL,
    node      TEXT NOT NULL,
    role      TEXT NOT NULL,
    outcome   BIGINT NOT NULL,
    images    BIGINT NOT NULL,
    attempts  BIGINT NOT NULL,
    PRIMARY KEY (day, namespace, node, role, outcome, images)
);
INSERT INTO outcome_count (day, namespace, node, role, outcome, images, attempts)
SELECT CAST(ended / 86400000000 AS INTEGER), namespace, node, role, outcome, images, COUNT(*) FROM task_attempt
GROUP BY 1, 2, 3, 4, 5, 6;
