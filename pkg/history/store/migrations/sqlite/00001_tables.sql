-- +goose Up

-- Times are microseconds since 1970, in UTC. The two dialects have the same tables.
CREATE TABLE framework (
    id                  INTEGER PRIMARY KEY,
    cluster             TEXT NOT NULL,
    uid                 TEXT NOT NULL,
    namespace           TEXT NOT NULL,
    name                TEXT NOT NULL,
    revision            BIGINT NOT NULL,  -- 0 until its own record arrives
    state               TEXT NOT NULL DEFAULT '',
    queue               TEXT NOT NULL DEFAULT '',
    template_digest     TEXT NOT NULL DEFAULT '',
    labels              TEXT NOT NULL DEFAULT '', -- JSON
    created             BIGINT NOT NULL,
    completed           BIGINT,
    ended               BIGINT,           -- completed, or gone without
    updated             BIGINT NOT NULL,  -- the time of the newest record about it
    outcome             BIGINT,
    diagnostics         TEXT NOT NULL DEFAULT '',
    tasks               INTEGER NOT NULL DEFAULT 0,
    retries             INTEGER NOT NULL DEFAULT 0,
    accountable_retries INTEGER NOT NULL DEFAULT 0,
    UNIQUE (cluster, uid)
);
CREATE INDEX framework_created ON framework (created, uid);
CREATE INDEX framework_namespace ON framework (namespace, created, uid);
CREATE INDEX framework_name ON framework (namespace, name, created, uid);
CREATE INDEX framework_updated ON framework (updated);

CREATE TABLE label (
    fw    BIGINT NOT NULL,
    key   TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (fw, key)
);
CREATE INDEX label_value ON label (key, value, fw);

CREATE TABLE outcome (
    id             INTEGER PRIMARY KEY,
    key            BLOB NOT NULL UNIQUE, -- digest of all of the following
    code           INTEGER NOT NULL,
    phrase         TEXT NOT NULL,
    type           TEXT NOT NULL,
    attributes     TEXT NOT NULL, -- joined by commas
    plugin         TEXT NOT NULL,
    plugin_version TEXT NOT NULL,
    rule           TEXT NOT NULL
);

-- What Pods requested. Equal requests are stored once.
CREATE TABLE request (
    id   INTEGER PRIMARY KEY,
    key  BLOB NOT NULL UNIQUE, -- digest of the text
    text TEXT NOT NULL -- JSON
);

-- What the containers of Pods have in common: names and images. Equal ones are stored once.
CREATE TABLE images (
    id   INTEGER PRIMARY KEY,
    key  BLOB NOT NULL UNIQUE, -- digest of the text
    text TEXT NOT NULL -- JSON
);

CREATE TABLE framework_attempt (
    key           BLOB PRIMARY KEY, -- digest of the cluster and the key of the record, as in all tables
    fw            BIGINT NOT NULL,
    attempt       INTEGER NOT NULL,
    began         BIGINT NOT NULL,
    placed        BIGINT,
    ran           BIGINT,
    ended         BIGINT NOT NULL,
    outcome       BIGINT NOT NULL,
    diagnostics   TEXT NOT NULL,
    trigger_role  TEXT NOT NULL,
    trigger_index INTEGER NOT NULL,
    tasks         INTEGER NOT NULL,
    follows       BOOLEAN NOT NULL,
    retry_row     TEXT NOT NULL,
    delay         BIGINT NOT NULL -- seconds
);
CREATE INDEX framework_attempt_fw ON framework_attempt (fw, attempt);

CREATE TABLE task_attempt (
    id               INTEGER PRIMARY KEY,
    key              BLOB NOT NULL UNIQUE,
    fw               BIGINT NOT NULL,
    fw_attempt       INTEGER NOT NULL,
    namespace        TEXT NOT NULL,
    role             TEXT NOT NULL,
    idx              INTEGER NOT NULL,
    attempt          INTEGER NOT NULL,
    task_uid         TEXT NOT NULL,
    pod              TEXT NOT NULL,
    pod_uid          TEXT NOT NULL,
    node             TEXT NOT NULL,
    outcome          BIGINT NOT NULL,
    code             INTEGER NOT NULL,
    failed           BOOLEAN NOT NULL,
    request          BIGINT NOT NULL,
    images           BIGINT NOT NULL,
    began            BIGINT NOT NULL,
    pod_created      BIGINT,
    scheduled        BIGINT,
    initialized      BIGINT,
    ran              BIGINT,
    containers_ended BIGINT,
    ended            BIGINT NOT NULL,
    run_ms           BIGINT NOT NULL, -- from the node to the end
    wait_ms          BIGINT NOT NULL, -- from the beginning to the node
    start_ms         BIGINT NOT NULL, -- from the node to running
    deletion_cause   TEXT NOT NULL,
    follows          BOOLEAN NOT NULL,
    retry_row        TEXT NOT NULL,
    delay            BIGINT NOT NULL,
    diagnostics      TEXT NOT NULL,
    containers       TEXT NOT NULL -- JSON: how they ended, in the order of images; last, so that lists do not read it
);
CREATE INDEX task_attempt_fw ON task_attempt (fw, fw_attempt, ended, id);
CREATE INDEX task_attempt_ended ON task_attempt (ended, id);
CREATE INDEX task_attempt_namespace ON task_attempt (namespace, ended, id);
CREATE INDEX task_attempt_node ON task_attempt (node, ended, id);
CREATE INDEX task_attempt_code ON task_attempt (code, ended, id) WHERE failed;

CREATE TABLE happening (
    key        BLOB PRIMARY KEY,
    fw         BIGINT NOT NULL,
    fw_attempt INTEGER NOT NULL,
    time       BIGINT NOT NULL,
    reason     TEXT NOT NULL,
    facts      TEXT NOT NULL -- JSON
);
CREATE INDEX happening_fw ON happening (fw, time);

-- Sums over attempts of Tasks of one Framework that ended on one day, counted from 1970.
CREATE TABLE usage (
    fw          BIGINT NOT NULL,
    fw_attempt  INTEGER NOT NULL,
    day         INTEGER NOT NULL,
    role        TEXT NOT NULL,
    outcome     BIGINT NOT NULL,
    request     BIGINT NOT NULL,
    attempts    BIGINT NOT NULL,
    run_ms      BIGINT NOT NULL,
    retried_ms  BIGINT NOT NULL, -- of run_ms: of attempts that the retry of a Task followed
    wait_ms     BIGINT NOT NULL,
    start_ms    BIGINT NOT NULL,
    first_ended BIGINT NOT NULL,
    first_idx   INTEGER NOT NULL,
    PRIMARY KEY (fw, fw_attempt, day, role, outcome, request)
);
CREATE INDEX usage_day ON usage (day);

-- The same by node, over all namespaces.
CREATE TABLE node_usage (
    day       INTEGER NOT NULL,
    node      TEXT NOT NULL,
    request   BIGINT NOT NULL,
    attempts  BIGINT NOT NULL,
    failed    BIGINT NOT NULL,
    run_ms    BIGINT NOT NULL,
    lost_ms   BIGINT NOT NULL, -- of run_ms: of attempts that a retry of the Task or of the Framework followed
    wait_ms   BIGINT NOT NULL,
    start_ms  BIGINT NOT NULL,
    PRIMARY KEY (day, node, request)
);
