source_filename = "contraction.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v28-apple-macosx26.0.0"

define void @contraction(ptr addrspace(1) noundef "air-buffer-no-alias" %0, ptr addrspace(1) noundef "air-buffer-no-alias" %1, i32 noundef %2) convergent nounwind "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "no-builtins" {
  %4 = alloca float, align 4
  %5 = zext i32 %2 to i64
  %6 = getelementptr <3 x float>, ptr addrspace(1) %0, i64 %5
  %7 = load <3 x float>, ptr addrspace(1) %6, align 16
  %8 = extractelement <3 x float> %7, i32 0
  %9 = extractelement <3 x float> %7, i32 1
  %10 = extractelement <3 x float> %7, i32 2
  %11 = call fast float @llvm.fmuladd.f32(float %8, float %9, float %10)
  %12 = extractelement <3 x float> %7, i32 2
  %13 = extractelement <3 x float> %7, i32 0
  %14 = extractelement <3 x float> %7, i32 1
  %15 = fneg fast float %13
  %16 = call fast float @llvm.fmuladd.f32(float %15, float %14, float %12)
  %17 = extractelement <3 x float> %7, i32 0
  %18 = extractelement <3 x float> %7, i32 1
  %19 = fmul fast float %17, %18
  %20 = extractelement <3 x float> %7, i32 0
  %21 = extractelement <3 x float> %7, i32 1
  %22 = fmul fast float %20, %21
  %23 = extractelement <3 x float> %7, i32 2
  %24 = fadd fast float %22, %23
  store float %24, ptr %4, align 4
  %25 = extractelement <3 x float> %7, i32 2
  %26 = fadd fast float %19, %25
  %27 = load float, ptr %4, align 4
  %28 = insertelement <4 x float> poison, float %11, i32 0
  %29 = insertelement <4 x float> %28, float %16, i32 1
  %30 = insertelement <4 x float> %29, float %26, i32 2
  %31 = insertelement <4 x float> %30, float %27, i32 3
  %32 = zext i32 %2 to i64
  %33 = getelementptr <4 x float>, ptr addrspace(1) %1, i64 %32
  store <4 x float> %31, ptr addrspace(1) %33, align 16
  ret void
}

declare float @llvm.fmuladd.f32(float, float, float)

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8}
!llvm.ident = !{!9}
!air.version = !{!10}
!air.language_version = !{!11}
!air.compile_options = !{!12, !13, !14}
!air.kernel = !{!15}

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
!15 = !{ptr @contraction, !16, !17}
!16 = !{}
!17 = !{!18, !19, !20}
!18 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 16, !"air.arg_type_align_size", i32 16, !"air.arg_type_name", !"float3", !"air.arg_name", !"p"}
!19 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 16, !"air.arg_type_align_size", i32 16, !"air.arg_type_name", !"float4", !"air.arg_name", !"y"}
!20 = !{i32 2, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"g"}
