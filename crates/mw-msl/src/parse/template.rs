//! Templates, their parameters and explicit instantiations.

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::syntax as codes;

use super::declaration::Entity;
use super::declarator::Place;
use super::name::NameUse;
use super::scope::Symbol;
use super::{Failed, Parse, Parser};
use crate::ast::{
    Decl, DeclKind, Ident, SegmentKind, TemplateDecl, TemplateParameter, TemplateParameterKind,
};
use crate::lex::TokenKind;
use crate::names::{Name, words};

impl Parser<'_> {
    /// At `template`: a template, a specialisation or an explicit instantiation.
    pub(super) fn template(&mut self, class: Option<Name>, place: Place, out: &mut Vec<Decl>) -> Parse<()> {
        if self.peek_kind(1) != TokenKind::Less {
            return self.explicit_instantiation(false, out);
        }
        let start = self.bump().span;
        let outer = std::mem::take(&mut self.entity);
        // Of `template <> template <…>` the outermost knows where names go.
        let target = self.scopes.current().or(outer.target);
        let level = self.scopes.level();
        self.scopes.enter_local();
        let result = self.template_inner(class, place, target, out.len(), out);
        self.scopes.leave(level);
        self.entity = outer;
        let (parameters, requires, decl) = result?;
        let template = TemplateDecl { parameters, requires, decl };
        out.push(Decl { kind: DeclKind::Template(Box::new(template)), span: self.span_from(start) });
        Ok(())
    }

    fn template_inner(
        &mut self,
        class: Option<Name>,
        place: Place,
        target: Option<super::scope::ScopeId>,
        first: usize,
        out: &mut Vec<Decl>,
    ) -> Parse<(Vec<TemplateParameter>, Option<crate::ast::Expr>, Decl)> {
        let parameters = self.template_parameters()?;
        let mut requires = None;
        if self.is_word(words::REQUIRES) && self.scopes.lookup(words::REQUIRES).is_unknown() {
            self.bump();
            requires = Some(self.requires_clause()?);
        }
        if self.is_word(words::CONCEPT) && self.peek_is_identifier(1) && self.peek_kind(2) == TokenKind::Equal
        {
            return self.fail(|parser| {
                Diagnostic::new(&codes::FORBIDDEN_SYNTAX, parser.token().span, "Metal has no concepts")
                    .note("Metal is based on C++17 (MSL spec, \"Metal and C++17\")")
                    .help("write a trait and `enable_if_t`")
            });
        }
        self.entity = Entity { target, is_template: !parameters.is_empty(), is_known: false };
        let here = self.token().span;
        self.declaration(class, place, out)?;
        // A class of which variables are made at once is no template.
        match out.len() - first {
            1 => {}
            0 => {
                let error = Diagnostic::new(
                    &codes::EXPECTED_DECLARATION,
                    here,
                    "expected a declaration after the template's parameters",
                );
                self.report(error);
                return Err(Failed);
            }
            _ => {
                self.report(Diagnostic::new(
                    &codes::EXPECTED_DECLARATION,
                    here,
                    "a template declares one thing",
                ));
                out.truncate(first + 1);
            }
        }
        match out.pop() {
            Some(decl) => Ok((parameters, requires, decl)),
            None => Err(Failed),
        }
    }

    /// A constraint: refused later.
    fn requires_clause(&mut self) -> Parse<crate::ast::Expr> {
        let start = self.token().span;
        let mut left = self.unary_expression()?;
        while matches!(self.kind(), TokenKind::AmpersandAmpersand | TokenKind::PipePipe) {
            self.bump();
            let right = self.unary_expression()?;
            left = self.expr(crate::ast::ExprKind::Comma(Box::new(left), Box::new(right)), start);
        }
        Ok(left)
    }

    /// `template …;` without parameters, at `template`.
    pub(super) fn explicit_instantiation(&mut self, is_extern: bool, out: &mut Vec<Decl>) -> Parse<()> {
        let start = self.bump().span;
        let entity = std::mem::replace(&mut self.entity, Entity { is_known: true, ..Entity::default() });
        let mut decls = Vec::new();
        let result = self.declaration(None, Place::Outside, &mut decls);
        self.entity = entity;
        result?;
        let span = self.span_from(start);
        for decl in decls {
            let kind = DeclKind::ExplicitInstantiation { decl: Box::new(decl), is_extern };
            out.push(Decl { kind, span });
        }
        Ok(())
    }

    /// `<…>` after `template` or of a lambda, at `<`. The names are declared in the innermost frame.
    pub(super) fn template_parameters(&mut self) -> Parse<Vec<TemplateParameter>> {
        self.nested(|parser| {
            let open = parser.bump().span;
            let greater_ends = std::mem::replace(&mut parser.greater_ends, true);
            let result = parser.template_parameter_list();
            parser.greater_ends = greater_ends;
            let parameters = result?;
            parser.expect_closing(TokenKind::Greater, open)?;
            Ok(parameters)
        })
    }

    fn template_parameter_list(&mut self) -> Parse<Vec<TemplateParameter>> {
        let mut parameters = Vec::new();
        if self.is(TokenKind::Greater) {
            return Ok(parameters);
        }
        loop {
            let parameter = self.template_parameter()?;
            self.declare_template_parameter(&parameter);
            parameters.push(parameter);
            if !self.eat(TokenKind::Comma) {
                return Ok(parameters);
            }
        }
    }

    pub(super) fn declare_template_parameter(&mut self, parameter: &TemplateParameter) {
        let Some(name) = parameter.name else { return };
        let flags = match &parameter.kind {
            TemplateParameterKind::Type { .. } => Symbol::TYPE | Symbol::DEPENDENT,
            TemplateParameterKind::Value { .. } => Symbol::VALUE,
            TemplateParameterKind::Template { .. } => Symbol::TYPE_TEMPLATE | Symbol::DEPENDENT,
        };
        self.scopes.declare(name.name, Symbol::of(flags));
    }

    fn template_parameter(&mut self) -> Parse<TemplateParameter> {
        let start = self.token().span;
        if self.is_word(words::TEMPLATE) {
            self.bump();
            if !self.is(TokenKind::Less) {
                return self.expected(&codes::EXPECTED_TOKEN, "`<` after `template`");
            }
            let level = self.scopes.level();
            self.scopes.enter_local();
            let parameters = self.template_parameters();
            self.scopes.leave(level);
            let parameters = parameters?;
            if !matches!(self.word(), words::CLASS | words::TYPENAME) {
                return self.expected(&codes::EXPECTED_TOKEN, "`class` or `typename`");
            }
            self.bump();
            let (name, is_pack) = self.template_parameter_name()?;
            let default =
                if self.eat(TokenKind::Equal) { Some(self.qualified_name(NameUse::Type)?.0) } else { None };
            let kind = TemplateParameterKind::Template { parameters, default };
            return Ok(TemplateParameter { name, kind, is_pack, span: self.span_from(start) });
        }
        if self.is_type_parameter() {
            self.bump();
            let (name, is_pack) = self.template_parameter_name()?;
            let default = if self.eat(TokenKind::Equal) { Some(self.type_id()?) } else { None };
            let kind = TemplateParameterKind::Type { default };
            return Ok(TemplateParameter { name, kind, is_pack, span: self.span_from(start) });
        }
        let spec = self.decl_spec(None)?;
        if !spec.has_type {
            return self.expected(&codes::EXPECTED_TYPE, "a template parameter");
        }
        let mut declarator = self.declarator(Place::Parameter)?;
        let name = declarator.name.take().and_then(|name| match name.last.kind {
            SegmentKind::Name(word) => Some(Ident { name: word, span: name.last.span }),
            _ => None,
        });
        let is_pack = declarator.is_pack;
        let ty = declarator.apply(spec.ty);
        let default = if self.eat(TokenKind::Equal) { Some(self.assignment_expression()?) } else { None };
        let kind = TemplateParameterKind::Value { ty, default };
        Ok(TemplateParameter { name, kind, is_pack, span: self.span_from(start) })
    }

    /// `typename T`, `class... T`, `typename = …`; `typename T::x n` is a value.
    fn is_type_parameter(&self) -> bool {
        if !matches!(self.word(), words::TYPENAME | words::CLASS) {
            return false;
        }
        let ends = |kind| {
            matches!(kind, TokenKind::Comma | TokenKind::Greater | TokenKind::GreaterEqual | TokenKind::Equal)
        };
        match self.peek_kind(1) {
            TokenKind::Ellipsis => true,
            TokenKind::Ident => ends(self.peek_kind(2)),
            kind => ends(kind),
        }
    }

    fn template_parameter_name(&mut self) -> Parse<(Option<Ident>, bool)> {
        let is_pack = self.eat(TokenKind::Ellipsis);
        let name = if self.kind() == TokenKind::Ident {
            Some(self.identifier("the name of a template parameter")?)
        } else {
            None
        };
        Ok((name, is_pack))
    }
}
