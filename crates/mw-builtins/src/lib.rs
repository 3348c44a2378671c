//! Metal's library functions as AIR, shared by every engine.
