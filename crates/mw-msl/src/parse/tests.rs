//! What the parser makes of small texts.

use super::dump::Dump;
use crate::ast::{Decl, DeclKind, FunctionBody};
use crate::options::Options;
use crate::preprocess::MemoryFiles;
use crate::{ParsedUnit, parse};

fn parsed(text: &str) -> ParsedUnit {
    parse(&Options::default(), &MemoryFiles::single("t.metal", text), "t.metal")
}

/// Declarations that the library's prelude does not have.
fn own(unit: &ParsedUnit) -> Vec<&Decl> {
    unit.unit.decls.iter().filter(|decl| !unit.map.is_builtin(decl.span)).collect()
}

#[track_caller]
fn no_diagnostics(unit: &ParsedUnit, text: &str) {
    let messages: Vec<&str> = unit.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert!(messages.is_empty(), "{text}: {messages:?}");
}

/// The tree of a text without mistakes.
#[track_caller]
fn tree(text: &str) -> String {
    let unit = parsed(text);
    no_diagnostics(&unit, text);
    let dump = Dump(&unit.interner);
    own(&unit).iter().map(|decl| dump.decls(std::slice::from_ref(*decl))).collect::<Vec<_>>().join(" ")
}

/// The tree of statements, `before` declared before the function.
#[track_caller]
fn body_after(before: &str, text: &str) -> String {
    let source = format!("{before}\nvoid test_function() {{ {text} }}");
    let unit = parsed(&source);
    no_diagnostics(&unit, text);
    let dump = Dump(&unit.interner);
    let own = own(&unit);
    let DeclKind::Function(function) = &own.last().expect("a function").kind else {
        panic!("the last declaration is no function")
    };
    let FunctionBody::Block(body) = &function.body else { panic!("no body") };
    let text = dump.stmt(body);
    text[1..text.len() - 1].trim().to_owned()
}

#[track_caller]
fn body(text: &str) -> String {
    body_after("", text)
}

/// The codes of a text with mistakes.
fn codes(text: &str) -> Vec<&'static str> {
    parsed(text).diagnostics.iter().map(|diagnostic| diagnostic.code.name).collect()
}

#[test]
fn operators_bind_as_in_cpp() {
    assert_eq!(body("a = b + c * d;"), "(a = (b Add (c Mul d)));");
    assert_eq!(
        body("a << 1 + 2 & 3 == 4 && 5 | 6;"),
        "(((a ShiftLeft (1 Add 2)) And (3 Equal 4)) LogicalAnd (5 Or 6));"
    );
    assert_eq!(body("a = b = c ? d : e ? f : g;"), "(a = (b = (c ? d : (e ? f : g))));");
    assert_eq!(body("-a * !b, ~c--;"), "((Minus(a) Mul Not(b)) , Complement(PostDecrement(c)));");
    assert_eq!(body("*p++ = &q[1];"), "(Deref(PostIncrement(p)) = AddressOf(q[1]));");
    assert_eq!(
        body("a >> 2 >= 1 > 0; a >>= 1;"),
        "(((a ShiftRight 2) GreaterEqual 1) Greater 0); (a ShiftRight= 1);"
    );
    assert_eq!(body("a.b->c(1)[2];"), "a.b->c(1)[2];");
    assert_eq!(body("a.*b;"), "(a MemberPointer b);");
}

#[test]
fn literals_have_values() {
    assert_eq!(
        body("f(1, 0x10u, 1.5, 2.h, 'a', true, nullptr, \"x\" \"y\");"),
        "f(1, 16:uint, 1.5, 2.0:half, 97:char, true, nullptr, \"xy\");"
    );
}

