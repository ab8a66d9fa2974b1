-- Listings, their schedule, who may claim it, and what was seen. Times of votes live in packed chunks.
-- Small tables are WITHOUT ROWID: one row written a change, and no second b-tree.

-- One endpoint. The last block is memory: hints for the next probe, rewritten only when they change.
CREATE TABLE listing (
  id            INTEGER PRIMARY KEY,
  slug          TEXT    NOT NULL UNIQUE,
  name          TEXT    NOT NULL,
  url           TEXT    NOT NULL UNIQUE,         -- normalised
  tier          INTEGER NOT NULL DEFAULT 0,      -- 0 unknown, 1 open, 2 gated
  state         INTEGER NOT NULL DEFAULT 0,      -- 0 active, 1 under review, 2 frozen, 3 delisted, 4 refused, 5 unprobeable
  listed_ms     INTEGER NOT NULL,
  identity      TEXT,                            -- digest of the identity last seen
  shape         TEXT,                            -- digest of the shape last seen
  remembered_ms INTEGER NOT NULL DEFAULT 0,      -- start of the vote that identity and shape are from
  fuse          TEXT,                            -- JSON; null: never sent a DELETE
  revision      INTEGER NOT NULL DEFAULT 0       -- of this block and the tier
);

-- Changes of interval: from from_slot (minutes since the epoch) on, a slot every interval_minutes.
-- network 0: every network.
CREATE TABLE cadence (
  listing          INTEGER NOT NULL,
  network          INTEGER NOT NULL,
  from_slot        INTEGER NOT NULL,
  interval_minutes INTEGER NOT NULL,
  PRIMARY KEY (listing, network, from_slot)
) WITHOUT ROWID;

-- Who holds a shard of 256 listings for a network, and how far its slots have been offered: of the listings that
-- existed at offered_ms, everything due before offered_minute, and in that minute the listings below offered_listing.
CREATE TABLE lease (
  network         INTEGER NOT NULL,
  shard           INTEGER NOT NULL,
  holder          TEXT    NOT NULL,
  expires_ms      INTEGER NOT NULL,
  offered_ms      INTEGER NOT NULL,
  offered_minute  INTEGER NOT NULL,
  offered_listing INTEGER NOT NULL,
  PRIMARY KEY (network, shard)
) WITHOUT ROWID;

-- All votes of six hours. Here and above, a write whose reader saw an older revision sets it to null, which the column
-- refuses: that is how it fails, with everything written beside it.
CREATE TABLE vote_chunk (
  listing  INTEGER NOT NULL,
  network  INTEGER NOT NULL,
  chunk    INTEGER NOT NULL,                     -- slot / 360
  revision INTEGER NOT NULL,
  data     BLOB    NOT NULL,
  PRIMARY KEY (listing, network, chunk)
) WITHOUT ROWID;

-- What a server said of itself, once; votes refer to it by digest.
CREATE TABLE identity (
  listing INTEGER NOT NULL,
  digest  TEXT    NOT NULL,
  json    TEXT    NOT NULL,
  PRIMARY KEY (listing, digest)
) WITHOUT ROWID;

-- The digests of a tool listing, once. Rows can be long, hence a rowid table.
CREATE TABLE shape (
  listing INTEGER NOT NULL,
  digest  TEXT    NOT NULL,
  tools   INTEGER NOT NULL,
  json    TEXT    NOT NULL,
  PRIMARY KEY (listing, digest)
);
