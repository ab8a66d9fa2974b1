-- How many listings there are of each state and tier. The board prints it: counted at each change, not at each reading.
CREATE TABLE listing_count (
  state    INTEGER NOT NULL,
  tier     INTEGER NOT NULL,
  listings INTEGER NOT NULL,
  PRIMARY KEY (state, tier)
) WITHOUT ROWID;

INSERT INTO listing_count (state, tier, listings)
SELECT state, tier, count(*) FROM listing GROUP BY state, tier;

CREATE TRIGGER listing_added AFTER INSERT ON listing
BEGIN
  INSERT INTO listing_count (state, tier, listings) VALUES (new.state, new.tier, 1)
  ON CONFLICT (state, tier) DO UPDATE SET listings = listings + 1;
END;

CREATE TRIGGER listing_moved AFTER UPDATE OF state, tier ON listing
WHEN old.state <> new.state OR old.tier <> new.tier
BEGIN
  UPDATE listing_count SET listings = listings - 1 WHERE state = old.state AND tier = old.tier;
  INSERT INTO listing_count (state, tier, listings) VALUES (new.state, new.tier, 1)
  ON CONFLICT (state, tier) DO UPDATE SET listings = listings + 1;
END;

CREATE TRIGGER listing_removed AFTER DELETE ON listing
BEGIN
  UPDATE listing_count SET listings = listings - 1 WHERE state = old.state AND tier = old.tier;
END;
