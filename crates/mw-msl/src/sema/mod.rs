//! Semantic analysis: from the syntax tree to the typed program.
//!
//! An entity (class, alias, variable, function) is checked from its syntax for one set of template
//! arguments in the scope where it was declared; results are remembered by arguments. Nothing is checked
//! generically: a template's body gets meaning only when it is instantiated.
//!
//! Order of work: declarations in order ([`declare`]), which finds kernels and explicit instantiations; then
//! the bodies that they reach, from a queue; then, only to find mistakes, the user's other functions.
//!
//! - [`scope`], [`lookup`], [`arguments`], [`resolve`]: names, template arguments and types
//! - [`declare`], [`declare_type`], [`declare_template`], [`record`], [`variable`], [`function`], [`kernel`]:
//!   declarations
//! - [`deduce`], [`deduce_class`], [`specialize`], [`instantiate`], [`pack`]: templates
//! - [`expression`], [`operators`], [`arithmetic`], [`assign`], [`index`], [`member`], [`cast`],
//!   [`common_type`], [`lambda`]: expressions
//! - [`rank`], [`overload`], [`call`], [`convert`]: calls and conversions
//! - [`initialize`], [`auto`], [`braces`], [`construct`]: first values
//! - [`statement`], [`local`]: bodies of functions
//! - [`evaluate`], with [`evaluate_memory`], [`evaluate_number`] and [`evaluate_run`]: constants
//! - [`mangle`], [`display`], [`report`]: names and messages

#![allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    clippy::single_match_else,
    clippy::match_bool,
    clippy::format_push_string,
    clippy::needless_pass_by_value,
    reason = "the steps of the analysis are methods that take values and may fail, whether one of them needs that or not"
)]

mod arguments;
mod arithmetic;
mod assign;
mod atomics;
mod auto;
mod braces;
mod call;
mod cast;
mod common_type;
mod construct;
mod convert;
mod declare;
mod declare_template;
mod declare_type;
mod deduce;
mod deduce_class;
mod display;
mod evaluate;
mod evaluate_memory;
mod evaluate_number;
mod evaluate_run;
mod expression;
mod function;
mod index;
mod initialize;
mod instantiate;
mod kernel;
mod lambda;
mod local;
mod lookup;
mod mangle;
mod member;
mod no_match;
mod operators;
mod overload;
mod pack;
mod rank;
mod record;
mod report;
mod resolve;
mod returns;
mod scope;
mod specialize;
mod statement;
mod traits;
mod unknown;
mod value;
mod variable;
mod visit;
mod walk;

