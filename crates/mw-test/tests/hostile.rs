//! Sources that want to be too much: too deep, too long, too large, without end. All have an answer, soon and
//! within bounds of stack and memory.

use mw_test::{hold, hold_bytes};

const KERNEL: &str = "kernel void k(device int *x) {";

/// A kernel with this body.
fn kernel(body: &str) -> String {
    format!("{KERNEL} {body} }}\n")
}

fn list(count: usize, separator: &str, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(separator)
}

/// Types that double: `Q<int, n>::type` has 2^n integers.
fn doubling(members: &str, depth: u32, body: &str) -> String {
    format!(
        "template <typename T> struct P {{ {members} }};
template <typename T, int N> struct Q {{ typedef typename Q<P<T>, N - 1>::type type; }};
template <typename T> struct Q<T, 0> {{ typedef T type; }};
{}",
        kernel(&format!("Q<int, {depth}>::type v; {body}"))
    )
}

fn around(open: &str, count: usize, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

/// What is refused, with a part of the first message, from the front-end or from lowering.
fn refused() -> Vec<(&'static str, String, &'static str)> {
    let value = |text: &str| kernel(&format!("x[0] = {text};"));
    let deep = "this nests more than 200 levels deep";
    vec![
        ("parentheses", value(&around("(", 5000, "1", ")")), deep),
        ("unclosed", format!("{KERNEL} x[0] = {}", "(".repeat(20000)), deep),
        ("braces", format!("{KERNEL}{}", "{".repeat(20000)), deep),
        ("sum", value(&format!("1{}", "+1".repeat(20000))), deep),
        ("commas", kernel(&format!("{}x[0]=2;", "x[0]=1,".repeat(8000))), deep),
        ("conditions", value(&format!("{}2", "x[1]?1:".repeat(8000))), deep),
        ("casts", value(&format!("{}1", "(int)".repeat(5000))), deep),
        ("indices", value(&around("x[", 3000, "0", "]")), deep),
        ("loops", kernel(&format!("{}x[0]=1;", "for(;;)".repeat(3000))), deep),
        ("lists", kernel(&format!("int a[] = {{{}}};", around("{", 300, "1", "}"))), deep),
        ("lambdas", kernel(&format!("auto f = {};", around("[=](int a) { return ", 250, "a", "; }"))), deep),
        (
            "members",
            format!(
                "struct S {{ S f() {{ return *this; }} int v; }};\n{}",
                kernel(&format!("S s; x[0] = s{}.v;", ".f()".repeat(3000)))
            ),
            deep,
        ),
        ("pointers", kernel(&format!("int {}p;", "*".repeat(5000))), "more than 64 levels"),
        ("dimensions", kernel(&format!("int a{};", "[2]".repeat(200))), "more than 64 levels"),
        (
            "macros that grow",
            format!(
                "#define A0 x[0]++;\n{}\n{}",
                list(29, "\n", |n| format!("#define A{} A{n} A{n} A{n} A{n}", n + 1)),
                kernel("A29")
            ),
            "more than 4000000 tokens",
        ),
        ("a file in itself", format!("#include \"main.metal\"\n{}", kernel("")), "include each other"),
        (
            "values that need each other",
            format!(
                "template <int N> struct S {{ static constexpr constant int v = S<N + 1>::v; }};\n{}",
                kernel("x[0] = S<0>::v;")
            ),
            "instantiate each other",
        ),
        (
            "functions that need each other",
            format!("template <typename T> int f(T t) {{ return f(&t); }}\n{}", kernel("x[0] = f(1);")),
            "instantiate each other",
        ),
        ("a type of 2^60 integers", doubling("T a; T b;", 60, "x[0] = sizeof(v);"), "this structure takes"),
        (
            "its capture",
            doubling("T a; T b;", 60, "auto f = [=] { return v; }; f();"),
            "this structure takes",
        ),
        ("a type of 2^25 integers", doubling("T a; T b;", 25, "x[0] = sizeof(v);"), "levels deep"),
        ("a type in 60 others", doubling("T a;", 60, "x[0] = sizeof(v);"), "levels deep"),
        ("an array without end", kernel("int a[1099511627776];"), "an array cannot have"),
        (
            "a variable of 8 GB",
            format!("constant int a[2147483647] = {{1}};\n{}", kernel("x[0] = a[x[1]];")),
            "more than the 1073741824",
        ),
        (
            "a constant without end",
            format!(
                "constexpr int f() {{ int i = 0; while (true) {{ ++i; }} return i; }}\nconstant int v = f();\n{}",
                kernel("x[0] = v;")
            ),
            "not known when compiling",
        ),
        (
            "a constant that calls without end",
            format!(
                "constexpr int f(int i) {{ return f(i + 1) + 1; }}\nconstant int v = f(0);\n{}",
                kernel("x[0] = v;")
            ),
            "not known when compiling",
        ),
        (
            "a pack of a thousand",
            format!(
                "template <typename... Ts> int f(Ts... ts) {{ return (ts + ...); }}\n{}",
                kernel(&format!("x[0] = f({});", list(1000, ",", |_| "1".into())))
            ),
            "levels deep",
        ),
        (
            "members past the limit",
            format!(
                "struct S {{ {} }};\n{}",
                list(4096, " ", |n| format!("int f{n};")),
                kernel("S s = {}; x[0] = s.f1;")
            ),
            "more than 4096",
        ),
    ]
}

/// What is much, and correct.
fn accepted() -> Vec<(&'static str, String)> {
    vec![
        ("line splices", kernel(&format!("x[0] = 1{};", "\\\n".repeat(20000)))),
        (
            "members at the limit",
            format!(
                "struct S {{ {} }};\n{}",
                list(4094, " ", |n| format!("int f{n};")),
                kernel("S s = {}; x[0] = s.f4000;")
            ),
        ),
        (
            "cases",
            kernel(&format!(
                "switch (x[1]) {{ {} }}",
                list(1500, " ", |n| format!("case {n}: x[0] = {n}; break;"))
            )),
        ),
        (
            "arguments",
            format!(
                "void f({}) {{}}\n{}",
                list(2000, ",", |n| format!("int a{n}")),
                kernel(&format!("f({});", list(2000, ",", |_| "1".into())))
            ),
        ),
        ("branches", kernel(&format!("int a = 0; {} x[0] = a;", "if(x[1])a+=x[2];".repeat(3800)))),
        ("writes", kernel(&format!("int a = 0; {} x[0] = a;", "a=a+x[a];".repeat(6500)))),
        (
            "a pack taken apart",
            format!(
                "template <typename T> int f(T t) {{ return t; }}
template <typename T, typename... Ts> int f(T t, Ts... ts) {{ return t + f(ts...); }}\n{}",
                kernel(&format!("x[0] = f({});", list(100, ",", |_| "1".into())))
            ),
        ),
        (
            "a union of many",
            format!(
                "union U {{ {} }};\n{}",
                list(200, " ", |n| format!("struct {{ int a{n}[{}]; }} s{n};", n + 1)),
                kernel("U u; u.s0.a0[0] = 1; x[0] = u.s199.a199[0];")
            ),
        ),
        ("recursion", format!("int f(int i) {{ return i ? f(i - 1) : 0; }}\n{}", kernel("x[0] = f(x[1]);"))),
        ("no way out", kernel("while (true) { if (x[0]) return; } x[1] = 2;")),
        ("odd numbers", kernel("x[0] = 1 << 100; x[2] = (-2147483647 - 1) / -1; x[3] = x[0] % 0;")),
    ]
}

/// Runs on a thread with the stack that the front-end asks for.
fn with_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn too_much_is_refused() {
    with_stack(|| {
        for (what, source, message) in refused() {
            let held = hold(&source);
            let first = held.errors.first().or(held.unsupported.first());
            let first = first.unwrap_or_else(|| panic!("{what} is accepted"));
            assert!(first.contains(message), "{what}: {first}");
            assert!(held.errors.len() < 20, "{what}: {} errors", held.errors.len());
        }
    });
}

#[test]
fn much_is_accepted() {
    with_stack(|| {
        for (what, source) in accepted() {
            let held = hold(&source);
            assert!(held.errors.is_empty(), "{what}: {}", held.errors[0]);
            assert_eq!(held.modules.len(), 1, "{what}: {:?}", held.unsupported);
        }
    });
}

#[test]
fn many_mistakes_are_told_up_to_a_limit() {
    with_stack(|| {
        let mistakes = kernel(&list(2500, "\n", |n| format!("x[{n}] = y{n};")));
        assert_eq!(hold(&mistakes).errors.len(), 1000);
        // Warnings do not hide the mistake behind them.
        let warnings = list(1200, "\n", |n| format!("int f{n}(int a) {{ if (a) return 1; }}"));
        let held = hold(&format!("{warnings}\n{}", kernel("x[0] = missing;")));
        assert_eq!(held.errors.len(), 1, "{:?}", held.errors);
    });
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    for bytes in
        [&b"kernel void k() { \xff\xfe\x80 /* \xc3( */ }"[..], b"kernel void k() {\0\0 }", b"\xef\xbb\xbf@"]
    {
        assert!(!hold_bytes(bytes).errors.is_empty());
    }
}
