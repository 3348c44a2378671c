//! Codes of the parser: MSL0100 to MSL0199.

codes! {
    EXPECTED_TOKEN = 100 "expected-token" Error {
        checks: "A place where the grammar needs a certain token and another one stands.",
        why: "The text before it is not complete.",
        example: "kernel void k(device float *a) { a[0] = 1.0f }",
        instead: "kernel void k(device float *a) { a[0] = 1.0f; }",
        source: "C++17 grammar; Metal Shading Language specification, \"Metal and C++17\"",
    }
    EXPECTED_EXPRESSION = 101 "expected-expression" Error {
        checks: "A place where a value must stand and something else does.",
        why: "An operator, an argument or a statement is not complete.",
        example: "kernel void k(device float *a) { a[0] = 1.0f + ; }",
        instead: "kernel void k(device float *a) { a[0] = 1.0f + 2.0f; }",
        source: "C++17 [expr]",
    }
    EXPECTED_NAME = 102 "expected-name" Error {
        checks: "A place where a name must stand, such as the name that is declared.",
        why: "Keywords of C++ and of Metal, such as `device` or `kernel`, name nothing.",
        example: "kernel void k(device float *a) { float device = 1.0f; }",
        instead: "kernel void k(device float *a) { float factor = 1.0f; }",
        source: "C++17 [lex.key]; Metal Shading Language specification, \"Address Spaces\"",
    }
    EXPECTED_TYPE = 103 "expected-type" Error {
        checks: "A place where a type must stand, such as before the name of a parameter.",
        why: "Every parameter, variable and function has a written type; there is no default.",
        example: "kernel void k(device *a) {}",
        instead: "kernel void k(device float *a) {}",
        source: "C++17 [dcl.spec]",
    }
    EXPECTED_DECLARATION = 104 "expected-declaration" Error {
        checks: "Something outside of functions that declares nothing.",
        why: "Statements stand in functions only.",
        example: "return 1;",
        instead: "int one() { return 1; }",
        source: "C++17 [dcl.dcl]",
    }
    UNCLOSED_BRACKET = 105 "unclosed-bracket" Error {
        checks: "A `(`, `[` or `<` whose counterpart is missing.",
        why: "Brackets must be closed in the order in which they were opened.",
        example: "kernel void k(device float *a) { a[0] = (1.0f + 2.0f; }",
        instead: "kernel void k(device float *a) { a[0] = (1.0f + 2.0f); }",
        source: "C++17 grammar",
    }
    UNCLOSED_BRACE = 106 "unclosed-brace" Error {
        checks: "A `{` that is never closed.",
        why: "The rest of the file becomes part of the block.",
        example: "kernel void k() {",
        instead: "kernel void k() {}",
        source: "C++17 grammar",
    }
    UNMATCHED_BRACE = 107 "unmatched-brace" Error {
        checks: "A `}` that closes nothing.",
        why: "There is one `}` too many, or a `{` is missing before it.",
        example: "kernel void k() {} }",
        instead: "kernel void k() {}",
        source: "C++17 grammar",
    }
    TWO_ADDRESS_SPACES = 108 "two-address-spaces" Error {
        checks: "Two different address spaces for one object.",
        why: "An object lives in one memory.",
        example: "kernel void k(device threadgroup float *a) {}",
        instead: "kernel void k(device float *a) {}",
        source: "Metal Shading Language specification, \"Address Spaces\"",
    }
    INVALID_TYPE_WORDS = 109 "invalid-type-words" Error {
        checks: "Words such as `unsigned` and `float` that make no type together.",
        why: "Only some combinations name a type.",
        example: "unsigned float x;",
        instead: "unsigned int x;",
        source: "C++17 [dcl.type.simple]; Metal Shading Language specification, \"Scalar Data Types\"",
    }
    PRAGMA_WITHOUT_LOOP = 110 "pragma-without-loop" Error {
        checks: "`#pragma unroll` or another loop pragma before something that is no loop.",
        why: "The pragma says how the loop that follows is compiled.",
        example: "kernel void k(device float *a) {\n#pragma unroll\n  a[0] = 1.0f;\n}",
        instead: "kernel void k(device float *a) {\n#pragma unroll\n  for (int i = 0; i < 4; ++i) a[i] = 1.0f;\n}",
        source: "Metal's compiler, `#pragma unroll`",
    }
    TOO_DEEP = 111 "too-deep" Error {
        checks: "Text that nests deeper than this compiler allows.",
        why: "Nesting is bounded so that no text can exhaust the stack.",
        example: "// a few hundred parentheses around one number",
        instead: "int x = 1;",
        source: "limit of this compiler",
    }
    FORBIDDEN_SYNTAX = 112 "forbidden-syntax" Error {
        checks: "A construct of C++ that Metal leaves out.",
        why: "Metal has no exceptions, no inline assembler and no concepts.",
        example: "void f() { try { } catch (...) { } }",
        instead: "void f() { }",
        source: "Metal Shading Language specification, \"Restrictions\"",
    }
}