#[test]
fn less_than_or_template_arguments() {
    assert_eq!(body("a < b; a < b > (c);"), "(a Less b); a<b>(c);");
    assert_eq!(body_after("int a, b, c;", "a < b > (c);"), "((a Less b) Greater c);");
    assert_eq!(body_after("template <int N> int f(int);", "f<3>(4);"), "f<3>(4);");
    assert_eq!(
        body_after("template <int N> int f(int);", "int f = 1; f < 3 > (4);"),
        "int f = 1; ((f Less 3) Greater 4);"
    );
    assert_eq!(
        body_after("template <int N> struct S { static constexpr int v = N; };", "x = S<(1 > 2)>::v < 3;"),
        "(x = (S<(1 Greater 2)>::v Less 3));"
    );
    assert_eq!(
        body_after("template <typename T> struct S {}; template <typename T> T g();", "g<S<S<int>>>();"),
        "g<type S<type S<type int>>>();"
    );
    assert_eq!(
        body_after("template <typename T> constexpr bool v = true;", "x = v<int> && 1;"),
        "(x = (v<type int> LogicalAnd 1));"
    );
    assert_eq!(
        body("for (int i = 0; i < n && j > m; i++) ;"),
        "for (int i = 0; ((i Less n) LogicalAnd (j Greater m)); PostIncrement(i)) ;"
    );
    assert_eq!(
        body("if (p.x < q.x && p.y > (q.y)) ; if (a < b || c > (d)) ; x = p.get<3>(1);"),
        "if (((p.x Less q.x) LogicalAnd (p.y Greater q.y))) ; if (((a Less b) LogicalOr (c Greater d))) ; \
         (x = p.get<3>(1));"
    );
    assert_eq!(body("as_type<uint>(x) < 3;"), "(as_type<type uint>(x) Less 3);");
}

#[test]
fn casts_constructions_and_calls() {
    assert_eq!(body("(float)x; (float)(x); (x); (x)(y);"), "cast<float>(x); cast<float>(x); x; x(y);");
    assert_eq!(body("(device float *)p + 1;"), "(cast<ptr(device float)>(p) Add 1);");
    assert_eq!(body("f((a) + b, (a)*b, (int)-b);"), "f((a Add b), (a Mul b), cast<int>(Minus(b)));");
    assert_eq!(
        body_after("struct S {};", "(S)x; (thread S *)&x; (const S &)x;"),
        "cast<S>(x); cast<ptr(thread S)>(AddressOf(x)); cast<ref(const S)>(x);"
    );
    assert_eq!(body("y = float(x) + int{1};"), "(y = (float!(x) Add int!{1}));");
    assert_eq!(body_after("struct S { int a; };", "S(1).a; S{1}.a;"), "S!(1).a; S!{1}.a;");
    assert_eq!(
        body_after("using namespace metal;", "x = float4(1, 2, 3, 4).xy;"),
        "(x = float4!(1, 2, 3, 4).xy);"
    );
    assert_eq!(body_after("using namespace metal;", "(float4)(x);"), "cast<float4>(x);");
    assert_eq!(
        body("static_cast<int>(x) + reinterpret_cast<device uint *>(p)[0];"),
        "(static_cast<int>(x) Add reinterpret_cast<ptr(device uint)>(p)[0]);"
    );
    assert_eq!(
        body("sizeof(int) + sizeof(x) + sizeof x + alignof(float);"),
        "(((sizeof(type int) Add sizeof(x)) Add sizeof(x)) Add alignof(float));"
    );
}

#[test]
fn declarations_or_expressions() {
    let before = "struct T { int m; }; int v;";
    assert_eq!(
        body_after(before, "T a; T *b; T &c = a; T d(1); T e{1}; T f = {1};"),
        "T a; ptr(T) b; ref(T) c = a; T d(1); T e{1}; T f = {1};"
    );
    assert_eq!(body_after(before, "v * v; v(1); T(1); T(x); T{1};"), "(v Mul v); v(1); T!(1); T x; T!{1};");
    assert_eq!(body_after(before, "T g(); T h(T); T i(v);"), "T g(); T h(T); T i(v);");
    assert_eq!(
        body("unknown x; unknown *y = 0; ns::type z; a * b;"),
        "unknown x; ptr(unknown) y = 0; ns::type z; ptr(a) b;"
    );
    assert_eq!(
        body("threadgroup float s[4][8]; thread const float *p;"),
        "array[4](array[8](threadgroup float)) s; ptr(const thread float) p;"
    );
    assert_eq!(
        body("auto [a, b] = f(); auto &r = a; constexpr int n = 3;"),
        "auto [a, b] = f(); ref(auto) r = a; constexpr int n = 3;"
    );
    assert_eq!(
        body("int a = 1, *b = &a, c[2] = {1, 2};"),
        "int a = 1, ptr(int) b = AddressOf(a), array[2](int) c = {1, 2};"
    );
    assert_eq!(
        body("float (*f)(int) = g; float (*t[2])(int); int (&r)[3] = a;"),
        "ptr(fn(int) -> float) f = g; array[2](ptr(fn(int) -> float)) t; ref(array[3](int)) r = a;"
    );
    assert_eq!(
        body("unsigned long long x; unsigned char y; long int z; short unsigned w;"),
        "ulong x; uchar y; long z; ushort w;"
    );
    assert_eq!(body("decltype(x) y = x; decltype(auto) z = x;"), "decltype(x) y = x; decltype(auto) z = x;");
}

