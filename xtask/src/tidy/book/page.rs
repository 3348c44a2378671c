//! The form of a page: title, one-sentence definition, CUDA, sources, See also, Next, and its length.

/// Words that are read in five minutes at 220 a minute, less a margin for tables and code.
const MOST_WORDS: usize = 1000;

/// A page that says less has nothing to say.
const LEAST_WORDS: usize = 200;

pub(super) fn check(title: &str, text: &str, next: &str) -> Vec<String> {
    let mut messages = Vec::new();
    let mut blocks = text.split("\n\n");
    let heading = format!("# {title}");
    if blocks.next() != Some(heading.as_str()) {
        messages.push(format!("the page does not start with `{heading}`"));
    }
    let definition = blocks.next().unwrap_or_default();
    if !is_one_sentence(definition) {
        messages.push("the second paragraph is the definition: one sentence".to_owned());
    }
    if !text.contains("\n**CUDA:** ") {
        messages
            .push("there is no `**CUDA:**` line: name the equivalent, or say that there is none".to_owned());
    }
    for section in ["## Sources", "## See also"] {
        let Some((_, body)) = text.split_once(&format!("\n{section}\n")) else {
            messages.push(format!("there is no section `{section}`"));
            continue;
        };
        let body = body.split("\n## ").next().unwrap_or_default();
        let is_filled = if section == "## Sources" { body.contains("\n- ") } else { body.contains("](") };
        if !is_filled {
            messages.push(format!("the section `{section}` is empty"));
        }
    }
    if text.trim_end().lines().last() != Some(next) {
        messages.push(format!("the last line is not `{next}`"));
    }
    let words = words(text);
    if !(LEAST_WORDS..=MOST_WORDS).contains(&words) {
        messages.push(format!(
            "{words} words: a page has {LEAST_WORDS} to {MOST_WORDS}, so that it is read in five minutes"
        ));
    }
    for word in ["TODO", "coming soon", "Coming soon", "to be written"] {
        if text.contains(word) {
            messages.push(format!("`{word}`: write it, or leave it out"));
        }
    }
    messages
}

/// One line, one full stop, at its end. A stop within a word (`mx.fast`) is none.
fn is_one_sentence(paragraph: &str) -> bool {
    paragraph.ends_with('.') && !paragraph.contains('\n') && paragraph.matches(". ").count() == 0
}

/// Words of the prose: without code, comments and the targets of links.
fn words(text: &str) -> usize {
    let mut is_code = false;
    let mut count = 0;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
            continue;
        }
        if is_code || line.starts_with("<!--") {
            continue;
        }
        count += line.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{check, words};

    fn page(body: &str) -> String {
        let filler = "word ".repeat(250);
        format!("# T\n\nA t is one thing.\n\n**CUDA:** nothing.\n\n{filler}\n\n{body}")
    }

    #[test]
    fn a_page_in_form_passes_and_each_lack_is_named() {
        let end = "## Sources\n\n- there\n\n## See also\n\n[a](a.md).\n\n**Next:** [U](u.md)\n";
        let next = "**Next:** [U](u.md)";
        assert_eq!(check("T", &page(end), next), Vec::<String>::new());
        for (broken, message) in [
            (page(end).replace("# T\n", "# t\n"), "does not start"),
            (page(end).replace("one thing.", "one thing. And another."), "one sentence"),
            (page(end).replace("**CUDA:** ", ""), "no `**CUDA:**` line"),
            (page(end).replace("- there", "there"), "`## Sources` is empty"),
            (page(end).replace("## See also", "## See"), "no section `## See also`"),
            (page(end).replace("[U](u.md)", "[V](v.md)"), "last line"),
            (page(&format!("{}{end}", "more ".repeat(800))), "words"),
            (page(&format!("coming soon\n\n{end}")), "coming soon"),
        ] {
            let found = check("T", &broken, next);
            assert!(found.iter().any(|found| found.contains(message)), "{message}: {found:?}");
        }
    }

    #[test]
    fn code_and_comments_are_no_words() {
        assert_eq!(words("one two\n```\nthree four\n```\n<!-- five -->\n| six | - |\n"), 3);
    }
}
