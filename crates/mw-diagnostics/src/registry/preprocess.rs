//! Codes of the lexer and preprocessor: MSL0001 to MSL0099.

codes! {
    UNKNOWN_CHARACTER = 1 "unknown-character" Error {
        checks: "A character that begins no token.",
        why: "Outside comments and literals only the characters of C++ tokens may stand.",
        example: "float x = 1 @ 2;",
        instead: "float x = 1 + 2;",
        source: "C++17 [lex.pptoken]; Metal Shading Language specification, \"Metal and C++17\"",
    }
    UNTERMINATED_COMMENT = 2 "unterminated-comment" Error {
        checks: "A `/*` without its `*/`.",
        why: "The comment swallows the rest of the file.",
        example: "/* the end is missing\nkernel void k() {}",
        instead: "/* the end is here */\nkernel void k() {}",
        source: "C++17 [lex.comment]",
    }
    UNTERMINATED_LITERAL = 3 "unterminated-literal" Error {
        checks: "A character or string literal whose closing quote is missing on its line.",
        why: "Literals end on the line on which they begin.",
        example: "[[host_name(\"sum)]]",
        instead: "[[host_name(\"sum\")]]",
        source: "C++17 [lex.string], [lex.ccon]",
    }
    INVALID_NUMBER = 4 "invalid-number" Error {
        checks: "A number with a digit or suffix that it cannot have.",
        why: "The suffixes are u, l, ul for integers and f, h, bf for floating point; digits must fit the base.",
        example: "float x = 1.0q;",
        instead: "float x = 1.0f;",
        source: "Metal Shading Language specification, \"Scalar Data Types\"",
    }
    INVALID_CHARACTER_LITERAL = 5 "invalid-character-literal" Error {
        checks: "A character literal that is empty or holds more than one character, or an unknown escape.",
        why: "A character literal is one value of type `char`.",
        example: "char c = '';",
        instead: "char c = ' ';",
        source: "C++17 [lex.ccon]",
    }
    INVALID_DIRECTIVE = 20 "invalid-directive" Error {
        checks: "A line that begins with `#` and is no directive, or a directive with a wrong operand.",
        why: "Only the directives of C++17 (and `#warning`, `#elifdef`, `#elifndef`) exist.",
        example: "#includ <metal_stdlib>",
        instead: "#include <metal_stdlib>",
        source: "C++17 [cpp]; Metal Shading Language specification, \"Preprocessor\"",
    }
    UNBALANCED_CONDITIONAL = 21 "unbalanced-conditional" Error {
        checks: "`#else`, `#elif` or `#endif` without `#if`, or an `#if` that is never closed.",
        why: "Conditional groups nest and end in the file in which they begin.",
        example: "#if 1\nkernel void k() {}",
        instead: "#if 1\nkernel void k() {}\n#endif",
        source: "C++17 [cpp.cond]",
    }
    INVALID_CONDITION = 22 "invalid-condition" Error {
        checks: "An `#if` whose expression is no integer constant expression of the preprocessor.",
        why: "Only integers, `defined`, `__has_include` and operators may stand there; division by zero has no value.",
        example: "#if 1 +\n#endif",
        instead: "#if 1 + 1\n#endif",
        source: "C++17 [cpp.cond]",
    }
    FILE_NOT_FOUND = 23 "file-not-found" Error {
        checks: "An `#include` of a file that is not there.",
        why: "The file is neither beside the including file, nor in an include folder, nor a header of the Metal standard library.",
        example: "#include \"missing.h\"",
        instead: "#include <metal_stdlib>",
        source: "C++17 [cpp.include]",
    }
    INCLUDE_TOO_DEEP = 24 "include-too-deep" Error {
        checks: "Files that include each other more than 200 levels deep.",
        why: "It is almost always a file that includes itself without `#pragma once`.",
        example: "// in a.h:\n#include \"a.h\"",
        instead: "// in a.h:\n#pragma once",
        source: "limit of this compiler",
    }
    INVALID_MACRO = 25 "invalid-macro" Error {
        checks: "A `#define` that is malformed.",
        why: "A macro needs a name that is no reserved word of the preprocessor, distinct parameters, and `#` only before a parameter.",
        example: "#define TWICE(x, x) x",
        instead: "#define TWICE(x) (x) * 2",
        source: "C++17 [cpp.replace]",
    }
    MACRO_REDEFINED = 26 "macro-redefined" Warning {
        checks: "A second `#define` of a macro with a different body.",
        why: "The earlier meaning is lost from here on.",
        example: "#define N 1\n#define N 2",
        instead: "#define N 1\n#undef N\n#define N 2",
        source: "C++17 [cpp.replace]",
    }
    MACRO_ARGUMENTS = 27 "macro-arguments" Error {
        checks: "A macro use with too few or too many arguments, or without its closing parenthesis.",
        why: "A function-like macro takes exactly its parameters.",
        example: "#define ADD(a, b) a + b\nint x = ADD(1);",
        instead: "#define ADD(a, b) a + b\nint x = ADD(1, 2);",
        source: "C++17 [cpp.replace]",
    }
    INVALID_PASTE = 28 "invalid-paste" Error {
        checks: "`##` whose two sides do not make one token.",
        why: "The result of `##` must be a single token.",
        example: "#define CAT(a, b) a ## b\nint x = CAT(+, 1);",
        instead: "#define CAT(a, b) a ## b\nint x = CAT(1, 2);",
        source: "C++17 [cpp.concat]",
    }
    ERROR_DIRECTIVE = 29 "error-directive" Error {
        checks: "An `#error` line that was reached.",
        why: "The author of the text refuses this configuration.",
        example: "#error not for this version",
        instead: "#if __METAL_VERSION__ < 300\n#error needs Metal 3\n#endif",
        source: "C++17 [cpp.error]",
    }
    WARNING_DIRECTIVE = 30 "warning-directive" Warning {
        checks: "A `#warning` line that was reached.",
        why: "The author of the text wants this to be seen.",
        example: "#warning slow path",
        instead: "#if __METAL_VERSION__ < 300\n#warning slow path\n#endif",
        source: "C++23 [cpp.error], accepted by Metal's compiler",
    }
    EXPANSION_TOO_LARGE = 31 "expansion-too-large" Error {
        checks: "Text that grows beyond the limit of this compiler while macros and includes are expanded.",
        why: "A few lines of macros can make more tokens than any machine can hold.",
        example: "#define A(x) x x x x\n#define B(x) A(A(A(A(x))))\n#define C(x) B(B(B(B(x))))\nC(C(0))",
        instead: "for (int i = 0; i < n; ++i) work(i);",
        source: "limit of this compiler",
    }
}
