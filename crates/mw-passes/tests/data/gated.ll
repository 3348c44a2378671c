; constant bool has_bias [[function_constant(10)]];
; constant int width [[function_constant(20)]];
; constant bool extra [[function_constant(30)]];      // tested with is_function_constant_defined
; constant bool wide = width > 8 && has_bias;
; kernel void gated(device float *x [[buffer(0)]],
;                   device float *bias [[buffer(1), function_constant(has_bias)]],
;                   device float *table [[buffer(2), function_constant(wide)]]) {…}
source_filename = "gated.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v26-apple-macosx14.0.0"

@_Z8has_bias.MTL_FC_INIT_10_b = internal unnamed_addr addrspace(2) externally_initialized constant i8 undef, section "air.fc_initializer", align 1
@_Z5width.MTL_FC_INIT_20_i = internal unnamed_addr addrspace(2) externally_initialized constant i32 undef, section "air.fc_initializer", align 4
@_Z5extra.MTL_FC_INIT_30_b = internal unnamed_addr addrspace(2) externally_initialized constant i8 undef, section "air.fc_initializer", align 1
@_ZL8has_bias = internal unnamed_addr addrspace(2) global i8 0, align 1
@_ZL4wide = internal unnamed_addr addrspace(2) global i8 0, align 1
@pair = internal addrspace(2) global { i8, [2 x i32] } zeroinitializer, align 4
@__metal_implicit_fc_pred_0 = internal addrspace(2) global i8 0, align 1
@__metal_implicit_fc_pred_1 = internal addrspace(2) global i8 0, align 1
@llvm.compiler.used = appending global [2 x ptr] [ptr addrspacecast (ptr addrspace(2) @__metal_implicit_fc_pred_0 to ptr), ptr addrspacecast (ptr addrspace(2) @__metal_implicit_fc_pred_1 to ptr)], section "llvm.metadata"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_GLOBAL__sub_I_gated.metal, ptr null }]

declare i8 @air.normalize_function_constant_predicate.i8(i8)

declare i1 @air.is_function_constant_defined(ptr addrspace(2))

define internal void @_GLOBAL__sub_I_gated.metal() section "air.static_init" {
  %1 = load i8, ptr addrspace(2) @_Z8has_bias.MTL_FC_INIT_10_b, align 1
  store i8 %1, ptr addrspace(2) @_ZL8has_bias, align 1
  %2 = load i32, ptr addrspace(2) @_Z5width.MTL_FC_INIT_20_i, align 4
  %3 = getelementptr inbounds { i8, [2 x i32] }, ptr addrspace(2) @pair, i64 0, i32 1, i64 1
  store i32 %2, ptr addrspace(2) %3, align 4
  %4 = load i32, ptr addrspace(2) %3, align 4
  %5 = icmp sgt i32 %4, 8
  %6 = icmp ne i8 %1, 0
  br i1 %6, label %7, label %8

7:
  br label %8

8:
  %9 = phi i1 [ false, %0 ], [ %5, %7 ]
  %10 = zext i1 %9 to i8
  store i8 %10, ptr addrspace(2) @_ZL4wide, align 1
  %11 = call i8 @air.normalize_function_constant_predicate.i8(i8 %1)
  store i8 %11, ptr addrspace(2) @__metal_implicit_fc_pred_0, align 1
  %12 = call i8 @air.normalize_function_constant_predicate.i8(i8 %10)
  store i8 %12, ptr addrspace(2) @__metal_implicit_fc_pred_1, align 1
  ret void
}

define void @gated(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3) {
  %5 = zext i32 %3 to i64
  %6 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %5
  %7 = load float, ptr addrspace(1) %6, align 4
  %8 = load i8, ptr addrspace(2) @_ZL8has_bias, align 1
  %9 = icmp ne i8 %8, 0
  br i1 %9, label %10, label %14

10:
  %11 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %5
  %12 = load float, ptr addrspace(1) %11, align 4
  %13 = fadd float %7, %12
  br label %14

14:
  %15 = phi float [ %7, %4 ], [ %13, %10 ]
  %16 = call i1 @air.is_function_constant_defined(ptr addrspace(2) @_Z5extra.MTL_FC_INIT_30_b)
  %17 = select i1 %16, float 1.000000e+02, float 0.000000e+00
  %18 = fadd float %15, %17
  store float %18, ptr addrspace(1) %6, align 4
  ret void
}

!air.kernel = !{!0}
!air.compile_options = !{!8}
!air.version = !{!9}
!air.language_version = !{!10}
!air.function_constants = !{!11, !12, !13}

!0 = !{ptr @gated, !1, !2}
!1 = !{}
!2 = !{!3, !4, !5, !14}
!3 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"x"}
!4 = !{i32 1, !"air.function_constant", !6, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"bias"}
!5 = !{i32 2, !"air.function_constant", !7, !"air.buffer", !"air.location_index", i32 2, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"table"}
!6 = !{ptr addrspace(2) @__metal_implicit_fc_pred_0, !"bool", !"has_bias"}
!7 = !{ptr addrspace(2) @__metal_implicit_fc_pred_1, !"bool", !"wide"}
!8 = !{!"air.compile.denorms_disable"}
!9 = !{i32 2, i32 6, i32 0}
!10 = !{!"Metal", i32 3, i32 1, i32 0}
!11 = !{ptr addrspace(2) @_Z8has_bias.MTL_FC_INIT_10_b, !"bool", !"has_bias", i32 10, i1 true}
!12 = !{ptr addrspace(2) @_Z5width.MTL_FC_INIT_20_i, !"int", !"width", i32 20, i1 true}
!13 = !{ptr addrspace(2) @_Z5extra.MTL_FC_INIT_30_b, !"bool", !"extra", i32 30, i1 false}
!14 = !{i32 3, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"i"}