use crate::ast::{self, MathMode};
use crate::hir::{self, Program};
use crate::names::{Interner, Name};
use crate::stdlib;
use crate::types::{QualType, Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_source::{SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{
    Arg, Args, Entry, FnEntity, FnId, Frame, InstId, Instance, Key, RecordInfo, Scope, ScopeId, ScopeKind,
    SetId, Template, TemplateId, VarId, Variable,
};
use std::collections::VecDeque;
use std::rc::Rc;

/// What the command line says about the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemaOptions {
    /// `__METAL_VERSION__`: 310 for MSL 3.1.
    pub metal_version: u32,
    /// The default of functions and arithmetic that say nothing else.
    pub math_mode: MathMode,
}

/// A mistake that was reported, or a substitution that failed silently.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

pub(crate) type R<T> = Result<T, Failed>;

/// Stack of an analysis.
#[cfg(not(target_family = "wasm"))]
const STACK_BYTES: usize = 512 << 20;
/// How deep instantiations may nest.
const MAX_DEPTH: u32 = 160;
/// How many templates may ask for each other, one after the other.
const MAX_CHAIN: usize = 512;
/// How many functions one program may hold.
const MAX_INSTANCES: usize = 200_000;
/// How deep expressions, statements and types may nest.
const MAX_NESTING: u32 = 600;

/// Handles of types that are used all the time.
pub(crate) struct CommonTypes {
    pub(crate) void: TypeId,
    pub(crate) bool: TypeId,
    pub(crate) char: TypeId,
    pub(crate) int: TypeId,
    pub(crate) long: TypeId,
    pub(crate) ulong: TypeId,
    pub(crate) null: TypeId,
    pub(crate) error: TypeId,
}

/// The state of one analysis.
pub(crate) struct Sema<'a> {
    pub(crate) names: &'a Interner,
    pub(crate) sources: &'a SourceMap,
    pub(crate) options: SemaOptions,
    pub(crate) program: Program,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) t: CommonTypes,
    pub(crate) scopes: Vec<Scope<'a>>,
    pub(crate) sets: Vec<Vec<FnId>>,
    pub(crate) functions: Vec<FnEntity<'a>>,
    pub(crate) instances: Vec<Instance<'a>>,
    pub(crate) instance_ids: FxHashMap<(FnId, Args), Option<InstId>>,
    /// Which instance a function of the program is.
    pub(crate) instance_of: Vec<InstId>,
    pub(crate) templates: Vec<Template<'a>>,
    pub(crate) variables: Vec<Variable<'a>>,
    pub(crate) records: Vec<RecordInfo<'a>>,
    /// Enumerations and classes defined inside types, by syntax and scope.
    pub(crate) defined: FxHashMap<(usize, ScopeId), TypeId>,
    pub(crate) library: FxHashMap<(stdlib::LibraryNamespace, Name), Option<Rc<Vec<stdlib::Candidate>>>>,
    pub(crate) frame: Frame<'a>,
    pub(crate) next_frame: u32,
    pub(crate) scope: ScopeId,
    /// Declarations of namespaces from this order on are not visible yet.
    pub(crate) limit: u32,
    pub(crate) order: u32,
    /// Substitutions whose failure is no error are going on.
    pub(crate) quiet: u32,
    /// Operands of `decltype` and `sizeof`: what they call is not needed.
    pub(crate) unevaluated: u32,
    /// Members of each enumeration.
    pub(crate) enum_scopes: Vec<ScopeId>,
    pub(crate) depth: u32,
    pub(crate) nesting: u32,
    pub(crate) queue: VecDeque<InstId>,
    /// Instantiations that are going on, innermost last.
    pub(crate) chain: Vec<(Span, String)>,
    pub(crate) reported: FxHashSet<(u16, Span)>,
    /// How many errors were found, those that were reported before included.
    pub(crate) mistakes: u32,
    /// A parameter of the kernel that is being read is so wrong that its body would only repeat that.
    pub(crate) skips_body: bool,
    /// Calls whose function is being chosen, innermost last.
    pub(crate) calls: Vec<Span>,
    /// What the value that is being converted is for, as a label.
    pub(crate) purpose: Option<(Span, String)>,
    /// Names that were reported as unknown, by function.
    pub(crate) unknown: FxHashSet<(Name, u32)>,
    pub(crate) well_known: WellKnown,
    pub(crate) metal: Option<ScopeId>,
    pub(crate) air_names: FxHashSet<String>,
    pub(crate) pending_kernels: Vec<kernel::PendingKernel<'a>>,
    pub(crate) user_functions: Vec<FnId>,
    pub(crate) unique: u32,
    pub(crate) global_contract: bool,
    pub(crate) global_math: MathMode,
    pub(crate) strings: u32,
    /// Values of constants inside functions, by frame and local.
    pub(crate) constants: FxHashMap<(u32, hir::LocalId), Rc<hir::Constant>>,
    /// Types for the `auto` parameters of the lambda whose signature is being read.
    pub(crate) auto_types: VecDeque<QualType>,
    /// Bodies that the evaluator has run.
    pub(crate) bodies: FxHashMap<hir::FunctionId, Rc<hir::Block>>,
}

/// Names that have a meaning for the compiler.
pub(crate) struct WellKnown {
    pub(crate) metal: Option<Name>,
    pub(crate) fast: Option<Name>,
    pub(crate) precise: Option<Name>,
    pub(crate) as_type: Option<Name>,
    pub(crate) is_function_constant_defined: Option<Name>,
    pub(crate) begin: Option<Name>,
    pub(crate) end: Option<Name>,
    pub(crate) thread_elements: Option<Name>,
}

