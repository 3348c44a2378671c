; kernel void gelu(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],
;                  uint i [[thread_position_in_grid]]) {
;   float v = x[i];
;   y[i] = 0.5f * v * (1.0f + tanh(0.7978845608f * (v + 0.044715f * v * v * v)));
; }
source_filename = "gelu.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v26-apple-macosx14.0.0"

define void @gelu(ptr addrspace(1) %0, ptr addrspace(1) %1, i32 %2) {
  %4 = zext i32 %2 to i64
  %5 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %4
  %6 = load float, ptr addrspace(1) %5, align 4
  %7 = fmul float %6, 0x3FA6E4E260000000
  %8 = fmul float %7, %6
  %9 = fmul float %8, %6
  %10 = fadd float %6, %9
  %11 = fmul float %10, 0x3FE9884540000000
  %12 = call float @air.tanh.f32(float %11)
  %13 = fadd float %12, 0x3FF0000000000000
  %14 = fmul float %6, 0x3FE0000000000000
  %15 = fmul float %14, %13
  %16 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %4
  store float %15, ptr addrspace(1) %16, align 4
  ret void
}

declare float @air.tanh.f32(float)

!air.kernel = !{!0}
!air.compile_options = !{!6}
!air.version = !{!7}
!air.language_version = !{!8}

!0 = !{ptr @gelu, !1, !2}
!1 = !{}
!2 = !{!3, !4, !5}
!3 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"x"}
!4 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"y"}
!5 = !{i32 2, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"i"}
!6 = !{!"air.compile.denorms_disable"}
!7 = !{i32 2, i32 6, i32 0}
!8 = !{!"Metal", i32 3, i32 1, i32 0}
