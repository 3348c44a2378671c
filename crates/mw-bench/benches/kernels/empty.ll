; kernel void empty(device float *x [[buffer(0)]]) {}
source_filename = "empty.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v26-apple-macosx14.0.0"

define void @empty(ptr addrspace(1) %0) {
  ret void
}

!air.kernel = !{!0}
!air.compile_options = !{!4}
!air.version = !{!5}
!air.language_version = !{!6}

!0 = !{ptr @empty, !1, !2}
!1 = !{}
!2 = !{!3}
!3 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"x"}
!4 = !{!"air.compile.denorms_disable"}
!5 = !{i32 2, i32 6, i32 0}
!6 = !{!"Metal", i32 3, i32 1, i32 0}