#[test]
fn statements() {
    assert_eq!(body("if (a) b; else if (c) d; else { e; }"), "if (a) b; else if (c) d; else { e; }");
    assert_eq!(
        body("if (int i = f(); i > 0) g(i); if constexpr (a) ;"),
        "if (int i = f(); (i Greater 0)) g(i); if constexpr (a) ;"
    );
    assert_eq!(body("if (int x = f()) g();"), "if (int x = f()) g();");
    assert_eq!(
        body("while (a) { continue; } do break; while (b);"),
        "while (a) { continue; } do break; while (b);"
    );
    assert_eq!(
        body("for (;;) ; for (auto &x : xs) f(x); for (int i : {1, 2}) ;"),
        "for (; ; ) ; for (ref(auto) x : xs) f(x); for (int i : {1, 2}) ;"
    );
    assert_eq!(
        body("switch (a) { case 1: case 2: b; break; case 3 ... 5: default: c; }"),
        "switch (a) { case 1: case 2: b; break; case 3...5: default: c; }"
    );
    assert_eq!(body("goto end; end: return;"), "goto end; end: return;");
    assert_eq!(body("return {1, 2}; return (a, b);"), "return {1, 2}; return (a , b);");
    assert_eq!(
        body(
            "\n#pragma unroll\nfor (;;) ;\n#pragma unroll(4)\nwhile (a) ;\n#pragma nounroll\ndo ; while (b);"
        ),
        "unroll for (; ; ) ; unroll(4) while (a) ; nounroll do ; while (b);"
    );
    assert_eq!(body("{\n#pragma METAL fp contract(off)\n a; }"), "{ Contract(Off); a; }");
    assert_eq!(
        body("[[likely]] if (a) ; [[maybe_unused]] int x;"),
        "[[likely]] if (a) ; [[maybe_unused]] int x;"
    );
    assert_eq!(
        body("using T = int; typedef float F, *P; T x; F y;"),
        "alias T = int; alias F = float; alias P = ptr(float); T x; F y;"
    );
    assert_eq!(
        body("static_assert(1 < 2, \"no\"); struct L { int a; } l;"),
        "static_assert((1 Less 2), Some(\"no\")); struct L { int a; } L l;"
    );
}

#[test]
fn kernels_and_attributes() {
    assert_eq!(
        tree(
            "kernel void k(device const float *a [[buffer(0)]], constant uint &n [[buffer(1)]], uint i [[thread_position_in_grid]]) {}"
        ),
        "Kernel void k(ptr(const device float) a [[buffer(0)]], ref(constant uint) n [[buffer(1)]], uint i [[thread_position_in_grid]]) { }"
    );
    assert_eq!(tree("[[kernel]] void k();"), "[[kernel]] Kernel void k();");
    assert_eq!(
        tree("[[kernel, max_total_threads_per_threadgroup(64)]] void k() {}"),
        "[[kernel]] [[max_total_threads_per_threadgroup(64)]] Kernel void k() { }"
    );
    assert_eq!(
        tree("constant int N [[function_constant(0 + 1)]];"),
        "[[function_constant((0 Add 1))]] constant int N;"
    );
    assert_eq!(
        tree("inline __attribute__((__always_inline__)) int f() __attribute__((pure)) { return 1; }"),
        "[[always_inline]] [[pure]] inline int f() { return 1; }"
    );
    assert_eq!(
        tree("int f(float) __asm(\"air.f\"); struct alignas(16) S { alignas(float) int a; };"),
        "int f(float) asm \"air.f\"; struct S { [[alignas(type float)]] int a; }"
    );
    assert_eq!(
        tree("struct __attribute__((packed)) S { int a : 3; int : 0; unsigned b : 2, c : 1; };"),
        "struct S { int a : 3; int : 0; uint b : 2, uint c : 1; }"
    );
    assert_eq!(
        tree("void f(device float *restrict a, coherent(device) int *b, volatile device int *c);"),
        "void f(restrict ptr(device float) a, ptr(coherent int) b, ptr(volatile device int) c);"
    );
    assert_eq!(
        tree("void f(float (&a)[4], threadgroup float (*b)[8], int c[], void (*d)(int));"),
        "void f(ref(array[4](float)) a, ptr(array[8](threadgroup float)) b, array[](int) c, ptr(fn(int) -> void) d);"
    );
}

