//! Law 15 for recoveries: one text, one recovery.
