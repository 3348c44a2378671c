//! Index newtypes: one for each table, so that an index cannot be used with the wrong one.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The handle of entry `index`.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("more than 2^32 entries"))
            }

            /// Position in the table that owns it.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A value of a [`Function`](crate::Function): parameter, instruction result or constant.
    ValueId
);
id!(
    /// An instruction of a [`Function`](crate::Function).
    InstId
);
id!(
    /// A basic block of a [`Function`](crate::Function).
    BlockId
);
id!(
    /// A function of a [`Module`](crate::Module).
    FuncId
);
id!(
    /// A global variable of a [`Module`](crate::Module).
    GlobalId
);
id!(
    /// A metadata node of a [`Module`](crate::Module).
    MdId
);
id!(
    /// A position of a module's [`DebugInfo`](crate::DebugInfo).
    LocationId
);
id!(
    /// A function of a module's [`DebugInfo`](crate::DebugInfo).
    SubprogramId
);
