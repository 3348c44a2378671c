//! `mw run --counts`: figures that can be reckoned by hand, and that the browser's engine gives too.

use serde_json::{Value, json};
use snapbox::cmd::Command;

const KERNEL: &str = "../../book/kernels/online-softmax/online.metal";

fn mw(words: &str) -> std::process::Output {
    let mut command = Command::new(snapbox::cmd::cargo_bin!("mw")).current_dir(env!("CARGO_MANIFEST_DIR"));
    for variable in ["MW_CHIP", "MW_ENGINE", "MW_CPU", "MW_THREADS", "CLICOLOR_FORCE"] {
        command = command.env_remove(variable);
    }
    command.env("MW_CACHE_DIR", "off").args(words.split_whitespace()).output().expect("runs")
}

fn counts(words: &str) -> Value {
    let output = mw(words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let reports: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    reports[0]["counts"].clone()
}

#[test]
fn a_kernel_of_the_book_counts_as_it_does_in_the_browser() {
    let here = counts(&format!("run {KERNEL} --engine interp --counts --json"));
    // Two rows of 256: the source reads each element three times and writes it once.
    assert_eq!(here["device"]["loads"], json!({ "count": 3 * 512, "bytes": 6144 }));
    assert_eq!(here["device"]["stores"], json!({ "count": 512, "bytes": 2048 }));
    let source = std::fs::read_to_string(KERNEL).expect("readable");
    let request = json!({ "op": "run", "source": source, "line": 0 });
    let answer = mw_wasm::call(&mw_wasm::frame::join(&request, &[]));
    let (text, _) = mw_wasm::frame::split(&answer).expect("a frame");
    let there: Value = serde_json::from_slice(text).expect("JSON");
    assert_eq!(there["ok"], true, "{there}");
    assert_eq!(there["counts"], here);
}

#[test]
fn people_get_a_table_by_line() {
    let output = mw(&format!("run {KERNEL} --engine interp --counts --quiet"));
    let text = String::from_utf8_lossy(&output.stdout);
    let all = text.lines().find(|line| line.contains(" all ")).expect("a row of sums");
    assert!(all.contains(" 2048 "), "{text}");
    let wrong = mw(&format!("run {KERNEL} --counts"));
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("--engine interp"), "{wrong:?}");
}
