//! The parser against the printer and against LLVM.

mod support;

use std::fmt::Write as _;

use mw_air::{Module, ParseError, parse};
use support::through_llvm;

const SOMETHING_OF_EVERYTHING: &str = include_str!("text/everything.ll");

fn read(text: &str) -> Module {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn fails(text: &str) -> ParseError {
    match parse(text) {
        Ok(module) => panic!("accepted:\n{module}"),
        Err(error) => error,
    }
}

#[test]
fn printed_text_reads_back_the_same() {
    let first = read(SOMETHING_OF_EVERYTHING);
    let printed = first.to_string();
    let second = read(&printed);
    assert_eq!(second.to_string(), printed);
    // Once numbered by the printer, nothing moves any more.
    assert_eq!(read(&second.to_string()), second);
}

#[test]
fn llvm_reads_the_same_module() {
    let printed = read(SOMETHING_OF_EVERYTHING).to_string();
    let theirs = through_llvm(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(read(&theirs).to_string(), printed);
}

#[test]
fn llvm_accepts_the_test_file_itself() {
    let theirs = through_llvm(SOMETHING_OF_EVERYTHING).expect("LLVM accepts it");
    assert_eq!(read(&theirs).to_string(), read(SOMETHING_OF_EVERYTHING).to_string());
}

#[test]
fn errors_say_where() {
    let error = fails("define void @f() {\n  ret i32 %x\n}\n");
    assert_eq!(error.to_string(), "2:11: `%x` is not defined");
    let error = fails("define void @f(i32 %x) {\n  %y = add float %x, 0.0\n  ret void\n}\n");
    assert_eq!(error.to_string(), "2:18: `%x` is a `i32`, not a `float`");
}

#[test]
fn what_air_does_not_have_is_refused_by_name() {
    for (text, message) in [
        ("@x = global i8* null", "1:15: typed pointers are not LLVM 22 any more: write `ptr`"),
        ("@x = global <vscale x 4 x i8> zeroinitializer", "1:14: scalable vectors do not exist in AIR"),
        ("@x = global i128 0", "1:13: `i128`: integers have 1 to 64 bits"),
        ("@x = global i8 256", "1:16: this integer does not fit into `i8`"),
        ("@x = global float 0.1", "1:19: this number is not exact in `float`: write it in hexadecimal"),
        ("@x = alias i8, ptr @y", "1:6: `alias` is not supported"),
        (
            "!0 = !{!DILocation(line: 1)}",
            "1:8: debug metadata such as `!DILocation` stands on a line of its own",
        ),
        ("define void @f() {\n  #dbg_value(i32 0)\n}", "2:3: debug records are not supported"),
        ("@x = global %t zeroinitializer", "1:13: type `%t` is not defined"),
        ("%t = type { [2 x %t] }\n@x = global %t zeroinitializer", "1:18: structure `%t` contains itself"),
        ("@x = global i8 0\n@x = global i8 0", "2:1: `@x` is defined twice"),
        ("!a = !{!1}", "1:8: `!1` is not defined"),
        ("define void @f() {\n  br label %x\n}", "2:12: block `%x` is not defined"),
        (
            "define void @f() {\n1:\n  ret void\n0:\n  ret void\n}",
            "4:1: blocks and values are numbered upwards: expected 2",
        ),
        (
            "define i32 @f() {\n  %1 = frobnicate i32 1\n}",
            "2:19: instruction `frobnicate` does not exist in AIR",
        ),
        ("define i32 @f() {", "1:18: expected an instruction, found the end of the text"),
        ("@x = global \u{e9}", "1:13: unexpected character 'é'"),
    ] {
        assert_eq!(fails(text).to_string(), message, "{text}");
    }
}

#[test]
fn expansion_is_bounded() {
    // Each structure holds the one before it twice: 2^40 members in 40 lines.
    let mut text = String::from("%t0 = type { i8 }\n");
    for level in 1..40 {
        writeln!(text, "%t{level} = type {{ %t{0}, %t{0} }}", level - 1).expect("text grows");
    }
    text += "@x = global %t39 zeroinitializer\n";
    assert!(fails(&text).message.contains("members in all"));
    let mut text = String::from("define void @f() {\n");
    for value in 0..1000 {
        writeln!(text, "  store <4096 x i64> splat (i64 {value}), ptr null").expect("text grows");
    }
    text += "  ret void\n}\n";
    assert!(fails(&text).message.contains("elements"));
    let text = format!("@x = global {}", "[1 x ".repeat(100_000));
    assert!(fails(&text).message.contains("levels deep"));
    let text = format!("@x = global i8 {}", "add (i8 ".repeat(100_000));
    assert!(fails(&text).message.contains("levels deep"));
    let text = format!("!0 = {}", "!{".repeat(100_000));
    assert!(fails(&text).message.contains("levels deep"));
}

#[test]
fn numbers_keep_their_bits() {
    let text = "source_filename = \"numbers\"\n@a = global [6 x float] [float 0x7FF8000020000000, float 0x7FF0000020000000, \
                float 0xFFF0000000000000, float 0x36A0000000000000, float -0.0, float 1.5]\n\
                @b = global [3 x half] [half 0xH7C01, half 0x3E70000000000000, half 6.5504e4]\n\
                @c = global [2 x bfloat] [bfloat 0xR7F81, bfloat 1.0]\n\
                @d = global [2 x i64] [i64 -9223372036854775808, i64 18446744073709551615]\n";
    let printed = read(text).to_string();
    assert!(printed.contains("half 0xH7C01, half 0xH0001, half 0xH7BFF"), "{printed}");
    assert!(printed.contains("bfloat 0xR7F81, bfloat 0xR3F80"), "{printed}");
    assert!(printed.contains("float 0x7FF8000020000000, float 0x7FF0000020000000"), "{printed}");
    assert!(printed.contains("i64 -9223372036854775808, i64 -1"), "{printed}");
    let theirs = through_llvm(&printed).expect("LLVM accepts it");
    assert_eq!(read(&theirs).to_string(), printed);
}
