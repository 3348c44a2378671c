//! Functions: helpers, templates, and the kernel.

use super::types::{Scalar, Ty};
use super::{Buffer, Generator, Helper, Variable};

/// Elements that a buffer is taken to have.
const LENGTH: u32 = 64;

impl Generator<'_, '_> {
    pub(super) fn helper(&mut self) {
        let name = self.name("g");
        if self.one_in(3) {
            return self.template(name);
        }
        let result = self.plain_type();
        let mut parameters = Vec::new();
        let mut list = Vec::new();
        for _ in 0..self.below(4) {
            let ty = self.plain_type();
            let parameter = self.name("p");
            list.push(format!("{ty} {parameter}"));
            parameters.push(ty);
            self.variables.push(Variable { name: parameter, ty, is_mutable: true });
        }
        self.line(&format!("{result} {name}({}) {{", list.join(", ")));
        self.result = Some(result);
        self.block();
        let value = self.expression(result);
        self.line(&format!("  return {value};"));
        self.line("}");
        self.result = None;
        self.variables.clear();
        self.helpers.push(Helper { name, result, parameters, is_template: false });
    }

    /// A template whose body works for every type of values.
    fn template(&mut self, name: String) {
        let count = 1 + self.below(2);
        let list: Vec<String> = (0..count).map(|index| format!("T x{index}")).collect();
        self.line(&format!("template <typename T> T {name}({}) {{", list.join(", ")));
        match self.below(4) {
            0 => self.line("  if constexpr (is_floating_point<T>::value) { return x0 + T(1); }"),
            1 => self.line("  const auto same = [&](T y) { return y; }; return same(x0);"),
            2 => self.line("  T all[3] = {x0, x0, T(1)}; for (T &each : all) { each = x0; } return all[2];"),
            _ => self.line(
                "  using U = T; struct Pair { U first; U second; }; Pair pair = {x0, x0}; x0 = pair.second;",
            ),
        }
        self.line("  return x0;");
        self.line("}");
        self.helpers.push(Helper {
            name,
            result: Ty::INT,
            parameters: vec![Ty::INT; count],
            is_template: true,
        });
    }

    pub(super) fn kernel(&mut self) {
        let mut list = Vec::new();
        for index in 0..=self.below(4) {
            let ty = self.plain_type();
            let name = self.name("b");
            let is_writable = index == 0 || !self.one_in(3);
            let space = match (is_writable, self.below(2)) {
                (true, _) => "device",
                (false, 0) => "device const",
                (false, _) => "constant",
            };
            list.push(format!("{space} {ty} *{name} [[buffer({index})]]"));
            self.buffers.push(Buffer { name, element: ty, is_writable, length: LENGTH });
        }
        for (role, ty) in [
            ("thread_position_in_grid", Ty::UINT),
            ("thread_index_in_simdgroup", Ty::UINT),
            ("threads_per_threadgroup", Ty { scalar: Scalar::Uint, lanes: 3 }),
            ("thread_position_in_threadgroup", Ty { scalar: Scalar::Ushort, lanes: 2 }),
        ] {
            if self.one_in(2) {
                let name = self.name("t");
                list.push(format!("{ty} {name} [[{role}]]"));
                self.variables.push(Variable { name, ty, is_mutable: true });
            }
        }
        self.line(&format!("kernel void k({}) {{", list.join(",\n              ")));
        self.in_kernel = true;
        self.indent += 1;
        for _ in 0..self.below(3) {
            let ty = self.plain_type();
            let name = self.name("s");
            self.line(&format!("threadgroup {ty} {name}[32];"));
            self.buffers.push(Buffer { name, element: ty, is_writable: true, length: 32 });
        }
        for _ in 0..=self.below(8) {
            self.statement();
            if self.one_in(5) {
                self.line("threadgroup_barrier(mem_flags::mem_threadgroup);");
            }
        }
        self.indent -= 1;
        self.line("}");
    }
}
