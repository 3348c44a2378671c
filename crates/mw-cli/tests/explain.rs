//! `mw explain` with terms of the glossary.

#![expect(
    clippy::needless_raw_string_hashes,
    reason = "the tool that writes the outputs down quotes them so"
)]

use snapbox::cmd::{Command, OutputAssert};
use snapbox::str;

fn explain(words: &[&str]) -> OutputAssert {
    Command::new(snapbox::cmd::cargo_bin!("mw")).arg("explain").args(words).assert()
}

#[test]
fn a_term_shows_its_page_with_figures_filled_in() {
    let assert = explain(&["occupancy"]).code(0);
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(text.starts_with("OCCUPANCY\n\n"), "{text}");
    assert!(!text.contains("{{"), "{text}");
    assert!(text.contains("See also"), "{text}");
    assert!(
        text.lines()
            .all(|line| line.starts_with("    ") || line.chars().count() <= 100 || line.contains("<http"))
    );
}

#[test]
fn a_word_of_cuda_leads_to_ours() {
    explain(&["shared", "memory"])
        .code(0)
        .stdout_eq(str![[r#"
THREADGROUP MEMORY
...
"#]])
        .stderr_eq(str![[r#"
note: `shared memory` is CUDA's word; here it is “Threadgroup Memory”

"#]]);
}

#[test]
fn a_slip_of_the_keys_is_taken_for_what_it_means() {
    explain(&["occupency"]).code(0).stderr_eq(str![[r#"
note: there is no page `occupency`; this is “Occupancy”

"#]]);
}

#[test]
fn a_word_that_is_only_mentioned_is_a_question_back() {
    explain(&["Milakov"]).code(2).stderr_eq(str![[r#"
error: the glossary has no page `Milakov`; these mention it:
  mw explain online softmax[..]
...
"#]]);
    explain(&["qqqqqqqq"]).code(2).stderr_eq(str![[r#"
error: the glossary has no page about `qqqqqqqq` and mentions it nowhere: `mw explain` lists its pages

"#]]);
    explain(&["MSL9999"]).code(2).stderr_eq(str![[r#"
error: there is no diagnostic `MSL9999`: `mw explain` lists all of them

"#]]);
}

#[test]
fn json_has_the_parts_of_a_page() {
    let assert = explain(&["warp", "--json"]).code(0);
    let page: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(page["title"], "Simdgroup");
    assert_eq!(page["matched"], "warp");
    assert!(page["definition"].as_str().unwrap().contains("32"));
    assert!(page["related"].as_array().unwrap().iter().any(|title| title == "GPU Core"));
}
