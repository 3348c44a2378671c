//! The pages that the glossary must have, in their order: sections, titles, paths below `book/src`.

/// A section of the glossary and its pages.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// Title and path of each page.
    pub(super) pages: &'static [(&'static str, &'static str)],
}

/// The page of correspondence, which stands before the sections.
pub(super) const FIRST: (&str, &str) = ("NVIDIA to Metal", "nvidia-to-metal.md");

/// Where the last page of the glossary leads.
pub(super) const LAST: (&str, &str) = ("Sources", "sources.md");

pub(super) const SECTIONS: [Section; 6] = [
    Section {
        title: "The Machine",
        pages: &[
            ("GPU Core", "machine/gpu-core.md"),
            ("Simdgroup", "machine/simdgroup.md"),
            ("Registers", "machine/registers.md"),
            ("Threadgroup Memory", "machine/threadgroup-memory.md"),
            ("Unified Memory", "machine/unified-memory.md"),
            ("Occupancy", "machine/occupancy.md"),
            ("F16", "machine/f16.md"),
            ("Special Paths", "machine/special-paths.md"),
            ("AMX", "machine/amx.md"),
            ("Neural Accelerators", "machine/neural-accelerators.md"),
        ],
    },
    Section {
        title: "Metal, the Stack",
        pages: &[
            ("Metal, the API", "metal/metal-the-api.md"),
            ("MSL", "metal/msl.md"),
            ("Dispatch Geometry", "metal/dispatch-geometry.md"),
            ("Compilation Pipeline", "metal/compilation-pipeline.md"),
            ("Function Constants", "metal/function-constants.md"),
            ("Command Buffers", "metal/command-buffers.md"),
            ("Synchronization", "metal/synchronization.md"),
            ("simdgroup_matrix", "metal/simdgroup-matrix.md"),
            ("simdgroup_async_copy", "metal/simdgroup-async-copy.md"),
            ("MTLTensor and MPP", "metal/mtltensor-and-mpp.md"),
            ("MPS", "metal/mps.md"),
            ("Profiling", "metal/profiling.md"),
            ("Disassembly", "metal/disassembly.md"),
        ],
    },
    Section {
        title: "MLX",
        pages: &[
            ("MLX, an Overview", "mlx/mlx-overview.md"),
            ("Lazy Evaluation", "mlx/lazy-evaluation.md"),
            ("How an Op Becomes a Kernel", "mlx/how-an-op-becomes-a-kernel.md"),
            ("Steel", "mlx/steel.md"),
            ("mx.fast", "mlx/mx-fast.md"),
            ("Quantization", "mlx/quantization.md"),
            ("mx.compile", "mlx/mx-compile.md"),
            ("Distributed", "mlx/distributed.md"),
        ],
    },
    Section {
        title: "Techniques",
        pages: &[
            ("Arithmetic Intensity", "techniques/arithmetic-intensity.md"),
            ("Roofline", "techniques/roofline.md"),
            ("Tiling", "techniques/tiling.md"),
            ("Cooperative Load", "techniques/cooperative-load.md"),
            ("Register Blocking", "techniques/register-blocking.md"),
            ("Double Buffering", "techniques/double-buffering.md"),
            ("Fusion and Epilogues", "techniques/fusion-and-epilogues.md"),
            ("Online Softmax", "techniques/online-softmax.md"),
            ("Flash Attention", "techniques/flash-attention.md"),
            ("The KV Cache", "techniques/kv-cache.md"),
            ("Decode vs Prefill", "techniques/decode-vs-prefill.md"),
        ],
    },
    Section {
        title: "Kernels: the Case Studies",
        pages: &[
            ("The Tiled GEMM", "kernels/gemm-tiled.md"),
            ("The Double-Buffered GEMM", "kernels/gemm-double-buffered.md"),
            ("The Async-Copy Ghost", "kernels/gemm-async-ghost.md"),
            ("Steel's BlockLoader", "kernels/steel-blockloader.md"),
            ("Steel's BlockMMA", "kernels/steel-blockmma.md"),
            ("The Fused GEMM Kernel", "kernels/steel-gemm-fused.md"),
            ("Steel Attention", "kernels/steel-attention.md"),
            ("metal-flash-attention", "kernels/mfa-codegen.md"),
            ("llama.cpp Attention", "kernels/llamacpp-attention.md"),
            ("The NAX GEMM", "kernels/nax-gemm.md"),
        ],
    },
    Section {
        title: "War Stories",
        pages: &[
            ("The Three Questions", "war-stories/three-questions.md"),
            ("Sparse-V", "war-stories/sparse-v.md"),
            ("The Failures", "war-stories/the-failures.md"),
            ("Cheap Tricks", "war-stories/cheap-tricks.md"),
        ],
    },
];

/// All pages in reading order.
pub(super) fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once(FIRST).chain(SECTIONS.iter().flat_map(|section| section.pages.iter().copied()))
}
