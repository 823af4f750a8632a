//! What the tests share: the naive twin, which is the specification in plain code.
