//! Scopes, what names stand for, and the entities that are declared.

use crate::ast::{self, MathMode, OverloadedOperator};
use crate::hir::{Constant, Expr, FloatRules, GlobalId, Local, LocalId};
use crate::names::Name;
use crate::stdlib::LibraryNamespace;
use crate::types::{QualType, RecordId, TypeId};
use mw_source::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(pub(crate) u32);)*
    };
}

handles! {
    /// A scope.
    ScopeId,
    /// A function as declared, template or not.
    FnId,
    /// A function for one set of template arguments.
    InstId,
    /// A class, alias or variable template.
    TemplateId,
    /// A variable with static storage.
    VarId,
    /// Functions of one name in one scope.
    SetId,
}

/// What a scope is looked up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Name(Name),
    Operator(OverloadedOperator),
}

/// What a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Namespace,
    Record(RecordId),
    /// Parameters of a template with their arguments.
    Template,
    Block,
}

/// Names of one region of the text.
pub(crate) struct Scope<'a> {
    pub(crate) parent: Option<ScopeId>,
    pub(crate) kind: ScopeKind,
    entries: Vec<(Key, Entry<'a>, u32)>,
    index: FxHashMap<Key, u32>,
    /// `using namespace`, inline and anonymous namespaces.
    pub(crate) usings: Vec<ScopeId>,
    /// The library's part that shows through this namespace.
    pub(crate) library: Option<LibraryNamespace>,
    /// Functions of the library that `using` brought here.
    pub(crate) imported: Vec<(LibraryNamespace, Name)>,
    pub(crate) name: Option<Name>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(parent: Option<ScopeId>, kind: ScopeKind) -> Self {
        Self {
            parent,
            kind,
            entries: Vec::new(),
            index: FxHashMap::default(),
            usings: Vec::new(),
            library: None,
            imported: Vec::new(),
            name: None,
        }
    }

    /// The entry of a name and the order of its declaration.
    pub(crate) fn get(&self, key: Key) -> Option<(&Entry<'a>, u32)> {
        let at = if self.entries.len() > 8 {
            *self.index.get(&key)? as usize
        } else {
            self.entries.iter().rposition(|(k, _, _)| *k == key)?
        };
        let (_, entry, order) = &self.entries[at];
        Some((entry, *order))
    }

    pub(crate) fn insert(&mut self, key: Key, entry: Entry<'a>, order: u32) {
        if let Some(at) =
            self.entries.iter().rposition(|(k, _, _)| *k == key).filter(|_| self.entries.len() <= 8)
        {
            // Redeclared: the first order counts.
            self.entries[at].1 = entry;
            return;
        }
        if self.entries.len() > 8
            && let Some(at) = self.index.get(&key)
        {
            self.entries[*at as usize].1 = entry;
            return;
        }
        self.entries.push((key, entry, order));
        if self.entries.len() == 9 {
            for (at, (key, _, _)) in self.entries.iter().enumerate() {
                self.index.insert(*key, at as u32);
            }
        } else if self.entries.len() > 9 {
            self.index.insert(key, self.entries.len() as u32 - 1);
        }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.entries.iter().map(|(key, _, _)| *key)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (Key, &Entry<'a>)> {
        self.entries.iter().map(|(key, entry, _)| (*key, entry))
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entry<'a> {
    Namespace(ScopeId),
    Type(QualType),
    ClassTemplate(TemplateId),
    AliasTemplate(TemplateId),
    VariableTemplate(TemplateId),
    Functions(SetId),
    Variable(VarId),
    Local(LocalEntry),
    /// A structured binding or other name of a place.
    Alias(Rc<crate::hir::Place>),
    /// A template's value parameter or an enumerator.
    Constant(TypeId, Constant),
    /// A data member, by the way through the record's fields.
    Field(Rc<[u32]>),
    /// The elements of a pack.
    Pack(Rc<[Entry<'a>]>),
    /// A template parameter that is being deduced.
    Deduced(u32),
    /// A parameter of an alias template while types are matched through it.
    Pattern(Option<&'a [ast::TemplateArgument]>, ScopeId),
    /// A declaration that failed: silent.
    Error,
}

/// A parameter or variable of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalEntry {
    pub(crate) frame: u32,
    pub(crate) local: LocalId,
    /// As declared: perhaps a reference.
    pub(crate) ty: QualType,
}

/// Parameters in a signature that is not a body: named only in types.
pub(crate) const PROTOTYPE_FRAME: u32 = u32::MAX;

/// A template argument in its one canonical form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Arg {
    Type(QualType),
    /// An integer, bool or enumeration.
    Value(TypeId, i128),
    /// The address of a function.
    Function(TypeId, InstId),
    Template(TemplateId),
    Pack(Rc<[Arg]>),
}

pub(crate) type Args = Rc<[Arg]>;

/// Where a function's syntax is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FnSource<'a> {
    Declared(&'a ast::FunctionDecl),
    /// A lambda's call operator.
    Lambda(&'a ast::Lambda, RecordId),
}

/// A function as declared.
pub(crate) struct FnEntity<'a> {
    pub(crate) source: FnSource<'a>,
    /// Its own template parameters.
    pub(crate) parameters: Option<&'a [ast::TemplateParameter]>,
    /// Where it was declared.
    pub(crate) scope: ScopeId,
    pub(crate) owner: Option<RecordId>,
    pub(crate) order: u32,
    /// What stands after it in the text is not visible in its body.
    pub(crate) limit: u32,
    /// The declaration that has the body, with the names of its own template parameters.
    pub(crate) definition: Option<(&'a ast::FunctionDecl, Option<&'a [ast::TemplateParameter]>)>,
    /// Default arguments of later declarations.
    pub(crate) specializations: Vec<ExplicitFunction<'a>>,
    /// Parameters that are being deduced; made on first use.
    pub(crate) deduction_scope: Option<ScopeId>,
    pub(crate) rules: FloatRules,
    pub(crate) is_deleted: bool,
    /// Its declaration has a mistake, which was reported: calls of it are silent.
    pub(crate) is_invalid: bool,
}

/// `template <> void f<int>() { … }`
pub(crate) struct ExplicitFunction<'a> {
    pub(crate) args: Args,
    pub(crate) decl: &'a ast::FunctionDecl,
    pub(crate) scope: ScopeId,
}

/// A parameter of an [`Instance`].
#[derive(Clone, Debug)]
pub(crate) struct Param<'a> {
    pub(crate) name: Option<Name>,
    /// As declared, arrays and functions already turned into pointers.
    pub(crate) ty: QualType,
    pub(crate) default: Option<&'a ast::Expr>,
    pub(crate) decl: &'a ast::ParameterDecl,
    /// Index in the syntax; a pack makes several of one.
    pub(crate) source: u32,
    /// Declared as an array of so many elements.
    pub(crate) extent: Option<u64>,
}

/// How far a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyState {
    Declared,
    Queued,
    Checking,
    Done,
}

