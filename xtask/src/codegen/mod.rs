//! `cargo xtask codegen [--check]`: write, or check, everything in the repository that is made from data.
//!
//! To add an artefact: write `codegen/<name>.rs` with a function that returns its text, and add a row to
//! [`ARTEFACTS`]. A whole file is replaced; a section is the part of a Markdown file between
//! `<!-- codegen: <name> -->` and `<!-- end of codegen -->`, so that prose can stand around a table.

mod chips;
mod code_map;
mod library;
mod machine_tables;
mod skill;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::context::Context;

/// Write the generated files and sections.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail when something is stale.
    #[arg(long)]
    check: bool,
}

/// Something in the repository that is made from data.
struct Artefact {
    name: &'static str,
    path: &'static str,
    extent: Extent,
    generate: fn(&Context) -> Result<String>,
}

/// How much of the file is generated.
#[derive(Clone, Copy)]
enum Extent {
    WholeFile,
    Section,
}

const ARTEFACTS: &[Artefact] = &[
    Artefact { name: "chips", path: "docs/chips.md", extent: Extent::WholeFile, generate: chips::page },
    Artefact {
        name: "library",
        path: "docs/library.md",
        extent: Extent::WholeFile,
        generate: |_| Ok(library::page()),
    },
    Artefact {
        name: "language-rules",
        path: "docs/language-rules.md",
        extent: Extent::WholeFile,
        generate: |_| Ok(mw_msl::registry::page()),
    },
    Artefact {
        name: "machine-tables",
        path: "book/src/machine-tables.md",
        extent: Extent::WholeFile,
        generate: machine_tables::page,
    },
    Artefact {
        name: "skill-chips",
        path: "skill/mlx-metal-kernels/SKILL.md",
        extent: Extent::Section,
        generate: skill::table,
    },
    Artefact {
        name: "skill-chips-data",
        path: "skill/mlx-metal-kernels/scripts/chips.json",
        extent: Extent::WholeFile,
        generate: skill::data,
    },
    Artefact {
        name: "code-map",
        path: "ARCHITECTURE.md",
        extent: Extent::Section,
        generate: code_map::table,
    },
    Artefact {
        name: "libraries",
        path: "ARCHITECTURE.md",
        extent: Extent::Section,
        generate: crate::libraries::table,
    },
];

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    let mut stale = Vec::new();
    for artefact in ARTEFACTS {
        let wanted =
            artefact.wanted(context).with_context(|| format!("cannot generate `{}`", artefact.name))?;
        let path = context.root.join(artefact.path);
        let present = fs::read_to_string(&path).unwrap_or_default();
        if present == wanted {
            continue;
        }
        if args.check {
            stale.push(format!(
                "{} ({}): {}",
                artefact.path,
                artefact.name,
                first_difference(&present, &wanted)
            ));
        } else {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&path, wanted).with_context(|| format!("cannot write {}", artefact.path))?;
            println!("wrote {} ({})", artefact.path, artefact.name);
        }
    }
    if !stale.is_empty() {
        bail!("generated text is stale: run `cargo xtask codegen`\n  {}", stale.join("\n  "));
    }
    if args.check {
        println!("codegen: {} artefacts are up to date", ARTEFACTS.len());
    }
    Ok(())
}

impl Artefact {
    /// What the whole file should hold.
    fn wanted(&self, context: &Context) -> Result<String> {
        let text = (self.generate)(context)?;
        match self.extent {
            Extent::WholeFile => Ok(text),
            Extent::Section => replace_section(&context.read(Path::new(self.path))?, self.name, &text),
        }
    }
}

const END: &str = "<!-- end of codegen -->";

fn replace_section(page: &str, name: &str, text: &str) -> Result<String> {
    let start = format!("<!-- codegen: {name} -->");
    let Some((before, rest)) = page.split_once(&start) else {
        bail!("the page has no line `{start}`");
    };
    let Some((_, after)) = rest.split_once(END) else {
        bail!("`{start}` is not followed by `{END}`");
    };
    Ok(format!("{before}{start}\n\n{}\n\n{END}{after}", text.trim_end()))
}

fn first_difference(present: &str, wanted: &str) -> String {
    if present.is_empty() {
        return "missing".to_owned();
    }
    let mut number = 0;
    for (old, new) in present.lines().zip(wanted.lines()) {
        number += 1;
        if old != new {
            return format!("line {number} is `{old}`, should be `{new}`");
        }
    }
    format!("differs after line {number}")
}

#[cfg(test)]
mod tests {
    use super::{END, first_difference, replace_section};

    #[test]
    fn a_section_is_replaced_between_its_marks() {
        let page = format!("a\n<!-- codegen: x -->\nold\n{END}\nb\n<!-- codegen: y -->\n{END}\n");
        let once = replace_section(&page, "x", "new\n").unwrap();
        assert_eq!(once, format!("a\n<!-- codegen: x -->\n\nnew\n\n{END}\nb\n<!-- codegen: y -->\n{END}\n"));
        assert_eq!(replace_section(&once, "x", "new").unwrap(), once);
        assert!(replace_section(&page, "z", "new").is_err());
        assert!(replace_section("<!-- codegen: x -->", "x", "new").is_err());
    }

    #[test]
    fn the_first_difference_names_its_line() {
        assert_eq!(first_difference("", "a"), "missing");
        assert_eq!(first_difference("a\nb", "a\nc"), "line 2 is `b`, should be `c`");
        assert_eq!(first_difference("a", "a\nb"), "differs after line 1");
    }
}
