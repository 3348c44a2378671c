//! Markdown for the terminal: headings stand out, paragraphs are filled, tables are drawn, code stands as it is.
//!
//! A link to another page is its text; one that leads out of the book keeps its address in lists, where sources
//! stand, and loses it in running text, which an address would tear apart.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use textwrap::{Options as Fill, WordSplitter};

use crate::output::table;

const HEADING: Style = AnsiColor::Cyan.on_default().bold();
const CODE: Style = AnsiColor::Green.on_default();

/// Lines longer than this are hard to read.
const WIDEST: usize = 100;

/// How many columns there are to write to.
pub(crate) fn terminal_width() -> usize {
    console::Term::stdout().size_checked().map_or(WIDEST, |(_, columns)| usize::from(columns).min(WIDEST))
}

/// The text in lines of at most `width` columns; code and tables may be wider.
pub(crate) fn render(markdown: &str, width: usize) -> String {
    let mut renderer = Renderer { width: width.max(20), ..Renderer::default() };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        renderer.event(event);
    }
    renderer.out
}

#[derive(Default)]
struct Renderer {
    out: String,
    width: usize,
    /// Text of the paragraph, heading, list item or cell that is being read.
    line: String,
    /// Open lists, each with the number of its next item; none for bullets.
    lists: Vec<Option<u64>>,
    /// How many quotations are open.
    quotes: usize,
    is_code: bool,
    /// The address of the link that is open.
    link: Option<String>,
    rows: Vec<Vec<String>>,
}

impl Renderer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.is_code => {
                for line in text.lines() {
                    writeln!(self.out, "    {CODE}{line}{CODE:#}").expect("a string takes all");
                }
            }
            Event::Text(text) => self.line.push_str(&text),
            Event::Code(code) => {
                // A span of code is one word for the filling, so that it keeps its own spaces.
                write!(self.line, "`{}`", code.replace(' ', "\u{a0}")).expect("a string takes all");
            }
            Event::SoftBreak => self.line.push(' '),
            Event::HardBreak => self.line.push('\n'),
            Event::Rule => self.block(&"─".repeat(self.width)),
            // Figures and the marks around them are for the browser.
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::CodeBlock(_) => {
                self.flush_paragraph();
                self.is_code = true;
            }
            Tag::List(first) => {
                self.flush_paragraph();
                self.lists.push(first);
            }
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::Link { dest_url, .. } => self.link = Some(dest_url.into_string()),
            Tag::Table(_) => self.rows.clear(),
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                let text = std::mem::take(&mut self.line);
                let mark = if level == HeadingLevel::H1 { text.to_uppercase() } else { text };
                self.block(&format!("{HEADING}{mark}{HEADING:#}"));
            }
            TagEnd::Paragraph => self.flush_paragraph(),
            TagEnd::Item => {
                self.flush_paragraph();
                if let Some(Some(number)) = self.lists.last_mut() {
                    *number += 1;
                }
            }
            TagEnd::List(_) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.out.push('\n');
                }
            }
            TagEnd::BlockQuote(_) => self.quotes -= 1,
            TagEnd::CodeBlock => {
                self.is_code = false;
                self.out.push('\n');
            }
            TagEnd::Link => {
                let address = self.link.take().filter(|it| it.contains("://"));
                if let (Some(address), false) = (address, self.lists.is_empty()) {
                    write!(self.line, " <{address}>").expect("a string takes all");
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line).replace('\u{a0}', " ");
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.draw_table(),
            _ => {}
        }
    }

    /// Writes the text read so far as a filled paragraph or as an item of the innermost list.
    fn flush_paragraph(&mut self) {
        let text = std::mem::take(&mut self.line);
        if text.trim().is_empty() {
            return;
        }
        let depth = self.lists.len();
        let quote = "│ ".repeat(self.quotes);
        let (first, rest) = match self.lists.last() {
            None => (quote.clone(), quote),
            Some(number) => {
                let mark = number.map_or_else(|| "•".to_owned(), |number| format!("{number}."));
                let indent = "  ".repeat(depth - 1);
                let blank = " ".repeat(mark.chars().count());
                (format!("{quote}{indent}{mark} "), format!("{quote}{indent}{blank} "))
            }
        };
        let fill = Fill::new(self.width)
            .initial_indent(&first)
            .subsequent_indent(&rest)
            .word_splitter(WordSplitter::NoHyphenation)
            .break_words(false);
        let filled = textwrap::fill(text.trim(), fill).replace('\u{a0}', " ");
        self.out.push_str(&filled);
        self.out.push_str(if depth == 0 { "\n\n" } else { "\n" });
    }

    fn draw_table(&mut self) {
        let mut rows = std::mem::take(&mut self.rows).into_iter();
        let head = rows.next().unwrap_or_default();
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let mut drawn = table(&head);
        #[expect(clippy::cast_possible_truncation, reason = "at most 100 columns")]
        drawn.set_width(self.width as u16);
        for row in rows {
            drawn.add_row(row);
        }
        self.block(&drawn.to_string());
    }

    /// Text that stands as it is, and an empty line.
    fn block(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push_str("\n\n");
    }
}

#[cfg(test)]
mod tests {
    use super::render;

    /// Without colours.
    fn plain(markdown: &str, width: usize) -> String {
        anstream::adapter::strip_str(&render(markdown, width)).to_string()
    }

    #[test]
    fn paragraphs_are_filled_and_code_is_not() {
        let text = "# Title\n\nOne two three\nfour five six.\n\n```metal\nkernel void k(device float *out [[buffer(0)]]) {}\n```\n";
        assert_eq!(
            plain(text, 20),
            "TITLE\n\nOne two three four\nfive six.\n\n    kernel void k(device float *out [[buffer(0)]]) {}\n\n"
        );
    }

    #[test]
    fn links_keep_their_address_only_in_lists() {
        let text = "See [this](https://a.example/b) and [that](c.md).\n\n- [this](https://a.example/b)\n- [that](c.md)\n";
        assert_eq!(plain(text, 80), "See this and that.\n\n• this <https://a.example/b>\n• that\n\n");
    }

    #[test]
    fn lists_count_and_nest() {
        let text = "1. one\n2. two\n   - inner\n3. three\n";
        assert_eq!(plain(text, 80), "1. one\n2. two\n  • inner\n3. three\n\n");
    }

    #[test]
    fn tables_are_drawn_with_their_cells() {
        let drawn = plain("| a | b |\n| --- | --- |\n| `x y` | 2 |\n", 80);
        assert!(drawn.contains("│ a ") && drawn.contains("`x y`") && drawn.contains('╞'), "{drawn}");
    }

    #[test]
    fn a_quotation_has_a_bar_at_its_side() {
        assert_eq!(plain("> **In doubt.** Nobody\n> knows.\n", 80), "│ In doubt. Nobody knows.\n\n");
    }
}
