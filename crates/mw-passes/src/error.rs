//! Why a pass gave up.

/// A pass could not do its work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    /// The kernel uses something that this engine does not implement.
    #[error("{0} is not supported by the CPU engine")]
    Unsupported(String),
    /// The function breaks a rule that earlier stages guarantee.
    #[error("invalid AIR: {0}")]
    Invalid(String),
}

impl PassError {
    pub(crate) fn unsupported(feature: String) -> Self {
        Self::Unsupported(feature)
    }

    pub(crate) fn invalid(message: String) -> Self {
        Self::Invalid(message)
    }
}