#[test]
fn templates() {
    assert_eq!(
        tree("template <typename T, int N = 4, typename... Ts> T f(T a, Ts... rest);"),
        "template<typename T, int N = 4, typename... Ts> T f(T a, Ts... rest);"
    );
    assert_eq!(
        tree("template <template <typename> class C, auto V, typename = int> struct S;"),
        "template<template<typename> class C, auto V, typename = int> struct S;"
    );
    assert_eq!(
        tree(
            "template <typename T> struct S {}; template <> struct S<int> {}; template <typename T> struct S<T *> : S<T> {};"
        ),
        "template<typename T> struct S {  } template<> struct S<type int> {  } template<typename T> struct S<type ptr(T)> : S<type T> {  }"
    );
    assert_eq!(
        tree(
            "template <typename T> using P = device T *; template <typename T> constexpr bool v = sizeof(T) > 4;"
        ),
        "template<typename T> alias P = ptr(device T); template<typename T> constexpr bool v = (sizeof(type T) Greater 4);"
    );
    assert_eq!(
        tree("template <bool B, typename enable_if<B, int>::type = 0> void f();"),
        "template<bool B, enable_if<B, type int>::type = 0> void f();"
    );
    assert_eq!(
        tree(
            "template <typename... T> auto sum(T... t) { return (t + ...) + (... * t) + (0 | ... | t) + sizeof...(T); }"
        ),
        "template<typename... T> auto sum(T... t) { return (((fold(t Binary(Add) ...) Add fold(... Binary(Mul) t)) Add fold(0 Binary(Or) t)) Add sizeof...(T)); }"
    );
    assert_eq!(
        tree(
            "template <typename T> void f(T x) { typename T::type y; x.template g<int>(); T::h(1); T::n < 3; }"
        ),
        "template<typename T> void f(T x) { T::type y; x.g<type int>(); T::h(1); (T::n Less 3); }"
    );
    assert_eq!(
        tree("template <typename T> struct S { template <typename U> S(U u) : a(u), b{u} {} T a, b; };"),
        "template<typename T> struct S { template<typename U> ctor S(U u) : a(u), b{u} { } T a, T b; }"
    );
    assert_eq!(
        tree("template <typename T> struct S { T f(); }; template <typename T> T S<T>::f() { return {}; }"),
        "template<typename T> struct S { T f(); } template<typename T> T S<type T>::f() { return {}; }"
    );
    assert_eq!(
        tree("template <int... I> void f() { int a[] = {I...}; g(h(I)...); }"),
        "template<int... I> void f() { array[](int) a = {I...}; g(h(I)...); }"
    );
    assert_eq!(
        tree("template <typename... T> void f(T... t) { (g(t), ...); ((x += t), ...); }"),
        "template<typename... T> void f(T... t) { fold(g(t) Comma ...); fold((x Add= t) Comma ...); }"
    );
}

#[test]
fn explicit_instantiations() {
    let template = "template <typename T> kernel void k(device T *a) {}\n";
    let tree_of =
        |text: &str| tree(&format!("{template}{text}")).split_once("{ } ").expect("template").1.to_owned();
    assert_eq!(
        tree_of("template [[host_name(\"k_f\")]] kernel void k<float>(device float *);"),
        "instantiate [[host_name(\"k_f\")]] Kernel void k<type float>(ptr(device float));"
    );
    assert_eq!(
        tree_of("template [[host_name(\"k_f\")]] [[kernel]] decltype(k<float>) k<float>;"),
        "instantiate [[host_name(\"k_f\")]] [[kernel]] Kernel decltype(k<type float>) k<type float>;"
    );
    assert_eq!(
        tree_of("typedef decltype(k<float>) k_t; template [[host_name(\"a\")]] kernel k_t k<half>;"),
        "alias k_t = decltype(k<type float>); instantiate [[host_name(\"a\")]] Kernel k_t k<type half>;"
    );
    assert_eq!(
        tree_of(
            "template <typename T> struct S {}; template struct S<int>; extern template struct S<float>;"
        ),
        "template<typename T> struct S {  } instantiate struct S<type int>; extern instantiate struct S<type float>;"
    );
}

