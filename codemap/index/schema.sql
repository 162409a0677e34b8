-- Everything here can be made again from the trees; nothing here is precious.
-- The file's name carries the version of this schema and of the extractor, so that two versions of codemap
-- can live side by side; user_version repeats it and application_id marks the file as codemap's.
-- Blobs marked "sealed" begin with a CRC-32 of the rest: SQLite itself does not notice a flipped bit in a value.

-- What one file says, whatever tree it stands in. Ids are never used twice, postings name contents by id.
CREATE TABLE IF NOT EXISTS content (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    digest    BLOB NOT NULL UNIQUE,              -- SHA-256 of the bytes
    lines     INTEGER NOT NULL,
    errors    INTEGER NOT NULL,                  -- number of parse errors
    recovered INTEGER NOT NULL,
    outline   BLOB NOT NULL,                     -- codemap.semantic.encoding, which has checksums of its own
    body      BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS content_with_errors ON content (id) WHERE errors > 0;

-- The name index, one row for each bucket of a segment (codemap.index.postings): serial * 512 + bucket + 1.
CREATE TABLE IF NOT EXISTS posting (
    id   INTEGER PRIMARY KEY,
    data BLOB NOT NULL                           -- sealed
) STRICT;

-- The segments there must be, so that a lost row is noticed; one row.
CREATE TABLE IF NOT EXISTS manifest (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    data BLOB NOT NULL                           -- sealed: generation, last serial; of each segment serial,
                                                 -- first content, number of buckets
) STRICT;

-- A tree as it was when last looked at. The three columns of the file table are packed in the order of its
-- paths: reading 1,404 rows would cost a question more than everything else here together.
CREATE TABLE IF NOT EXISTS tree (
    key      TEXT PRIMARY KEY,
    root     TEXT NOT NULL,                      -- the folder, so that trees that are gone can be dropped
    digest   TEXT NOT NULL,                      -- of all (path, content digest)
    listing  BLOB NOT NULL,                      -- path NUL stamp NUL ... , compared as a whole
    files    BLOB NOT NULL                       -- sealed, with the listing: serial of the last segment needed,
                                                 -- 32 bytes of digest for each file, 4 of content id for each
) STRICT, WITHOUT ROWID;

-- Where a word was found in the bytes of a tree that is not wholly indexed: 4 bytes of file number for each.
CREATE TABLE IF NOT EXISTS scan (
    tree  TEXT NOT NULL,
    word  TEXT NOT NULL,
    files BLOB NOT NULL,                         -- sealed, with the tree's digest
    PRIMARY KEY (tree, word)
) STRICT, WITHOUT ROWID;
