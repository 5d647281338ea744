"""Whether an object is ready: pure rules, one family of kinds a file. `assess.assess` is the way in."""
