//! How a kernel is launched, as data: one grammar for files, comments and flags.