/// A function for one set of arguments.
pub(crate) struct Instance<'a> {
    pub(crate) entity: FnId,
    pub(crate) args: Args,
    /// Its template's arguments are bound here.
    pub(crate) scope: ScopeId,
    pub(crate) parameters: Rc<[Param<'a>]>,
    pub(crate) result: Option<QualType>,
    /// The object of a member function.
    pub(crate) this: Option<QualType>,
    pub(crate) function: Option<crate::hir::FunctionId>,
    pub(crate) state: BodyState,
    /// Syntax with the body and the scope to check it in, if a specialisation replaces the template's.
    pub(crate) special: Option<(&'a ast::FunctionDecl, ScopeId)>,
    /// Who asked for it: for messages.
    pub(crate) chain: Vec<(Span, String)>,
}

/// A class, alias or variable template.
pub(crate) struct Template<'a> {
    pub(crate) name: Name,
    pub(crate) parameters: &'a [ast::TemplateParameter],
    /// A forward declaration's parameters, which may hold the defaults.
    pub(crate) earlier: Vec<&'a [ast::TemplateParameter]>,
    pub(crate) what: TemplateBody<'a>,
    pub(crate) scope: ScopeId,
    /// Floating-point rules in force where it was declared.
    pub(crate) rules: FloatRules,
    pub(crate) limit: u32,
    pub(crate) partial: Vec<Partial<'a>>,
    pub(crate) explicit: FxHashMap<Args, TemplateBody<'a>>,
    pub(crate) instances: FxHashMap<Args, Instantiated>,
    /// Members defined outside of the class: class parameters, own parameters, definition.
    pub(crate) members: Vec<OutOfClass<'a>>,
    /// Deduction guides with their template parameters.
    pub(crate) guides: Vec<(&'a [ast::TemplateParameter], &'a ast::DeductionGuide)>,
}

/// `template <typename T> void S<T>::f() { … }`
#[derive(Clone, Copy)]
pub(crate) struct OutOfClass<'a> {
    pub(crate) outer: &'a [ast::TemplateParameter],
    pub(crate) own: Option<&'a [ast::TemplateParameter]>,
    pub(crate) decl: OutOfClassDecl<'a>,
}

/// What is defined outside of its class.
#[derive(Clone, Copy)]
pub(crate) enum OutOfClassDecl<'a> {
    Function(&'a ast::FunctionDecl),
    Variable(&'a ast::VariableDecl),
}

/// What a template makes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TemplateBody<'a> {
    Class(&'a ast::RecordDecl),
    Alias(&'a ast::TypeAliasDecl),
    Variable(&'a ast::VariableDecl),
}

/// What an instantiation of a [`Template`] is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instantiated {
    Type(QualType),
    Variable(VarId),
}

/// A partial specialisation.
#[derive(Clone, Copy)]
pub(crate) struct Partial<'a> {
    pub(crate) parameters: &'a [ast::TemplateParameter],
    pub(crate) pattern: &'a [ast::TemplateArgument],
    pub(crate) body: TemplateBody<'a>,
    pub(crate) scope: ScopeId,
}

/// A variable outside of functions, a static member or local.
pub(crate) struct Variable<'a> {
    pub(crate) decl: &'a ast::VariableDecl,
    /// Its definition outside of the class.
    pub(crate) definition: Option<&'a ast::VariableDecl>,
    pub(crate) scope: ScopeId,
    pub(crate) limit: u32,
    pub(crate) state: VariableState,
    pub(crate) suffix: Args,
}