#[test]
fn classes() {
    assert_eq!(
        tree(
            "struct S { S() = default; S(const S &) = delete; explicit S(int a) : m(a) {} ~S() {} operator float() const { return m; } int m = 1; };"
        ),
        "struct S { ctor S() = default; ctor S(ref(const S)) = delete; explicit ctor S(int a) : m(a) { } dtor ~S() { } conversion operator float() const { return m; } int m = 1; }"
    );
    assert_eq!(
        tree(
            "struct S { float operator()(float a) const thread { return a; } device S &operator=(int) device; S operator+(S) const; bool operator[](int); };"
        ),
        "struct S { float operator Call(float a) const thread { return a; } ref(device S) operator Assign(int) device; S operator Arithmetic(Plus)(S) const; bool operator Index(int); }"
    );
    assert_eq!(
        tree("struct A { union { int a; float b; }; struct { int c; }; enum { X, Y = 2 }; };"),
        "struct A { union { int a; float b; } struct { int c; } enum { X, Y = 2 } }"
    );
    assert_eq!(
        tree("enum class E : uint { a = 1, b, }; enum F { c };"),
        "enum class E : uint { a = 1, b } enum F { c }"
    );
    assert_eq!(
        tree(
            "struct B {}; class D final : public B { public: static constexpr constant int n = 1; friend void f(D) {} private: mutable int x; };"
        ),
        "struct B {  } class D : B { Public: static constexpr constant int n = 1; friend void f(D) { } Private: int x; }"
    );
    assert_eq!(
        tree("typedef struct { int a; } T, *P; struct Q { int a; } q;"),
        "alias T = <struct { int a; }>; alias P = ptr(<struct { int a; }>); struct Q { int a; } Q q;"
    );
    // Members that are declared later are seen in bodies, and decide what `<` is.
    assert_eq!(
        tree("struct S { int f() { return g<1>(2) + (n < 1 > (0)); } template <int N> int g(int); int n; };"),
        "struct S { int f() { return (g<1>(2) Add ((n Less 1) Greater 0)); } template<int N> int g(int); int n; }"
    );
    assert_eq!(
        tree(
            "struct S; int S::f(int a) const { return a; } S::S() {} S::~S() {} S::operator int() { return 1; }"
        ),
        "struct S; int S::f(int a) const { return a; } ctor S::S() { } dtor S::~S() { } conversion S::operator int() { return 1; }"
    );
    assert_eq!(
        tree("template <typename T> struct I { constexpr I<T>() threadgroup = default; T a; };"),
        "template<typename T> struct I { constexpr ctor I<type T>() threadgroup = default; T a; }"
    );
}

#[test]
fn namespaces_and_usings() {
    assert_eq!(
        tree("namespace a::b { struct S {}; } namespace c = a::b; using namespace a; using a::b::S; c::S s;"),
        "namespace a { namespace b { struct S {  } } } namespace c = a::b; using namespace a; using a::b::S; c::S s;"
    );
    assert_eq!(
        tree(
            "namespace { int x; } inline namespace v { int y; } extern \"C\" { int f(); } extern \"C\" int g();"
        ),
        "namespace  { int x; } inline namespace v { int y; } linkage { int f(); } linkage { int g(); }"
    );
    assert_eq!(
        body_after(
            "namespace n { template <int N> struct S {}; template <int N> int f(); } using namespace n;",
            "S<1> s; f<1>();"
        ),
        "S<1> s; f<1>();"
    );
    assert_eq!(
        body_after("namespace n { template <int N> int f(); } using n::f;", "f<1>() + ::n::f<2>();"),
        "(f<1>() Add ::n::f<2>());"
    );
    assert_eq!(
        body_after("", "metal::float4 a; ::metal::vec<float, 2> b; metal::fast::exp(x);"),
        "metal::float4 a; ::metal::vec<type float, 2> b; metal::fast::exp(x);"
    );
}

#[test]
fn lambdas() {
    assert_eq!(
        body("auto f = [&](int a) { return a; }; f(1);"),
        "auto f = lambda [&](int a) -> auto { return a; }; f(1);"
    );
    assert_eq!(
        body("[=, &x, y = 1, *this](auto a, auto... b) mutable -> float { return 1; }(2);"),
        "lambda [=, &x, y = 1, *this](auto a, auto... b) -> float { return 1; }(2);"
    );
    assert_eq!(
        body("f([] { }, [this, a]() constexpr { g(); });"),
        "f(lambda []() -> auto { }, lambda [this, a]() -> auto { g(); });"
    );
}

