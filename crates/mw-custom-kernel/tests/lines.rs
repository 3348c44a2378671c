//! Instructions know the user's own lines, so that findings of checked runs name them.

use mw_custom_kernel::{CallArguments, Definition, Dtype};

#[test]
fn instructions_name_the_body_and_the_header() {
    let mut definition =
        Definition::new("lines", &[], &["o"], "\nuint i = thread_position_in_grid.x;\no[i] = twice(i);");
    definition.header = "inline uint twice(uint x) {\n  return 2 * x;\n}\n".to_owned();
    let arguments = CallArguments { inputs: &[], outputs: &[Dtype::Uint32], output_shapes: 1, template: &[] };
    let source = definition.generate(&arguments).unwrap().source;
    let (text, options) = source.compilation();
    let library = metalworking::Library::from_source(&text, &options).unwrap();
    let program = library.source_program().unwrap();
    let (module, _) = program.module(&source.function).unwrap().unwrap();
    let places: Vec<String> = (0..module.debug.locations.len())
        .filter_map(|index| module.debug.describe(mw_air::LocationId::new(index)))
        .collect();
    assert!(places.iter().any(|place| place.starts_with("lines:3:")), "{places:?}");
    assert!(places.iter().any(|place| place.starts_with("lines (header):2:")), "{places:?}");
}