/// What is known of a [`Variable`].
#[derive(Clone, Debug)]
pub(crate) enum VariableState {
    Declared,
    Resolving,
    Ready(ReadyVariable),
    Failed,
}

/// A variable whose type and value are known.
#[derive(Clone, Debug)]
pub(crate) struct ReadyVariable {
    pub(crate) ty: QualType,
    /// Known when compiling; then reading it is this constant.
    pub(crate) value: Option<Rc<Constant>>,
    pub(crate) function_constant: Option<u32>,
    pub(crate) derived: Option<Rc<Expr>>,
    pub(crate) global: Option<GlobalId>,
}

/// What sema knows of a record beside its layout.
pub(crate) struct RecordInfo<'a> {
    pub(crate) decl: Option<&'a ast::RecordDecl>,
    pub(crate) name: Option<Name>,
    /// Holds its members' names.
    pub(crate) scope: ScopeId,
    pub(crate) template: Option<(TemplateId, Args)>,
    pub(crate) state: RecordState,
    /// Declared type of each field (HIR has pointers for references).
    pub(crate) fields: Vec<FieldInfo<'a>>,
    pub(crate) bases: Vec<RecordId>,
    pub(crate) constructors: Vec<FnId>,
    pub(crate) conversions: Vec<FnId>,
    pub(crate) is_user_assignable: bool,
    /// Nothing user-written makes its objects.
    pub(crate) is_aggregate: bool,
    /// A default constructor or member initialiser exists somewhere inside.
    pub(crate) needs_init: bool,
    pub(crate) destructor: Option<FnId>,
    /// Made from the template itself, not from a specialisation: members may be defined outside.
    pub(crate) is_primary: bool,
    /// What a lambda took.
    pub(crate) captures: Option<Rc<Captures>>,
    /// Members that only the class itself, or classes made from it, may name.
    pub(crate) hidden: FxHashMap<Key, ast::AccessKind>,
    /// Floating-point rules in force where it was declared.
    pub(crate) rules: FloatRules,
    pub(crate) limit: u32,
    pub(crate) span: Span,
}

/// What a lambda holds.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    /// Frame and local of the variable, field, by reference?, declared type of what it is.
    pub(crate) locals: Vec<(u32, LocalId, u32)>,
    pub(crate) this: Option<(u32, QualType)>,
}

/// A field's syntax.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldInfo<'a> {
    pub(crate) ty: QualType,
    pub(crate) name: Option<Name>,
    pub(crate) initializer: Option<&'a ast::Initializer>,
    pub(crate) is_mutable: bool,
}

/// How far a class is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordState {
    Declared,
    Completing,
    Complete,
    Failed,
}

/// The function (or nothing) whose body is being checked.
pub(crate) struct Frame<'a> {
    pub(crate) id: u32,
    pub(crate) locals: Vec<Local>,
    pub(crate) this: Option<(LocalId, QualType)>,
    pub(crate) result: Option<QualType>,
    /// `auto` result: not decided yet.
    pub(crate) deduces_result: bool,
    pub(crate) is_constructor: bool,
    pub(crate) captures: Option<(Rc<Captures>, RecordId)>,
    pub(crate) rules: FloatRules,
    pub(crate) name: String,
    pub(crate) mangled: String,
    pub(crate) statics: u32,
    pub(crate) loops: u32,
    pub(crate) switches: u32,
    pub(crate) is_template: bool,
    /// The function is started by the host.
    pub(crate) is_kernel: bool,
    /// `auto` as written, while the result is deduced.
    pub(crate) result_pattern: Option<&'a ast::Type>,
    /// A lambda's body: `this` is what it captured.
    pub(crate) lambda_this: bool,
    /// The object whose members are being initialised, and whether one of them asked for it.
    pub(crate) object: Option<(crate::hir::Place, bool)>,
}

impl Frame<'_> {
    /// Outside of all functions.
    pub(crate) fn outside(id: u32, math_mode: MathMode) -> Self {
        Self {
            id,
            locals: Vec::new(),
            this: None,
            result: None,
            deduces_result: false,
            is_constructor: false,
            captures: None,
            rules: FloatRules { contract: true, math_mode },
            name: String::new(),
            mangled: String::new(),
            statics: 0,
            loops: 0,
            switches: 0,
            is_template: false,
            is_kernel: false,
            result_pattern: None,
            lambda_this: false,
            object: None,
        }
    }
}
