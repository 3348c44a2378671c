//! Tables inside pages that people write: what stands between two marks is replaced.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::context::Context;

/// Replaces what a page has between `<!-- table: NAME -->` and `<!-- end of table -->`.
pub(super) fn replace(context: &Context, page: &str, name: &str, table: &str) -> Result<()> {
    let text = context.read(Path::new(page))?;
    let new = between(&text, name, table).with_context(|| {
        format!("{page} has no `<!-- table: {name} -->` with `<!-- end of table -->` after it")
    })?;
    context.shell.write_file(page, new)?;
    Ok(())
}

fn between(text: &str, name: &str, table: &str) -> Option<String> {
    let mark = format!("<!-- table: {name} -->");
    let (before, rest) = text.split_once(&mark)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{mark}\n\n{}\n\n{END}{after}", table.trim()))
}

const END: &str = "<!-- end of table -->";

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn only_the_named_table_is_replaced() {
        let page = "a\n<!-- table: x -->\nold\n<!-- end of table -->\nb\n";
        let new = between(page, "x", "new\n").expect("it has the table");
        assert_eq!(new, "a\n<!-- table: x -->\n\nnew\n\n<!-- end of table -->\nb\n");
        assert!(between(page, "y", "new").is_none());
    }
}
