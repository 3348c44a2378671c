//! The command line of metalworking.

fn main() {}