/// The name that was probably meant.
pub(crate) fn closest_name<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    Sema::closest(wanted, names)
}

/// Checks a translation unit.
///
/// The program is given even when there are errors, holding what could be checked.
pub fn analyze(
    unit: &ast::TranslationUnit,
    names: &Interner,
    sources: &SourceMap,
    options: SemaOptions,
) -> (Program, Vec<Diagnostic>) {
    let work = || {
        let mut sema = Sema::new(names, sources, options);
        sema.run(unit);
        let Sema { program, mut diagnostics, .. } = sema;
        diagnostics.sort_by_key(|diagnostic| sources.written(diagnostic.primary.span).start);
        (program, diagnostics)
    };
    // Templates nest deeply: a stack of its own makes the limits of this compiler the only ones.
    #[cfg(not(target_family = "wasm"))]
    {
        let result = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
            thread.map(std::thread::ScopedJoinHandle::join)
        });
        match result {
            Ok(Ok(result)) => return result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => {}
        }
    }
    work()
}

impl<'a> Sema<'a> {
    fn new(names: &'a Interner, sources: &'a SourceMap, options: SemaOptions) -> Self {
        let mut program = Program::default();
        let types = &mut program.types;
        let scalar = |types: &mut crate::types::TypeStore, scalar| types.intern(Type::Scalar(scalar));
        let t = CommonTypes {
            void: types.intern(Type::Void),
            bool: scalar(types, Scalar::Bool),
            char: scalar(types, Scalar::Char),
            int: scalar(types, Scalar::Int),
            long: scalar(types, Scalar::Long),
            ulong: scalar(types, Scalar::ULong),
            null: types.intern(Type::NullPointer),
            error: types.intern(Type::Error),
        };
        let well_known = WellKnown {
            metal: names.get("metal"),
            fast: names.get("fast"),
            precise: names.get("precise"),
            as_type: names.get("as_type"),
            is_function_constant_defined: names.get("is_function_constant_defined"),
            begin: names.get("begin"),
            end: names.get("end"),
            thread_elements: names.get("thread_elements"),
        };
        let mut global = Scope::new(None, ScopeKind::Namespace);
        global.library = Some(stdlib::LibraryNamespace::Global);
        Self {
            names,
            sources,
            options,
            program,
            diagnostics: Vec::new(),
            t,
            scopes: vec![global],
            sets: Vec::new(),
            functions: Vec::new(),
            instances: Vec::new(),
            instance_ids: FxHashMap::default(),
            instance_of: Vec::new(),
            templates: Vec::new(),
            variables: Vec::new(),
            records: Vec::new(),
            defined: FxHashMap::default(),
            library: FxHashMap::default(),
            frame: Frame::outside(0, options.math_mode),
            next_frame: 1,
            scope: ScopeId(0),
            limit: u32::MAX,
            order: 0,
            quiet: 0,
            unevaluated: 0,
            enum_scopes: Vec::new(),
            depth: 0,
            nesting: 0,
            queue: VecDeque::new(),
            chain: Vec::new(),
            reported: FxHashSet::default(),
            mistakes: 0,
            skips_body: false,
            calls: Vec::new(),
            purpose: None,
            unknown: FxHashSet::default(),
            well_known,
            metal: None,
            air_names: FxHashSet::default(),
            pending_kernels: Vec::new(),
            user_functions: Vec::new(),
            unique: 0,
            global_contract: true,
            global_math: options.math_mode,
            strings: 0,
            constants: FxHashMap::default(),
            auto_types: VecDeque::new(),
            bodies: FxHashMap::default(),
        }
    }

