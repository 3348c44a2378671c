//! What the preprocessor makes of small texts.

use std::fmt::Write as _;

use mw_diagnostics::Diagnostic;
use mw_source::SourceMap;

use super::{MemoryFiles, preprocess};
use crate::lex::{Token, TokenKind};
use crate::names::Interner;
use crate::options::{LanguageVersion, Options};

struct Run {
    map: SourceMap,
    interner: Interner,
    diagnostics: Vec<Diagnostic>,
    /// Tokens of the user's files: those of the library are left out.
    tokens: Vec<Token>,
}

impl Run {
    fn text(&self) -> String {
        let mut text = String::new();
        for (at, token) in self.tokens.iter().enumerate() {
            if at > 0 && token.flags.0 & 3 != 0 {
                text.push(' ');
            }
            match token.kind {
                TokenKind::Pragma => {
                    text.push_str("<pragma ");
                    text.push_str(self.interner.text(token.name));
                    text.push('>');
                }
                TokenKind::PragmaEnd => text.push_str("<end>"),
                _ => {
                    text.push_str(token.kind.spelling());
                    text.push_str(self.interner.text(token.name));
                }
            }
        }
        text
    }

    fn codes(&self) -> Vec<&'static str> {
        self.diagnostics.iter().map(|diagnostic| diagnostic.code.name).collect()
    }
}

fn run_files(options: &Options, files: &[(&str, &str)]) -> Run {
    let mut provider = MemoryFiles::default();
    for (name, text) in files {
        provider.add(*name, *text);
    }
    let mut map = SourceMap::new();
    let mut interner = Interner::default();
    let mut diagnostics = Vec::new();
    let mut tokens = preprocess(options, &provider, files[0].0, &mut map, &mut interner, &mut diagnostics);
    tokens.retain(|token| token.kind != TokenKind::Eof && !map.is_builtin(token.span));
    Run { map, interner, diagnostics, tokens }
}

fn run(text: &str) -> Run {
    run_files(&Options::default(), &[("main.metal", text)])
}

/// The tokens of a text that gives no diagnostics.
fn expand(text: &str) -> String {
    let run = run(text);
    assert_eq!(run.codes(), Vec::<&str>::new(), "{text}");
    run.text()
}

#[test]
fn object_macros_expand_and_stop_at_themselves() {
    assert_eq!(expand("#define A B c\n#define B A 1\nA B"), "A 1 c B c 1");
    assert_eq!(expand("#define x x+1\nx"), "x+1");
}

#[test]
fn function_macros_take_arguments() {
    assert_eq!(expand("#define F(a, b) b-a\nF((1, 2), F(3,4))"), "4-3-(1, 2)");
    assert_eq!(expand("#define F(a) a\nF F (1) F"), "F 1 F");
    assert_eq!(expand("#define F() x\nF() F( )"), "x x");
    assert_eq!(expand("#define F(a) [a]\nF()"), "[]");
    assert_eq!(expand("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)"), "2*9*g");
}

#[test]
fn the_standards_example_of_rescanning() {
    let text = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
                #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n\
                #define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n\
                f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
                p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };";
    assert_eq!(
        expand(text),
        "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1); \
         f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1); \
         int i[] = { 1, 23, 4, 5, }; char c[2][6] = { \"hello\", \"\" };"
    );
}

#[test]
fn strings_and_pastes() {
    assert_eq!(expand("#define S(a) #a\nS( x  \"a\\n\" '\"' )"), "\"x \\\"a\\\\n\\\" '\\\"'\"");
    assert_eq!(expand("#define C(a, b) a##b\nC(x, 1) C(,y) C(z,) C(<, <)"), "x1 y z <<");
    assert_eq!(expand("#define C(a, b, c) a##b##c\nC(x, , z) C(,,z)"), "xz z");
    assert_eq!(
        expand("#define A 1\n#define C(a, b) a##b\n#define X(a, b) C(a, b)\nC(A, A) X(A, A)"),
        "AA 11"
    );
    assert_eq!(run("#define C(a, b) a##b\nC(+, x)").codes(), ["invalid-paste"]);
}

