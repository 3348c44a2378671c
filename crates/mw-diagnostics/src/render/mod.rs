//! Diagnostics as text: for the terminal, as JSON, and as SARIF.
