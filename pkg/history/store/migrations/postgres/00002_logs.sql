-- +goose Up

-- Logs of containers, one row for each start.
CREATE TABLE log (
    id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key           BYTEA NOT NULL UNIQUE, -- digest of the cluster, the UID of the Pod, the container, and its start
    fw            BIGINT NOT NULL,
    fw_attempt    INTEGER NOT NULL,
    role          TEXT NOT NULL,
    idx           INTEGER NOT NULL,
    attempt       INTEGER NOT NULL,
    pod           TEXT NOT NULL,
    pod_uid       TEXT NOT NULL,
    container     TEXT NOT NULL,
    position      INTEGER NOT NULL, -- among the containers of the Pod, init containers first
    init          BOOLEAN NOT NULL,
    start         INTEGER NOT NULL,
    state         TEXT NOT NULL,
    error         TEXT NOT NULL,
    collected     BIGINT NOT NULL,
    begins        BIGINT,
    ends          BIGINT,
    head_bytes    BIGINT NOT NULL,
    skipped_bytes BIGINT NOT NULL,  -- -1 if nobody knows
    tail_bytes    BIGINT NOT NULL,
    stored_bytes  BIGINT NOT NULL
);
CREATE INDEX log_fw ON log (fw, fw_attempt, role, idx, attempt);
CREATE INDEX log_collected ON log (collected, stored_bytes) WHERE stored_bytes > 0;

-- The lines of logs, compressed.
CREATE TABLE log_chunk (
    log   BIGINT NOT NULL,
    part  INTEGER NOT NULL, -- 0: head, 1: tail
    seq   INTEGER NOT NULL,
    first BIGINT NOT NULL,  -- the earliest and the latest time
    last  BIGINT NOT NULL,
    lines INTEGER NOT NULL, -- that end here
    bytes INTEGER NOT NULL, -- of their text
    data  BYTEA NOT NULL,
    PRIMARY KEY (log, part, seq)
);