#[test]
fn variadic_macros() {
    assert_eq!(expand("#define F(...) g(__VA_ARGS__)\nF() F(1) F(1, 2)"), "g() g(1) g(1, 2)");
    assert_eq!(expand("#define F(a, ...) g(a, ## __VA_ARGS__)\nF(1) F(1, 2, 3)"), "g(1) g(1, 2, 3)");
    assert_eq!(expand("#define F(a, r...) g(a, ## r)\nF(1) F(1, 2)"), "g(1) g(1, 2)");
    assert_eq!(
        expand("#define F(a, ...) g(a __VA_OPT__(, [) __VA_ARGS__ __VA_OPT__(]))\nF(1) F(1, 2)"),
        "g(1) g(1, [ 2])"
    );
    assert_eq!(expand("#define F(x, ...) a ## __VA_OPT__(x) ## b\nF(1) F(1, 2)"), "ab a1b");
}

#[test]
fn wrong_uses_of_macros_are_reported_once() {
    assert_eq!(run("#define F(a, b) a\nF(1)").codes(), ["macro-arguments"]);
    assert_eq!(run("#define F(a, b) a\nF(1, 2, 3)").codes(), ["macro-arguments"]);
    assert_eq!(run("#define F(a, b) a\nF(1, 2").codes(), ["macro-arguments"]);
    assert_eq!(run("#define F(a, a) a").codes(), ["invalid-macro"]);
    assert_eq!(run("#define F(a) #b").codes(), ["invalid-macro"]);
    assert_eq!(run("#define A ## b").codes(), ["invalid-macro"]);
    assert_eq!(run("#define A 1\n#define A 2").codes(), ["macro-redefined"]);
    assert_eq!(run("#define A 1\n#define A 1").codes(), Vec::<&str>::new());
}

#[test]
fn conditions() {
    for (condition, holds) in [
        ("1 + 2 * 3 == 7", true),
        ("-1 < 0u", false),
        ("-1 < 0", true),
        ("(1 ? 2 : 3) == 2 && 0x10 == 16", true),
        ("0 && 1 / 0", false),
        ("1 || 1 / 0", true),
        ("8 >> 2 == 2", true),
        ("1 << 3 >> 1 > 3", true),
        ("'a' == 97", true),
        ("undefined", false),
        ("defined(__METAL__) && !defined X", true),
        ("__METAL_VERSION__ >= 310 && defined(__HAVE_BFLOAT__)", true),
        ("__has_include(<metal_stdlib>)", true),
        ("__has_include(\"none.h\")", false),
        ("defined(__has_include)", true),
        ("true and not false", true),
    ] {
        let text = format!("#if {condition}\nyes\n#else\nno\n#endif");
        assert_eq!(expand(&text), if holds { "yes" } else { "no" }, "{condition}");
    }
    for condition in ["1 +", "", "(1", "1 / 0", "1.5", "f(1)", "1 2", "defined"] {
        assert_eq!(run(&format!("#if {condition}\n#endif")).codes(), ["invalid-condition"], "{condition}");
    }
}

#[test]
fn groups_are_taken_once_and_nest() {
    let text = "#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#elif 1\nd\n#else\ne\n#endif\nf";
    assert_eq!(expand(text), "c f");
    assert_eq!(expand("#ifdef A\na\n#elifndef A\nb\n#endif"), "b");
    assert_eq!(expand("#if 0\nit's \"broken\n#endif\nx"), "x");
    assert_eq!(run("#if 1\nx").codes(), ["unbalanced-conditional"]);
    assert_eq!(run("#if 0\nx").codes(), ["unbalanced-conditional"]);
    assert_eq!(run("#endif").codes(), ["unbalanced-conditional"]);
    assert_eq!(run("#if 0\n#else\n#else\n#endif").codes(), ["unbalanced-conditional"]);
    assert_eq!(run("#if 0\n#error no\n#endif\n#error yes").codes(), ["error-directive"]);
    assert_eq!(run("#nonsense").codes(), ["invalid-directive"]);
}

#[test]
fn directives_inside_arguments_count() {
    assert_eq!(expand("#define F(a) [a]\nF(1\n#if 0\n2\n#else\n3\n#endif\n)"), "[1 3]");
}