    fn run(&mut self, unit: &'a ast::TranslationUnit) {
        for decl in &unit.decls {
            self.declare(decl);
        }
        self.finish_kernels();
        self.drain();
        self.name_kernels();
        // What no kernel reaches is checked too, but is no part of the program.
        let (functions, globals) = (self.program.functions.len(), self.program.globals.len());
        for id in std::mem::take(&mut self.user_functions) {
            self.check_unreached(id);
        }
        self.drain();
        self.program.functions.truncate(functions);
        self.program.globals.truncate(globals);
    }

    /// Checks the bodies in the queue, and those that they reach.
    fn drain(&mut self) {
        while let Some(id) = self.queue.pop_front() {
            self.check_body(id);
        }
    }

    pub(crate) fn ty(&self, id: TypeId) -> &Type {
        self.program.types.get(id)
    }

    pub(crate) fn intern(&mut self, ty: Type) -> TypeId {
        self.program.types.intern(ty)
    }

    pub(crate) fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.intern(Type::Scalar(scalar))
    }

    pub(crate) fn plain(&mut self, ty: Type) -> QualType {
        QualType::plain(self.intern(ty))
    }

    pub(crate) fn is_user(&self, span: Span) -> bool {
        let written = self.sources.written(span);
        !self.sources.file(self.sources.file_at(written.start)).is_builtin
    }

    /// Runs `body` in another scope.
    pub(crate) fn within<T>(&mut self, scope: ScopeId, body: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = body(self);
        self.scope = outer;
        result
    }

    /// Runs `body` so that its mistakes are no errors: the answer is whether it worked.
    pub(crate) fn quietly<T>(&mut self, body: impl FnOnce(&mut Self) -> R<T>) -> R<T> {
        self.quiet += 1;
        let result = body(self);
        self.quiet -= 1;
        result
    }

    /// Runs `body` so that its mistakes are errors even inside a substitution.
    pub(crate) fn aloud<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let quiet = std::mem::take(&mut self.quiet);
        let result = body(self);
        self.quiet = quiet;
        result
    }

    pub(crate) fn push_scope(&mut self, parent: ScopeId, kind: ScopeKind) -> ScopeId {
        self.scopes.push(Scope::new(Some(parent), kind));
        ScopeId(self.scopes.len() as u32 - 1)
    }

    /// Opens a block scope in the current one.
    pub(crate) fn in_block<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let block = self.push_scope(self.scope, ScopeKind::Block);
        let (contract, math_mode) = (self.frame.rules.contract, self.frame.rules.math_mode);
        let result = self.within(block, body);
        self.frame.rules = hir::FloatRules { contract, math_mode };
        result
    }

    pub(crate) fn bind(&mut self, scope: ScopeId, key: Key, entry: Entry<'a>) {
        self.order += 1;
        let order = self.order;
        self.scopes[scope.0 as usize].insert(key, entry, order);
    }

    pub(crate) fn new_set(&mut self, functions: Vec<FnId>) -> SetId {
        self.sets.push(functions);
        SetId(self.sets.len() as u32 - 1)
    }

    pub(crate) fn function(&self, id: FnId) -> &FnEntity<'a> {
        &self.functions[id.0 as usize]
    }

    pub(crate) fn instance(&self, id: InstId) -> &Instance<'a> {
        &self.instances[id.0 as usize]
    }

    pub(crate) fn template(&self, id: TemplateId) -> &Template<'a> {
        &self.templates[id.0 as usize]
    }

    pub(crate) fn variable(&self, id: VarId) -> &Variable<'a> {
        &self.variables[id.0 as usize]
    }

    pub(crate) fn text(&self, name: Name) -> &'a str {
        self.names.text(name)
    }

    /// Guards recursion over syntax.
    pub(crate) fn nested<T>(&mut self, span: Span, body: impl FnOnce(&mut Self) -> R<T>) -> R<T> {
        if self.nesting > MAX_NESTING {
            return self.fail(|_| {
                Diagnostic::new(
                    &mw_diagnostics::registry::semantics::TOO_DEEP,
                    span,
                    format!("this nests deeper than {MAX_NESTING} levels"),
                )
            });
        }
        self.nesting += 1;
        let result = body(self);
        self.nesting -= 1;
        result
    }
}
