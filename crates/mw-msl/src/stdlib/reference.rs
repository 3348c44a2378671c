//! The table as a page for readers.

use super::table::{Chapter, Class, Op, ROWS, Row};
use std::fmt::Write as _;

/// The chapters in order, with their headings.
const CHAPTERS: &[(Chapter, &str)] = &[
    (Chapter::Math, "Math"),
    (Chapter::Common, "Common"),
    (Chapter::Integer, "Integer"),
    (Chapter::Relational, "Relational"),
    (Chapter::Geometric, "Geometric"),
    (Chapter::Matrix, "Matrix"),
    (Chapter::Compute, "Barriers and fences"),
    (Chapter::Simdgroup, "Simdgroup"),
    (Chapter::Quadgroup, "Quadgroup"),
    (Chapter::Atomic, "Atomic"),
    (Chapter::SimdgroupMatrix, "Simdgroup matrix"),
    (Chapter::Pack, "Pack and unpack"),
];

/// Markdown tables of all public functions: signature, types, meaning, AIR.
pub fn reference_page() -> String {
    let mut page = String::new();
    for (chapter, heading) in CHAPTERS {
        // Writing to a string cannot fail.
        let _ =
            write!(page, "## {heading}\n\n| function | `T` | gives | becomes |\n| --- | --- | --- | --- |\n");
        for row in ROWS.iter().filter(|row| row.chapter == *chapter) {
            let _ = writeln!(
                page,
                "| `{}` | {} | {} | {} |",
                signature(row),
                types(row.class),
                row.doc,
                air(row)
            );
        }
        page.push('\n');
    }
    page
}

/// One row as readers write it: `T clamp(T, T, T)`.
pub fn signature(row: &Row) -> String {
    match row.class {
        Class::Atomic(_) => format!("{}(volatile device A *, …)", row.name),
        Class::SimdgroupMatrix(_) => format!("{}(…)", row.name),
        _ => {
            let mut words = row.signature.split_ascii_whitespace().map(|word| match word {
                "lane" => "ushort",
                "&T" => "thread T &",
                "&I" => "thread I &",
                "*I" => "thread I *",
                other => other,
            });
            let result = words.next().unwrap_or("void");
            format!("{result} {}({})", row.name, words.collect::<Vec<_>>().join(", "))
        }
    }
}

fn types(class: Class) -> &'static str {
    match class {
        Class::One => "",
        Class::Float => "half, float, vectors of them",
        Class::FloatVector => "vectors of half and float",
        Class::Float3 => "half3, float3",
        Class::Integer => "integers, vectors of them",
        Class::Int32 => "int, uint, vectors of them",
        Class::Number => "half, float, integers, vectors of them",
        Class::Lane => "half, float, integers of up to 32 bits, vectors of them",
        Class::LaneInteger => "integers of up to 32 bits, vectors of them",
        Class::Bool => "bool, vectors of it",
        Class::BoolVector => "vectors of bool",
        Class::Matrix => "matrices of half and float",
        Class::SquareMatrix => "square matrices of half and float",
        Class::Index => "ushort, uint",
        Class::Atomic(_) => "atomics",
        Class::SimdgroupMatrix(_) => "half, bfloat, float",
    }
}

/// What a row becomes in AIR.
fn air(row: &Row) -> String {
    match row.op {
        Op::Math(name) => format!("`air.{name}.T`, `air.fast_{name}.T`"),
        Op::PreciseMath(name) | Op::UnsignedInteger(name) | Op::CountZeros(name) | Op::Relational(name) => {
            format!("`air.{name}.T`")
        }
        Op::Integer(name) => format!("`air.{name}.s.T`, `air.{name}.u.T`"),
        Op::Simd(name) => format!("`air.simd_{name}`"),
        Op::Quad(name) => format!("`air.quad_{name}`"),
        Op::Atomic(_, name) => format!("`air.atomic.global.{name}`, `air.atomic.local.{name}`"),
        Op::SimdgroupMatrix(_, name) => format!("`air.simdgroup_matrix_8x8_{name}`"),
        Op::ThreadgroupBarrier => "`air.wg.barrier`".into(),
        Op::SimdgroupBarrier => "`air.simdgroup.barrier`".into(),
        Op::Fence => "`air.atomic.fence`".into(),
        Op::SimdgroupSize => "`air.get_simdgroup_size`".into(),
        Op::ThreadIndexInSimdgroup => "`air.get_thread_index_in_simdgroup`".into(),
        Op::Expand(_) => "instructions".into(),
        Op::Unsupported(what) => format!("not supported: {what}"),
    }
}
