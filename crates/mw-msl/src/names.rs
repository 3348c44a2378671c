//! Interned identifiers; the words of the language are interned first, in a fixed order.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// An identifier of one compilation's [`Interner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub u32);

macro_rules! words {
    ($($constant:ident = $text:literal)*) => {
        /// Names that every [`Interner`] knows, usable in patterns.
        #[expect(missing_docs, reason = "the names say all")]
        pub mod words {
            use super::Name;

            #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "only numbers the words")]
            enum Order { $($constant),* }

            $(pub const $constant: Name = Name(Order::$constant as u32);)*

            pub(super) const TEXTS: &[&str] = &[$($text),*];
        }
    };
}

words! {
    // Keywords: an identifier up to `LAST_KEYWORD` names no entity.
    ALIGNAS = "alignas" ALIGNOF = "alignof" ASM = "asm" AUTO = "auto" BOOL = "bool" BREAK = "break"
    CASE = "case" CATCH = "catch" CHAR = "char" CHAR16_T = "char16_t" CHAR32_T = "char32_t"
    CLASS = "class" CONST = "const" CONST_CAST = "const_cast" CONSTEXPR = "constexpr"
    CONTINUE = "continue" DECLTYPE = "decltype" DEFAULT = "default" DELETE = "delete" DO = "do"
    DOUBLE = "double" DYNAMIC_CAST = "dynamic_cast" ELSE = "else" ENUM = "enum" EXPLICIT = "explicit"
    EXPORT = "export" EXTERN = "extern" FALSE = "false" FLOAT = "float" FOR = "for" FRIEND = "friend"
    GOTO = "goto" IF = "if" INLINE = "inline" INT = "int" LONG = "long" MUTABLE = "mutable"
    NAMESPACE = "namespace" NEW = "new" NOEXCEPT = "noexcept" NULLPTR = "nullptr"
    OPERATOR = "operator" PRIVATE = "private" PROTECTED = "protected" PUBLIC = "public"
    REGISTER = "register" REINTERPRET_CAST = "reinterpret_cast" RETURN = "return" SHORT = "short"
    SIGNED = "signed" SIZEOF = "sizeof" STATIC = "static" STATIC_ASSERT = "static_assert"
    STATIC_CAST = "static_cast" STRUCT = "struct" SWITCH = "switch" TEMPLATE = "template"
    THIS = "this" THREAD_LOCAL = "thread_local" THROW = "throw" TRUE = "true" TRY = "try"
    TYPEDEF = "typedef" TYPEID = "typeid" TYPENAME = "typename" UNION = "union"
    UNSIGNED = "unsigned" USING = "using" VIRTUAL = "virtual" VOID = "void" VOLATILE = "volatile"
    WCHAR_T = "wchar_t" WHILE = "while"
    // Metal's own.
    KERNEL = "kernel" VERTEX = "vertex" FRAGMENT = "fragment"
    DEVICE = "device" CONSTANT = "constant" THREAD = "thread" THREADGROUP = "threadgroup"
    THREADGROUP_IMAGEBLOCK = "threadgroup_imageblock" RAY_DATA = "ray_data" OBJECT_DATA = "object_data"
    HALF = "half" BFLOAT = "bfloat"
    // GNU's spellings.
    RESTRICT = "restrict" RESTRICT_1 = "__restrict" RESTRICT_2 = "__restrict__"
    ATTRIBUTE = "__attribute__" ATTRIBUTE_1 = "__attribute" ASM_1 = "__asm" ASM_2 = "__asm__"
    INLINE_1 = "__inline" INLINE_2 = "__inline__" CONST_1 = "__const" VOLATILE_1 = "__volatile__"
    ALIGNOF_1 = "__alignof__" ALIGNOF_2 = "_Alignof" EXTENSION = "__extension__"
    DECLTYPE_1 = "__decltype" TYPEOF = "__typeof__" UNDERLYING_TYPE = "__underlying_type"
    LAST_KEYWORD = "static_assert "
    // Spellings of operators.
    AND = "and" AND_EQ = "and_eq" BITAND = "bitand" BITOR = "bitor" COMPL = "compl" NOT = "not"
    NOT_EQ = "not_eq" OR = "or" OR_EQ = "or_eq" XOR = "xor" XOR_EQ = "xor_eq"
    // Words that mean something in certain places.
    COHERENT = "coherent" OVERRIDE = "override" FINAL = "final" REQUIRES = "requires"
    CONCEPT = "concept" CONSTEVAL = "consteval" CONSTINIT = "constinit"
    CO_AWAIT = "co_await" CO_RETURN = "co_return" CO_YIELD = "co_yield"
    HOST_NAME = "host_name" ALIGNED = "aligned" VISIBLE = "visible" INTERSECTION = "intersection"
    OBJECT = "object" MESH = "mesh"
    METAL_VEC = "__metal_vec" METAL_PACKED_VEC = "__metal_packed_vec" METAL_MATRIX = "__metal_matrix"
    METAL_SIMDGROUP_MATRIX = "__metal_simdgroup_matrix" METAL_ATOMIC = "__metal_atomic"
    METAL_OPAQUE = "__metal_opaque"
    FUNC = "__func__" FUNCTION = "__FUNCTION__" PRETTY_FUNCTION = "__PRETTY_FUNCTION__"
    // The preprocessor's.
    DEFINE = "define" UNDEF = "undef" INCLUDE = "include" INCLUDE_NEXT = "include_next"
    IMPORT = "import" IFDEF = "ifdef" IFNDEF = "ifndef" ELIF = "elif" ELIFDEF = "elifdef"
    ELIFNDEF = "elifndef" ENDIF = "endif" ERROR = "error" WARNING = "warning" LINE = "line"
    PRAGMA = "pragma" IDENT = "ident" DEFINED = "defined" VA_ARGS = "__VA_ARGS__" VA_OPT = "__VA_OPT__"
    PRAGMA_OPERATOR = "_Pragma" HAS_INCLUDE = "__has_include" HAS_INCLUDE_NEXT = "__has_include_next"
    HAS_FEATURE = "__has_feature" HAS_EXTENSION = "__has_extension" HAS_BUILTIN = "__has_builtin"
    HAS_ATTRIBUTE = "__has_attribute" HAS_CPP_ATTRIBUTE = "__has_cpp_attribute"
    HAS_DECLSPEC = "__has_declspec_attribute" HAS_WARNING = "__has_warning"
    IS_IDENTIFIER = "__is_identifier"
    FILE = "__FILE__" FILE_NAME = "__FILE_NAME__" LINE_NUMBER = "__LINE__" COUNTER = "__COUNTER__"
    INCLUDE_LEVEL = "__INCLUDE_LEVEL__" BASE_FILE = "__BASE_FILE__"
    ONCE = "once" UNROLL = "unroll" NOUNROLL = "nounroll" CLANG = "clang" LOOP = "loop"
    METAL = "METAL" FP = "fp" CONTRACT = "contract" MATH_MODE = "math_mode" INTERNALS = "internals"
    STDC = "STDC" FP_CONTRACT = "FP_CONTRACT" ON = "ON" OFF = "OFF" ON_LOWER = "on" OFF_LOWER = "off"
    FAST = "fast" RELAXED = "relaxed" SAFE = "safe" ENABLE = "enable" DISABLE = "disable"
    FULL = "full" UNROLL_COUNT = "unroll_count" PUSH_MACRO = "push_macro" POP_MACRO = "pop_macro"
    LIBRARY = "library"
    EMPTY = ""
}