#[test]
fn files_include_each_other() {
    let options = Options { include_folders: vec!["inc".into()], ..Options::default() };
    let files = [
        ("src/main.metal", "#include \"a.h\"\n#include <b.h>\n#include \"a.h\"\nend"),
        ("src/a.h", "#pragma once\na"),
        ("inc/b.h", "b\n#define H \"../src/c.h\"\n#include H"),
        ("src/c.h", "c"),
    ];
    let run = run_files(&options, &files);
    assert_eq!(run.codes(), Vec::<&str>::new());
    assert_eq!(run.text(), "a b c end");
    assert_eq!(run_files(&options, &[("m", "#include \"m\"")]).codes(), ["include-too-deep"]);
    assert_eq!(run_files(&options, &[("m", "#include \"none\"")]).codes(), ["file-not-found"]);
}

#[test]
fn definitions_come_from_the_options() {
    let options = Options {
        version: LanguageVersion::Metal3_0,
        defines: vec![("N".into(), "4".into()), ("F(x)".into(), "x + N".into())],
        fast_math: false,
        ..Options::default()
    };
    let text = "__METAL_VERSION__ F(1)\n#ifdef __HAVE_BFLOAT__\nb\n#endif\n#ifdef __FAST_MATH__\nf\n#endif";
    assert_eq!(run_files(&options, &[("m", text)]).text(), "300 1 + 4");
}

#[test]
fn pragmas_that_matter_are_kept() {
    assert_eq!(expand("#define N 4\n#pragma unroll(N)\nfor"), "<pragma unroll>(4) <end> for");
    assert_eq!(expand("#define U _Pragma(\"unroll\") for\nU"), "<pragma unroll><end> for");
    assert_eq!(expand("#pragma clang loop unroll(full)\nx"), "<pragma unroll> <end> x");
    assert_eq!(expand("#pragma METAL fp contract(off)\nx"), "<pragma contract>off <end> x");
    assert_eq!(expand("#pragma METAL internals : enable\nx"), "<pragma internals> enable <end> x");
    assert_eq!(expand("#pragma mark - here's one\n#pragma clang diagnostic push\nx"), "x");
    assert_eq!(
        expand("#define A 1\n#pragma push_macro(\"A\")\n#undef A\nA\n#pragma pop_macro(\"A\")\nA"),
        "A 1"
    );
}

#[test]
fn places_are_known() {
    assert_eq!(expand("\n__LINE__ __FILE__ __COUNTER__ __COUNTER__"), "2 \"main.metal\" 0 1");
    assert_eq!(expand("#define L __LINE__\n\nL"), "3");
    assert_eq!(expand("#line 100 \"x.h\"\n__LINE__ __FILE__"), "100 \"x.h\"");
}

#[test]
fn tokens_of_macros_lead_back_to_the_users_line() {
    let run = run("#define G(a) a +\n#define F(a) G(a) 1\nint x = F(y);");
    let spelled: Vec<(String, String)> = run.tokens[3..6]
        .iter()
        .map(|token| {
            let written = run.map.written(token.span);
            (run.map.text(token.span).to_owned(), run.map.text(written).to_owned())
        })
        .collect();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(spelled, [pair("y", "y"), pair("+", "F(y)"), pair("1", "F(y)")]);
}

#[test]
fn bombs_are_stopped() {
    let mut text = String::from("#define A0(x) x x x x x x x x\n");
    for level in 1..20 {
        let _ = writeln!(text, "#define A{level}(x) A{}(x x x x)", level - 1);
    }
    text.push_str("A19(1)");
    assert_eq!(run(&text).codes(), ["expansion-too-large"]);
    let mut text = String::from("#define B0 1 1\n");
    for level in 1..60 {
        let _ = writeln!(text, "#define B{level} B{0} B{0}", level - 1);
    }
    text.push_str("B59");
    assert_eq!(run(&text).codes(), ["expansion-too-large"]);
    let nested = format!("#define F(x) x\n{}1{}", "F(".repeat(5000), ")".repeat(5000));
    assert_eq!(run(&nested).codes(), ["expansion-too-large"]);
}
