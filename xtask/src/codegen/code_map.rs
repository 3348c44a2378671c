//! The table of crates in ARCHITECTURE.md, from the crates' own descriptions, bottom layer first.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

use crate::context::Context;
use crate::tidy::{LAYERS, Manifest};

pub(crate) fn table(context: &Context) -> Result<String> {
    let mut table = String::from("| crate | what it is |\n| --- | --- |\n");
    for name in LAYERS {
        let folder = format!("crates/{name}");
        let path = format!("{folder}/Cargo.toml");
        // A layer may be planned before its crate exists.
        if !context.root.join(&path).is_file() {
            continue;
        }
        let manifest = Manifest::parse(&context.read(Path::new(&path))?)?;
        let about = manifest.description().unwrap_or("(no description)");
        writeln!(table, "| [`{name}`]({folder}) | {about} |")?;
    }
    Ok(table)
}
