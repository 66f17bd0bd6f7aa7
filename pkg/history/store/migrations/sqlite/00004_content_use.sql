-- +goose Up

-- The Frameworks whose rows refer to a content. It goes with the last of them.
CREATE TABLE content_use (
    fw     BIGINT NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (fw, digest)
) WITHOUT ROWID;
CREATE INDEX content_use_digest ON content_use (digest);
INSERT INTO content_use (fw, digest)
SELECT fw, question FROM verdict
UNION SELECT fw, object FROM task_attempt WHERE object IS NOT NULL
UNION SELECT id, object FROM framework WHERE object IS NOT NULL;