#[test]
fn initializers() {
    assert_eq!(body("S s = {.a = 1, .b = {2, 3}, .c.d = 4};"), "S s = {.a = 1, .b = {2, 3}, .c.d = 4};");
    assert_eq!(
        body("int a[4] = {[0] = 1, [1 ... 3] = 2}; int b[] {1, 2,};"),
        "array[4](int) a = {[0] = 1, [1...3] = 2}; array[](int) b{1, 2};"
    );
    assert_eq!(body("x = {1, 2}; f({1}, {});"), "(x = {1, 2}); f({1}, {});");
}

#[test]
fn traits_and_forbidden_things_are_read() {
    assert_eq!(
        body("__is_same(int, float) + __is_base_of(A, B);"),
        "(trait __is_same(type int, type float) Add trait __is_base_of(A, B));"
    );
    assert_eq!(
        body("int *p = new int[3]; delete[] p; throw 1; double d;"),
        "ptr(int) p = forbidden new; forbidden delete; forbidden throw; forbidden double d;"
    );
}

#[test]
fn one_mistake_gives_one_error() {
    let mut wrong = Vec::new();
    for (text, code) in [
        ("void f() { int a = 1 int b = 2; g(b); }", "expected-token"),
        ("void f() { int a = 1\n g(a); }", "expected-token"),
        ("void f() { g(1; h(2); } void i() {}", "unclosed-bracket"),
        ("void f() { a = ; b = 1; }", "expected-expression"),
        ("void f() { a = (1 + 2; b = 1; }", "unclosed-bracket"),
        ("void f() { if a { } }", "expected-token"),
        ("void f( { } void g() { }", "unclosed-bracket"),
        ("void f(device *a) { a[0] = 1; }", "expected-type"),
        ("struct S { int a int b; };\nint c;", "expected-token"),
        ("struct S { int a; }\nvoid f() {}", "expected-token"),
        ("void f() { { }", "unclosed-brace"),
        ("void f() { } }", "unmatched-brace"),
        ("return 1;", "expected-declaration"),
        ("void f() { float device = 1; }", "expected-name"),
        ("void f() { int x = 1 @ 2; }", "unknown-character"),
        ("void f() { g(\"abc); h(); }", "unterminated-literal"),
        ("void f() { int x = 1.0q; }", "invalid-number"),
        ("void f() { char c = ''; }", "invalid-character-literal"),
        ("unsigned float x;", "invalid-type-words"),
        ("void f(device threadgroup float *a) {}", "two-address-spaces"),
        ("void f() {\n#pragma unroll\nx = 1; }", "pragma-without-loop"),
        ("void f() { try { } catch (...) { } }", "forbidden-syntax"),
        ("void f() { else x; }", "expected-expression"),
        ("#define ADD(a, b) a + b\nint x = ADD(1);", "macro-arguments"),
        ("template <typename T void f();\nint x;", "unclosed-bracket"),
        ("float operator\"\"_f(float x); int x;", "not-supported"),
        ("enum E { a b };\nint x;", "unclosed-bracket"),
        ("void f() { for (int i = 0, i < 3; i++) { } }", "expected-token"),
    ] {
        let found = codes(text);
        if found != [code] {
            wrong.push(format!("{text}: {found:?}, not {code}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn deep_and_long_texts_end() {
    for text in [
        format!("int x = {}1{};", "(".repeat(100_000), ")".repeat(100_000)),
        format!("int x = {}1;", "- ".repeat(100_000)),
        format!("int x = 1{};", " + 1".repeat(100_000)),
        format!("int x = a{};", ".b".repeat(100_000)),
        format!("int x = {}1;", "a ? b : ".repeat(100_000)),
        format!("void f() {}", "{".repeat(100_000)),
        format!("void f() {{ {} ; }}", "if (a) ".repeat(100_000)),
        format!("int {}x;", "*".repeat(100_000)),
        format!("int x{};", "[1]".repeat(100_000)),
        format!("int {}x{};", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{} x;", "a<".repeat(100_000)),
        format!("void f() {{ x = {}; }}", "a < b.".repeat(20_000)),
        format!("void f() {{ {}; }}", "[]{ ".repeat(50_000)),
        format!("void f() {{ switch (a) {{ {} ; }} }}", "case 1: ".repeat(100_000)),
        "struct S { ".repeat(100_000),
        "namespace a { ".repeat(100_000),
        "template <typename T> ".repeat(100_000),
    ] {
        assert!(!parsed(&text).diagnostics.is_empty(), "{}", &text[..40]);
    }
}