impl Name {
    /// A keyword, which cannot name an entity.
    pub fn is_keyword(self) -> bool {
        self < words::LAST_KEYWORD
    }
}

/// The identifiers of one compilation, each stored once.
#[derive(Clone, Debug)]
pub struct Interner {
    texts: Vec<Arc<str>>,
    names: FxHashMap<Arc<str>, Name>,
}

impl Default for Interner {
    fn default() -> Self {
        let mut interner = Self { texts: Vec::new(), names: FxHashMap::default() };
        for text in words::TEXTS {
            interner.intern(text);
        }
        interner
    }
}

impl Interner {
    /// The name for a text, the same for equal texts.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return *name;
        }
        let name = Name(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.names.insert(text, name);
        name
    }

    /// The name for a text that was interned before.
    pub fn get(&self, text: &str) -> Option<Name> {
        self.names.get(text).copied()
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }

    /// The text of a name, to keep.
    pub fn shared_text(&self, name: Name) -> Arc<str> {
        self.texts[name.0 as usize].clone()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Never: the language's words are always there.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{Interner, words};

    #[test]
    fn words_have_their_constants() {
        let mut interner = Interner::default();
        assert_eq!(interner.len(), words::TEXTS.len(), "a word stands twice in the list");
        assert_eq!(interner.intern("while"), words::WHILE);
        assert_eq!(interner.text(words::METAL_VEC), "__metal_vec");
        assert!(words::BFLOAT.is_keyword() && !words::COHERENT.is_keyword());
        let own = interner.intern("own");
        assert_eq!((interner.intern("own"), interner.get("own")), (own, Some(own)));
    }
}
