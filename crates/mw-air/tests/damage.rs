//! Damaged text: an error or a module, never a panic; and what our verifier accepts, LLVM accepts.

mod support;

use proptest::prelude::*;

use mw_air::edit::strip_attributes;
use mw_air::schema::ModuleInfo;
use mw_air::{AIR_DATA_LAYOUT, Module, PrintOptions, parse, print, verify};
use support::through_llvm;

const TEXT: &str = include_str!("text/everything.ll");

/// Words that mean something, to be put where another stood.
const WORDS: &[&str] = &[
    "i1",
    "i8",
    "i32",
    "i64",
    "float",
    "half",
    "bfloat",
    "double",
    "ptr",
    "void",
    "metadata",
    "x",
    "undef",
    "poison",
    "null",
    "zeroinitializer",
    "splat",
    "0",
    "1",
    "-1",
    "7",
    "4294967295",
    "18446744073709551615",
    "0x7FF0000000000000",
    "0xH7C00",
    "0xR7F80",
    "1.0",
    "%0",
    "%4",
    "%9",
    "%loop",
    "%struct.inner",
    "@table",
    "@fc",
    "@kernel",
    "!0",
    "!24",
    "!{",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "(",
    ")",
    ",",
    "=",
    "align",
    "nuw",
    "fast",
    "add",
    "fmul",
    "load",
    "store",
    "phi",
    "call",
    "getelementptr",
    "bitcast",
    "trunc",
    "fpext",
    "br",
    "ret",
    "switch",
    "unreachable",
    "label",
    "define",
    "declare",
    "global",
    "constant",
    "internal",
    "external",
    "addrspace(1)",
    "addrspace(3)",
    "volatile",
    "atomic",
    "monotonic",
    "inbounds",
    "to",
    "distinct",
    "c\"\\00\"",
    "...",
    "\"text\"",
    "#0",
    "loop:",
    "14:",
];

/// An edit of the text, token by token.
#[derive(Clone, Debug)]
enum Edit {
    Delete(usize),
    Repeat(usize),
    Swap(usize, usize),
    Replace(usize, usize),
    Cut(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        2 => any::<usize>().prop_map(Edit::Delete),
        2 => any::<usize>().prop_map(Edit::Repeat),
        4 => (any::<usize>(), any::<usize>()).prop_map(|(first, second)| Edit::Swap(first, second)),
        8 => (any::<usize>(), any::<usize>()).prop_map(|(token, word)| Edit::Replace(token, word)),
        1 => any::<usize>().prop_map(Edit::Cut),
    ]
}

/// Cuts into runs of word characters, single other characters, and blanks.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '%' | '@' | '!' | '-');
        let length = if is_word(first) {
            rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = &rest[length..];
    }
    tokens
}

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut tokens = tokens(text);
    for edit in edits {
        if tokens.is_empty() {
            break;
        }
        let at = |index: usize| index % tokens.len();
        match *edit {
            Edit::Delete(index) => {
                let index = at(index);
                tokens.remove(index);
            }
            Edit::Repeat(index) => {
                let index = at(index);
                tokens.insert(index, tokens[index]);
            }
            Edit::Swap(first, second) => {
                let (first, second) = (at(first), at(second));
                tokens.swap(first, second);
            }
            Edit::Replace(index, word) => {
                let index = at(index);
                tokens[index] = WORDS[word % WORDS.len()];
            }
            Edit::Cut(index) => {
                let index = at(index);
                tokens.truncate(index);
            }
        }
    }
    tokens.concat()
}

/// What must hold for any text; gives the module where there is one.
fn survives(text: &str) -> Option<Module> {
    let module = parse(text).ok()?;
    let _ = ModuleInfo::parse(&module);
    let printed = module.to_string();
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again.to_string(), printed);
    assert_eq!(verify(&module).is_ok(), verify(&again).is_ok(), "{printed}");
    Some(module)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn edited_text_is_survived(edits in prop::collection::vec(edit(), 1..4)) {
        survives(&apply(TEXT, &edits));
    }

    #[test]
    fn any_characters_are_survived(text in "[ -~\n\u{e9}]{0,200}") {
        survives(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn llvm_accepts_what_the_verifier_accepts(edits in prop::collection::vec(edit(), 1..3)) {
        let Some(mut module) = survives(&apply(TEXT, &edits)) else { return Ok(()) };
        if verify(&module).is_ok() {
            // Targets, attributes and metadata mean nothing to our verifier.
            module.data_layout = AIR_DATA_LAYOUT.into();
            strip_attributes(&mut module, |_| false);
            let text = print(&module, &PrintOptions { metadata: false, ..PrintOptions::default() });
            if let Err(error) = through_llvm(&text) {
                panic!("{error}\n{text}");
            }
        }
    }
}
