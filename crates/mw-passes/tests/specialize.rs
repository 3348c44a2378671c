//! Function constants: what is set, which arguments exist, and how a missing or wrong value is told.

use mw_air::schema::ModuleInfo;
use mw_air::{Module, PrintOptions};
use mw_backend::ConstantValues;
use mw_passes::specialize::{SpecializeError, SpecializeReport, specialize};

fn gated() -> (Module, ModuleInfo) {
    let module = mw_air::parse(include_str!("data/gated.ll")).expect("valid text");
    let info = ModuleInfo::parse(&module).expect("valid schema");
    (module, info)
}

fn set(values: &ConstantValues) -> Result<(Module, SpecializeReport), SpecializeError> {
    let (mut module, info) = gated();
    let report = specialize(&mut module, &info, values)?;
    mw_air::verify(&module).expect("still valid");
    Ok((module, report))
}

fn values(has_bias: bool, width: i32) -> ConstantValues {
    let mut values = ConstantValues::new();
    values.set_bool(10, has_bias).set_i32(20, width);
    values
}

#[test]
fn predicates_decide_which_arguments_exist() {
    let active = |has_bias, width| set(&values(has_bias, width)).unwrap().1.active_args[0].clone();
    assert_eq!(active(false, 0), [true, false, false, true]);
    assert_eq!(active(true, 8), [true, true, false, true]);
    assert_eq!(active(true, 9), [true, true, true, true]);
    assert_eq!(active(true, -9), [true, true, false, true]);
    assert_eq!(active(false, 9), [true, false, false, true]);
}

#[test]
fn a_bool_is_normalized() {
    let mut odd = values(true, 9);
    odd.set(10, 0x40, 1);
    assert_eq!(set(&odd).unwrap().1.active_args[0], [true, true, true, true]);
}

#[test]
fn nothing_comes_from_outside_afterwards() {
    let (module, _) = set(&values(true, 9)).unwrap();
    let text = mw_air::print(&module, &PrintOptions { metadata: false, ..PrintOptions::default() });
    assert!(!text.contains("externally_initialized") && !text.contains("air.fc_initializer"), "{text}");
    assert!(text.contains("@_Z5width.MTL_FC_INIT_20_i = internal unnamed_addr addrspace(2) constant i32 9"));
    assert!(text.contains("define internal i8 @air.normalize_function_constant_predicate.i8"));
    assert!(!text.contains("call i1 @air.is_function_constant_defined"), "{text}");
    assert!(text.contains("select i1 false"), "`extra` has no value");
    let (module, _) = set(values(true, 9).set_bool(30, false)).unwrap();
    assert!(mw_air::print(&module, &PrintOptions::default()).contains("select i1 true"));
}

#[test]
fn missing_and_wrong_values_are_named() {
    let missing = set(values(true, 9).set_bool(99, true)).map(|_| ());
    assert_eq!(missing, Ok(()), "an index that the module does not have is no matter");
    let mut only_bias = ConstantValues::new();
    only_bias.set_bool(10, true);
    let missing = set(&only_bias).unwrap_err().to_string();
    assert_eq!(
        missing,
        "the function constants 20 `width` (int) have no value: set them before the kernel is compiled"
    );
    let mut wrong = values(true, 9);
    wrong.set_bool(20, true);
    let wrong = set(&wrong).unwrap_err().to_string();
    assert_eq!(
        wrong,
        "function constant 20 `width` (int) has 4 bytes, the value given has 1: set a value of its type"
    );
}
