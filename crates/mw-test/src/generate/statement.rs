//! Statements.

use super::types::{Scalar, Ty};
use super::{Generator, MAX_DEPTH, Variable};

impl Generator<'_, '_> {
    /// A block's statements, with names of their own.
    pub(super) fn block(&mut self) {
        let (variables, buffers) = (self.variables.len(), self.buffers.len());
        self.indent += 1;
        self.depth += 1;
        for _ in 0..=self.below(4) {
            self.statement();
        }
        self.depth -= 1;
        self.indent -= 1;
        self.variables.truncate(variables);
        self.buffers.truncate(buffers);
    }

    pub(super) fn statement(&mut self) {
        if self.depth >= MAX_DEPTH || self.is_done() {
            return self.store();
        }
        match self.below(14) {
            0..=2 => self.declare(),
            3 | 4 => self.assign(),
            5 | 6 => self.store(),
            7 => self.branch(),
            8 => self.for_loop(),
            9 => self.while_loop(),
            10 => self.switch(),
            11 => self.array(),
            12 => self.jump(),
            _ => {
                self.line("{");
                self.block();
                self.line("}");
            }
        }
    }

    fn declare(&mut self) {
        let ty = self.plain_type();
        let value = self.expression(ty);
        let name = self.name("v");
        let is_mutable = !self.one_in(4);
        let qualifier = if is_mutable { "" } else { "const " };
        match self.below(4) {
            0 => self.line(&format!("{qualifier}auto {name} = {ty}({value});")),
            1 => self.line(&format!("{qualifier}{ty} {name}({value});")),
            _ => self.line(&format!("{qualifier}{ty} {name} = {value};")),
        }
        self.variables.push(Variable { name, ty, is_mutable });
    }

    /// A variable that may be written.
    fn target(&mut self) -> Option<Variable> {
        let fitting: Vec<usize> =
            (0..self.variables.len()).filter(|index| self.variables[*index].is_mutable).collect();
        if fitting.is_empty() {
            return None;
        }
        let chosen = fitting[self.below(fitting.len())];
        Some(self.variables[chosen].clone())
    }

    fn assign(&mut self) {
        let Some(Variable { name, ty, .. }) = self.target() else { return self.declare() };
        let number = ty.scalar != Scalar::Bool;
        match self.below(5) {
            0 if number && ty.lanes == 1 => {
                let op = ["++", "--"][self.below(2)];
                self.line(&format!("{name}{op};"));
            }
            1 if number => {
                let op = ["+=", "-=", "*="][self.below(3)];
                let value = self.expression(ty);
                self.line(&format!("{name} {op} {value};"));
            }
            2 if ty.lanes > 1 => {
                let value = self.expression(ty.element());
                let component = ["x", "y"][self.below(2)];
                self.line(&format!("{name}.{component} = {value};"));
            }
            _ => {
                let value = self.expression(ty);
                self.line(&format!("{name} = {value};"));
            }
        }
    }

    fn store(&mut self) {
        let fitting: Vec<usize> =
            (0..self.buffers.len()).filter(|index| self.buffers[*index].is_writable).collect();
        if fitting.is_empty() {
            return self.line(";");
        }
        let chosen = fitting[self.below(fitting.len())];
        let buffer = self.buffers[chosen].clone();
        let (index, value) = (self.expression(Ty::UINT), self.expression(buffer.element));
        self.line(&format!("{}[{index} % {}u] = {value};", buffer.name, buffer.length));
    }

    fn branch(&mut self) {
        let condition = self.expression(Ty::BOOL);
        self.line(&format!("if ({condition}) {{"));
        self.block();
        if self.one_in(2) {
            self.line("} else {");
            self.block();
        }
        self.line("}");
    }

    fn for_loop(&mut self) {
        let name = self.name("i");
        let bound = self.below(9);
        if self.one_in(4) {
            let hint = ["#pragma unroll", "#pragma clang loop unroll(full)"][self.below(2)];
            self.line(hint);
        }
        self.line(&format!("for (int {name} = 0; {name} < {bound}; ++{name}) {{"));
        self.variables.push(Variable { name, ty: Ty::INT, is_mutable: false });
        self.loops += 1;
        self.block();
        self.loops -= 1;
        self.variables.pop();
        self.line("}");
    }

    fn while_loop(&mut self) {
        let name = self.name("n");
        let bound = self.below(9);
        self.line(&format!("uint {name} = {bound};"));
        self.variables.push(Variable { name: name.clone(), ty: Ty::UINT, is_mutable: false });
        self.loops += 1;
        if self.one_in(2) {
            self.line(&format!("while ({name}-- > 0u) {{"));
            self.block();
            self.line("}");
        } else {
            self.line("do {");
            self.block();
            self.line(&format!("}} while ({name}-- > 1u);"));
        }
        self.loops -= 1;
    }

    fn switch(&mut self) {
        let value = self.expression(Ty::INT);
        self.line(&format!("switch ({value}) {{"));
        for case in 0..=self.below(3) {
            self.line(&format!("case {case}: {{"));
            self.block();
            let fall = self.one_in(3);
            self.line(if fall { "}" } else { "} break;" });
        }
        if self.one_in(2) {
            self.line("default: {");
            self.block();
            self.line("}");
        }
        self.line("}");
    }

    fn array(&mut self) {
        let ty = self.plain_type();
        let name = self.name("a");
        let length = [1, 2, 4, 7][self.below(4)];
        if self.one_in(2) {
            self.line(&format!("{ty} {name}[{length}] = {{}};"));
        } else {
            let elements: Vec<String> = (0..length).map(|_| self.expression(ty)).collect();
            self.line(&format!("{ty} {name}[] = {{{}}};", elements.join(", ")));
        }
        self.buffers.push(super::Buffer { name, element: ty, is_writable: true, length });
    }

    /// A way out, behind a condition so that something comes after it.
    fn jump(&mut self) {
        let condition = self.expression(Ty::BOOL);
        match self.result {
            _ if self.loops > 0 => {
                let word = ["break", "continue"][self.below(2)];
                self.line(&format!("if ({condition}) {word};"));
            }
            Some(ty) => {
                let value = self.expression(ty);
                self.line(&format!("if ({condition}) return {value};"));
            }
            None => self.line(&format!("if ({condition}) return;")),
        }
    }
}
