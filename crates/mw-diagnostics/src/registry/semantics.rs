//! Codes of name lookup, types and templates: MSL0200 to MSL0499.

codes! {
    UNKNOWN_NAME = 200 "unknown-name" Error {
        checks: "A name that nothing declares.",
        why: "Every name is declared before its use, in the file, in a header it includes or in the Metal library.",
        example: "kernel void k(device float *a) { a[0] = foo; }",
        instead: "kernel void k(device float *a, constant float &foo) { a[0] = foo; }",
        source: "C++17 [basic.lookup]; Metal Shading Language specification, \"Metal Standard Library\"",
    }
    NOT_A_TYPE = 201 "not-a-type" Error {
        checks: "A name that stands where a type must stand and names something else.",
        why: "Declarations, casts and template arguments begin with types.",
        example: "constant int n = 1;\nkernel void k(device float *a) { n x; }",
        instead: "kernel void k(device float *a) { int x = 1; a[0] = x; }",
        source: "C++17 [dcl.type]",
    }
    NOT_A_VALUE = 202 "not-a-value" Error {
        checks: "A type or namespace that stands where a value must stand.",
        why: "Only variables, functions, constants and literals have values.",
        example: "struct S { int x; };\nkernel void k(device int *a) { a[0] = S; }",
        instead: "struct S { int x; };\nkernel void k(device int *a) { S s; s.x = 1; a[0] = s.x; }",
        source: "C++17 [expr.prim]",
    }
    NO_MEMBER = 203 "no-member" Error {
        checks: "A member that an object or class does not have.",
        why: "Members are those of the class and its bases; vectors have `xyzw` and `rgba` up to their length.",
        example: "kernel void k(device float2 *a) { a[0].z = 1; }",
        instead: "kernel void k(device float3 *a) { a[0].z = 1; }",
        source: "C++17 [class.mem]; Metal Shading Language specification, \"Accessing Vector Components\"",
    }
    NOT_A_TEMPLATE = 204 "not-a-template" Error {
        checks: "Template arguments behind a name that is no template.",
        why: "`<` begins arguments only behind the name of a template.",
        example: "struct S {};\ntemplate struct S<int>;",
        instead: "template <typename T> struct S {};\ntemplate struct S<int>;",
        source: "C++17 [temp.names]",
    }
    TEMPLATE_ARGUMENTS = 205 "template-arguments" Error {
        checks: "Template arguments that do not fit the template's parameters.",
        why: "Each parameter takes an argument of its kind: a type, a value or a template.",
        example: "template <typename T, int N> struct S {};\nkernel void k(device S<float> *a) {}",
        instead: "template <typename T, int N> struct S { T x[N]; };\nkernel void k(device S<float, 4> *a) {}",
        source: "C++17 [temp.arg]",
    }
    INVALID_PACK = 206 "invalid-pack" Error {
        checks: "A parameter pack that is used without `...`, or `...` without a pack.",
        why: "A pack is a list: it is expanded where lists may stand.",
        example: "template <typename... T> int f(T... x) { return x; }\nkernel void k(device int *a) { a[0] = f(1, 2); }",
        instead: "template <typename... T> int f(T... x) { return (x + ...); }\nkernel void k(device int *a) { a[0] = f(1, 2); }",
        source: "C++17 [temp.variadic]",
    }
    AUTO_WITHOUT_VALUE = 207 "auto-without-value" Error {
        checks: "`auto` in a place where no value gives it a type.",
        why: "The type is taken from the value that initialises the variable.",
        example: "kernel void k(device float *a) { auto x; }",
        instead: "kernel void k(device float *a) { auto x = a[0]; a[1] = x; }",
        source: "C++17 [dcl.spec.auto]",
    }
    INVALID_TYPE = 208 "invalid-type" Error {
        checks: "A type that cannot exist, or cannot stand in this place.",
        why: "Vectors have two to four components, atomics and matrices have certain elements, members have sizes.",
        example: "kernel void k(device float *a) { void x; }",
        instead: "kernel void k(device float *a) { float x = 1; a[0] = x; }",
        source: "Metal Shading Language specification, \"Data Types\"; C++17 [basic.types]",
    }
    INVALID_ARRAY = 209 "invalid-array" Error {
        checks: "An array whose size is not known, negative or too large.",
        why: "The size of an array is a constant that is known when compiling.",
        example: "kernel void k(device float *a) { float x[-1]; }",
        instead: "kernel void k(device float *a) { float x[4] = {1, 2, 3, 4}; a[0] = x[3]; }",
        source: "C++17 [dcl.array]",
    }
    INCOMPLETE_TYPE = 210 "incomplete-type" Error {
        checks: "An object of a class that is declared but not defined yet.",
        why: "The size and members of a class are known behind its definition only.",
        example: "struct S;\nkernel void k(device float *a) { S s; }",
        instead: "struct S { float x; };\nkernel void k(device float *a) { S s; s.x = 1; a[0] = s.x; }",
        source: "C++17 [basic.types]",
    }
    REDEFINED = 211 "redefined" Error {
        checks: "A second definition of what is defined already.",
        why: "Each entity has one definition; two kernels cannot share one name.",
        example: "constant int n = 1;\nconstant int n = 2;",
        instead: "constant int n = 1;\nconstant int m = 2;",
        source: "C++17 [basic.def.odr]",
    }
    INVALID_DECLARATION = 212 "invalid-declaration" Error {
        checks: "A declaration that cannot stand here or contradicts itself.",
        why: "Some combinations of specifiers, places and initialisers have no meaning.",
        example: "kernel void k() { threadgroup float x = 1; }",
        instead: "kernel void k(device float *a) { threadgroup float x; x = 1; a[0] = x; }",
        source: "C++17 [dcl.dcl]; Metal Shading Language specification, \"Address Spaces\"",
    }
    FORBIDDEN = 213 "forbidden" Error {
        checks: "Something that C++ has and Metal leaves out.",
        why: "Metal is C++17 without exceptions, virtual functions, `new`, `goto`, `double` and a few other things.",
        example: "kernel void k(device float *a) { double x = 1; }",
        instead: "kernel void k(device float *a) { float x = 1; a[0] = x; }",
        source: "Metal Shading Language specification, \"Restrictions\"",
    }
    UNSUPPORTED = 214 "not-supported" Error {
        checks: "Correct Metal that this compiler does not support.",
        why: "Textures, graphics stages and a few rare forms of C++ are not done here.",
        example: "struct S { int a : 3; };\nkernel void k(device S *s) {}",
        instead: "struct S { int a; };\nkernel void k(device S *s) {}",
        source: "this compiler",
    }
    UNAVAILABLE = 215 "unavailable" Error {
        checks: "Something that the chosen language version does not have yet.",
        why: "Features come with versions of the language: `-std=` chooses one.",
        example: "kernel void k() { threadgroup atomic_float x; }",
        instead: "kernel void k() { threadgroup atomic_uint x; }",
        source: "Metal Shading Language specification, the section of the feature",
    }
    STATIC_ASSERTION = 216 "static-assertion" Error {
        checks: "A `static_assert` whose condition is false.",
        why: "The author of the text says that it cannot work so.",
        example: "static_assert(sizeof(int) == 8, \"int is small\");",
        instead: "static_assert(sizeof(int) == 4, \"int is small\");",
        source: "C++17 [dcl.dcl]",
    }
    NOT_CONSTANT = 217 "not-constant" Error {
        checks: "A value that must be known when compiling and is not.",
        why: "Sizes of arrays, template arguments, `constexpr` variables and conditions of `if constexpr` are constant expressions.",
        example: "kernel void k(constant int &n) { constexpr int m = n; }",
        instead: "kernel void k(device int *a) { constexpr int m = 4; a[0] = m; }",
        source: "C++17 [expr.const]",
    }
    TOO_DEEP = 218 "instantiation-too-deep" Error {
        checks: "Templates or expressions that nest deeper than the compiler follows.",
        why: "It is almost always a template that instantiates itself without end.",
        example: "template <int N> struct S { static constexpr constant int v = S<N + 1>::v; };\nkernel void k(device int *a) { a[0] = S<0>::v; }",
        instead: "template <int N> struct S { static constexpr constant int v = N; };\nkernel void k(device int *a) { a[0] = S<0>::v; }",
        source: "limit of this compiler",
    }
    AMBIGUOUS = 219 "ambiguous" Error {
        checks: "A use that fits several declarations equally well.",
        why: "Overload resolution and partial ordering must find one best candidate.",
        example: "float f(float x, int y) { return x; }\nfloat f(int x, float y) { return y; }\nkernel void k(device float *a) { a[0] = f(1, 2); }",
        instead: "float f(float x, int y) { return x; }\nfloat f(int x, float y) { return y; }\nkernel void k(device float *a) { a[0] = f(1.0f, 2); }",
        source: "C++17 [over.match.best], [temp.func.order]",
    }
    NO_MATCHING_FUNCTION = 220 "no-matching-function" Error {
        checks: "A call whose arguments fit no function of that name.",
        why: "Each argument converts to its parameter; template arguments are found from them.",
        example: "float f(float x) { return x; }\nkernel void k(device float *a) { a[0] = f(1, 2); }",
        instead: "float f(float x) { return x; }\nkernel void k(device float *a) { a[0] = f(1); }",
        source: "C++17 [over.match]; Metal Shading Language specification, \"Metal Standard Library\"",
    }
    DELETED_FUNCTION = 221 "deleted-function" Error {
        checks: "A call of a function that is `= delete`.",
        why: "The author of the text says that it must not be called.",
        example: "void f(int) = delete;\nkernel void k() { f(1); }",
        instead: "void f(int) {}\nkernel void k() { f(1); }",
        source: "C++17 [dcl.fct.def.delete]",
    }
    UNDEFINED_FUNCTION = 222 "undefined-function" Error {
        checks: "A function that is called, declared, and defined nowhere.",
        why: "A kernel is compiled whole: there is nothing to link it with.",
        example: "float f(float x);\nkernel void k(device float *a) { a[0] = f(1); }",
        instead: "float f(float x) { return x; }\nkernel void k(device float *a) { a[0] = f(1); }",
        source: "C++17 [basic.def.odr]",
    }
    NO_CONVERSION = 223 "no-conversion" Error {
        checks: "A value of a type that does not convert to the one that is needed.",
        why: "Numbers convert among each other, scalars to vectors; pointers of other types and vectors of other elements do not.",
        example: "kernel void k(device half4 *a, device float4 *b) { a[0] = b[0]; }",
        instead: "kernel void k(device half4 *a, device float4 *b) { a[0] = half4(b[0]); }",
        source: "Metal Shading Language specification, \"Implicit Type Conversions\"; C++17 [conv]",
    }
    INVALID_OPERANDS = 224 "invalid-operands" Error {
        checks: "An operator or call whose operands it cannot work on.",
        why: "Each operator takes certain types: `%` and `<<` integers, `*x` a pointer, `a[i]` an integer index.",
        example: "kernel void k(device float *a) { a[0] = a[1] % 2.0f; }",
        instead: "kernel void k(device float *a) { a[0] = metal::fmod(a[1], 2.0f); }",
        source: "C++17 [expr]; Metal Shading Language specification, \"Operators\"",
    }
    NOT_ASSIGNABLE = 225 "not-assignable" Error {
        checks: "A change of something that cannot be changed.",
        why: "Constants, `constant` memory and values without a variable are read-only.",
        example: "kernel void k(constant float *a) { a[0] = 1; }",
        instead: "kernel void k(device float *a) { a[0] = 1; }",
        source: "Metal Shading Language specification, \"constant Address Space\"; C++17 [expr.ass]",
    }
    ADDRESS_OF_VALUE = 226 "address-of-value" Error {
        checks: "`&` before a value that lives in no memory.",
        why: "Only variables, elements and members have addresses.",
        example: "kernel void k(device int *a) { thread int *p = &(a[0] + 1); }",
        instead: "kernel void k(device int *a) { device int *p = &a[1]; *p = 1; }",
        source: "C++17 [expr.unary.op]",
    }
    PACKED_OPERAND = 227 "packed-operand" Error {
        checks: "A packed vector beside a matrix.",
        why: "Matrix products take vectors of the aligned types; packed vectors convert to them when asked to.",
        example: "kernel void k(constant float3x3 &m, constant packed_float3 &v, device float3 *o) { o[0] = m * v; }",
        instead: "kernel void k(constant float3x3 &m, constant packed_float3 &v, device float3 *o) { o[0] = m * float3(v); }",
        source: "Metal Shading Language specification, \"Matrix Operators\", \"Packed Vector Types\"",
    }
    INITIALIZER = 228 "initializer" Error {
        checks: "An initialiser with too many or too few values.",
        why: "The values in braces or parentheses are those of the object's components or members.",
        example: "kernel void k(device float4 *a) { a[0] = float4(1, 2, 3); }",
        instead: "kernel void k(device float4 *a) { a[0] = float4(1, 2, 3, 4); }",
        source: "C++17 [dcl.init]; Metal Shading Language specification, \"Vector Constructors\"",
    }
    NOT_CAPTURED = 229 "not-captured" Error {
        checks: "A lambda that uses a variable of its function without taking it.",
        why: "A lambda names what it takes in its brackets.",
        example: "kernel void k(device int *a) { int x = 1; auto f = []() { return x; }; a[0] = f(); }",
        instead: "kernel void k(device int *a) { int x = 1; auto f = [x]() { return x; }; a[0] = f(); }",
        source: "C++17 [expr.prim.lambda.capture]",
    }
    MISSING_ADDRESS_SPACE = 230 "missing-address-space" Error {
        checks: "A pointer or reference that does not say which memory it points to.",
        why: "Metal has several memories: `device`, `constant`, `threadgroup` and `thread`.",
        example: "float f(float *p) { return *p; }\nkernel void k(device float *a) { a[0] = 1; }",
        instead: "float f(device float *p) { return *p; }\nkernel void k(device float *a) { a[0] = f(a); }",
        source: "Metal Shading Language specification, \"Address Spaces\"",
    }
    ADDRESS_SPACE_MISMATCH = 231 "address-space-mismatch" Error {
        checks: "A pointer or reference to one address space used where another is needed.",
        why: "The address spaces are different memories: no conversion between their pointers exists.",
        example: "kernel void k(device float *a, threadgroup float *t) { t = a; }",
        instead: "kernel void k(device float *a, threadgroup float *t) { *t = *a; }",
        source: "Metal Shading Language specification, \"Address Spaces\"",
    }
    PROGRAM_SCOPE = 232 "program-scope" Error {
        checks: "A variable at program scope that is not in `constant` memory.",
        why: "Program scope variables are shared by all threads and never change.",
        example: "float scale = 2;\nkernel void k(device float *a) { a[0] = scale; }",
        instead: "constant float scale = 2;\nkernel void k(device float *a) { a[0] = scale; }",
        source: "Metal Shading Language specification, \"constant Address Space\"",
    }
    RETURN_TYPE = 233 "return-type" Error {
        checks: "A `return` that does not fit the function's result.",
        why: "A `void` function returns nothing, other functions a value of their type.",
        example: "float f() { return; }\nkernel void k(device float *a) { a[0] = f(); }",
        instead: "float f() { return 1; }\nkernel void k(device float *a) { a[0] = f(); }",
        source: "C++17 [stmt.return]",
    }
    INVALID_STATEMENT = 234 "invalid-statement" Error {
        checks: "A statement that cannot stand here.",
        why: "`break` and `continue` belong to loops, `case` to the braces of a `switch`.",
        example: "kernel void k() { break; }",
        instead: "kernel void k() { for (int i = 0; i < 4; ++i) { break; } }",
        source: "C++17 [stmt.stmt]",
    }
    INVALID_ATTRIBUTE = 235 "invalid-attribute" Error {
        checks: "An attribute that does not exist here, or whose argument is wrong.",
        why: "Attributes of kernels name buffers, grid positions, function constants and limits.",
        example: "kernel void k(uint i [[thread_position_in_gird]]) {}",
        instead: "kernel void k(uint i [[thread_position_in_grid]]) {}",
        source: "Metal Shading Language specification, \"Attributes\"",
    }
    KERNEL_PARAMETER = 236 "kernel-parameter" Error {
        checks: "A parameter of a kernel that nothing can fill.",
        why: "Kernels take buffers (pointers and references to `device` or `constant`), threadgroup memory, and the grid's numbers by attribute.",
        example: "kernel void k(device float *a, uint n) { a[0] = n; }",
        instead: "kernel void k(device float *a, constant uint &n) { a[0] = n; }",
        source: "Metal Shading Language specification, \"Attributes for Kernel Function Input Arguments\"",
    }
    MISSING_RETURN = 237 "missing-return" Warning {
        checks: "A function that returns a value and whose body can end without one.",
        why: "What the caller gets then is undefined.",
        example: "float f(float x) { if (x > 0) return 1; }\nkernel void k(device float *a) { a[0] = f(a[0]); }",
        instead: "float f(float x) { if (x > 0) return 1; return 0; }\nkernel void k(device float *a) { a[0] = f(a[0]); }",
        source: "C++17 [stmt.return]",
    }
    NARROWING = 238 "narrowing" Error {
        checks: "A number in braces that may lose its value when it is converted.",
        why: "Braces convert numbers only where each value of the one type is one of the other, or where the value is known and fits.",
        example: "kernel void k(device int *a, device float *f) { int x{f[0]}; a[0] = x; }",
        instead: "kernel void k(device int *a, device float *f) { int x{int(f[0])}; a[0] = x; }",
        source: "C++17 [dcl.init.list]",
    }
    HIDDEN_MEMBER = 239 "hidden-member" Error {
        checks: "A private or protected member that is named outside of its class.",
        why: "Members of a `class` are private, those of a `struct` public, where nothing else is said.",
        example: "class P { float x; };\nkernel void k(device float *a) { P p; a[0] = p.x; }",
        instead: "struct P { float x; };\nkernel void k(device float *a) { P p; p.x = 1; a[0] = p.x; }",
        source: "C++17 [class.access]",
    }
}
