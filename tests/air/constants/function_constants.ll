source_filename = "function_constants.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v28-apple-macosx26.0.0"

@_ZL6is_set = internal unnamed_addr addrspace(2) global i8 undef, align 1
@_ZL7doubled = internal unnamed_addr addrspace(2) global i32 undef, align 4
@_ZL8has_bias = internal unnamed_addr addrspace(2) global i8 undef, align 1
@__metal_implicit_fc_pred_0 = internal addrspace(2) global i8 0, align 1
@_Z8has_bias.MTL_FC_INIT_0_b = internal addrspace(2) externally_initialized constant i8 undef, section "air.fc_initializer", align 1
@_ZL6factor = internal unnamed_addr addrspace(2) global i32 undef, align 4
@_Z6factor.MTL_FC_INIT_1_i = internal addrspace(2) externally_initialized constant i32 undef, section "air.fc_initializer", align 4
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_GLOBAL__sub_I_function_constants.metal, ptr null }]
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(2) @__metal_implicit_fc_pred_0 to ptr)], section "llvm.metadata"

define void @constants(ptr addrspace(1) noundef "air-buffer-no-alias" %0, ptr addrspace(1) noundef "air-buffer-no-alias" %1, i32 noundef %2) convergent nounwind "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "no-builtins" {
  %4 = alloca float, align 4
  %5 = zext i32 %2 to i64
  %6 = getelementptr float, ptr addrspace(1) %0, i64 %5
  %7 = load float, ptr addrspace(1) %6, align 4
  %8 = load i8, ptr addrspace(2) @_ZL6is_set, align 1
  %9 = trunc i8 %8 to i1
  br i1 %9, label %10, label %12

10:
  %11 = load i32, ptr addrspace(2) @_ZL7doubled, align 4
  br label %13

12:
  br label %13

13:
  %14 = phi i32 [ %11, %10 ], [ 1, %12 ]
  %15 = call float @air.convert.f.f32.s.i32(i32 %14) nounwind willreturn memory(none)
  %16 = fmul fast float %7, %15
  store float %16, ptr %4, align 4
  %17 = load i8, ptr addrspace(2) @_ZL8has_bias, align 1
  %18 = trunc i8 %17 to i1
  br i1 %18, label %19, label %25

19:
  %20 = load float, ptr %4, align 4
  %21 = zext i32 %2 to i64
  %22 = getelementptr float, ptr addrspace(1) %1, i64 %21
  %23 = load float, ptr addrspace(1) %22, align 4
  %24 = fadd fast float %20, %23
  store float %24, ptr %4, align 4
  br label %25

25:
  %26 = load float, ptr %4, align 4
  %27 = zext i32 %2 to i64
  %28 = getelementptr float, ptr addrspace(1) %0, i64 %27
  store float %26, ptr addrspace(1) %28, align 4
  ret void
}

declare float @air.convert.f.f32.s.i32(i32) nofree nosync mustprogress nounwind willreturn memory(none)

declare i1 @air.is_function_constant_defined(ptr addrspace(2)) nofree nosync mustprogress nounwind willreturn memory(none)

declare i8 @air.normalize_function_constant_predicate.i8(i8) nofree nosync mustprogress nounwind willreturn memory(none)

define internal void @_GLOBAL__sub_I_function_constants.metal() nounwind section "air.static_init" {
  %1 = load i8, ptr addrspace(2) @_Z8has_bias.MTL_FC_INIT_0_b, align 1
  store i8 %1, ptr addrspace(2) @_ZL8has_bias, align 1
  %2 = load i32, ptr addrspace(2) @_Z6factor.MTL_FC_INIT_1_i, align 4
  store i32 %2, ptr addrspace(2) @_ZL6factor, align 4
  %3 = call i1 @air.is_function_constant_defined(ptr addrspace(2) @_Z6factor.MTL_FC_INIT_1_i) nounwind willreturn memory(none)
  %4 = zext i1 %3 to i8
  store i8 %4, ptr addrspace(2) @_ZL6is_set, align 1
  %5 = load i32, ptr addrspace(2) @_ZL6factor, align 4
  %6 = mul i32 %5, 2
  store i32 %6, ptr addrspace(2) @_ZL7doubled, align 4
  %7 = load i8, ptr addrspace(2) @_ZL8has_bias, align 1
  %8 = trunc i8 %7 to i1
  %9 = zext i1 %8 to i8
  %10 = call i8 @air.normalize_function_constant_predicate.i8(i8 %9) nounwind willreturn memory(none)
  store i8 %10, ptr addrspace(2) @__metal_implicit_fc_pred_0, align 1
  ret void
}

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8}
!llvm.ident = !{!9}
!air.version = !{!10}
!air.language_version = !{!11}
!air.compile_options = !{!12, !13, !14}
!air.function_constants = !{!15, !16}
!air.kernel = !{!17}

!0 = !{i32 2, !"SDK Version", [2 x i32] [i32 26, i32 0]}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{i32 7, !"air.max_device_buffers", i32 31}
!4 = !{i32 7, !"air.max_constant_buffers", i32 31}
!5 = !{i32 7, !"air.max_threadgroup_buffers", i32 31}
!6 = !{i32 7, !"air.max_textures", i32 128}
!7 = !{i32 7, !"air.max_read_write_textures", i32 8}
!8 = !{i32 7, !"air.max_samplers", i32 16}
!9 = !{!"metalworking 0.1.0"}
!10 = !{i32 2, i32 8, i32 0}
!11 = !{!"Metal", i32 4, i32 0, i32 0}
!12 = !{!"air.compile.denorms_disable"}
!13 = !{!"air.compile.fast_math_enable"}
!14 = !{!"air.compile.framebuffer_fetch_enable"}
!15 = !{ptr addrspace(2) @_Z8has_bias.MTL_FC_INIT_0_b, !"bool", !"has_bias", i32 0, i1 true}
!16 = !{ptr addrspace(2) @_Z6factor.MTL_FC_INIT_1_i, !"int", !"factor", i32 1, i1 false}
!17 = !{ptr @constants, !18, !19}
!18 = !{}
!19 = !{!20, !21, !23}
!20 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"x"}
!21 = !{i32 1, !"air.function_constant", !22, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"bias"}
!22 = !{ptr addrspace(2) @__metal_implicit_fc_pred_0, !"bool", !"has_bias"}
!23 = !{i32 2, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"g"}
