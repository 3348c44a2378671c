//! The C header and the Rust table say the same.

use mw_custom_kernel::c_abi::{ABI_VERSION, Table};

const HEADER: &str = include_str!("../include/metalworking_custom_kernel.h");
const RUST: &str = include_str!("../src/c_abi.rs");

/// Members of a structure in C, in order: the name after a star in parentheses, or the last word.
fn members_in_c(structure: &str) -> Vec<String> {
    let start = HEADER.find(&format!("typedef struct {structure} {{")).expect("the header has the structure");
    let body = &HEADER[start..];
    let body =
        &body[body.find('{').expect("a brace") + 1..body.find(&format!("}} {structure};")).expect("its end")];
    let mut text = body.to_owned();
    while let Some(begin) = text.find("/*") {
        let end = text[begin..].find("*/").expect("comments end") + begin + 2;
        text.replace_range(begin..end, "");
    }
    let declarations = text.split(';').map(str::trim).filter(|declaration| !declaration.is_empty());
    declarations
        .map(|declaration| {
            let named = match declaration.find("(*") {
                Some(at) => &declaration[at + 2..],
                None => declaration.rsplit([' ', '*']).next().expect("a name"),
            };
            named.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
        })
        .collect()
}

/// Members of a structure in Rust, in order.
fn members_in_rust(structure: &str) -> Vec<String> {
    let start = RUST.find(&format!("pub struct {structure} {{")).expect("the file has the structure");
    let body = &RUST[start..];
    let body = &body[..body.find("\n}").expect("its end")];
    let member = |line: &str| {
        let line = line.trim().strip_prefix("pub ").unwrap_or(line.trim());
        let (name, _) = line.split_once(": ")?;
        let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        is_name.then(|| name.to_owned())
    };
    body.lines().filter(|line| !line.trim().starts_with("//")).filter_map(member).collect()
}

#[test]
fn structures_have_the_same_members() {
    let pairs = [
        ("MwCustomKernelTable", "Table"),
        ("MwText", "Text"),
        ("MwError", "ErrorOut"),
        ("MwDefinitionIn", "DefinitionIn"),
        ("MwInputIn", "InputIn"),
        ("MwTemplateIn", "TemplateIn"),
        ("MwInjected", "InjectedFlags"),
        ("MwGeneratedOut", "GeneratedOut"),
        ("MwArray", "ArrayIn"),
        ("MwLaunch", "LaunchIn"),
        ("MwDeviceFacts", "DeviceFacts"),
    ];
    for (c, rust) in pairs {
        let members = members_in_c(c);
        assert!(members.len() >= 2, "{c}: {members:?}");
        assert_eq!(members, members_in_rust(rust), "{c} and {rust}");
    }
}

#[test]
fn versions_and_sizes_agree() {
    assert!(HEADER.contains(&format!("#define MW_CUSTOM_KERNEL_ABI {ABI_VERSION}u\n")));
    let functions = members_in_c("MwCustomKernelTable").len() - 2;
    assert_eq!(size_of::<Table>(), 8 + functions * size_of::<usize>());
}
