source_filename = "precise.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v27-apple-macosx15.0.0"

define void @exact(ptr addrspace(1) noundef "air-buffer-no-alias" %0, i32 noundef %1) convergent nounwind "no-builtins" {
  %3 = zext i32 %1 to i64
  %4 = getelementptr float, ptr addrspace(1) %0, i64 %3
  %5 = load float, ptr addrspace(1) %4, align 4
  %6 = call float @air.exp.f32(float %5) nounwind willreturn memory(none)
  %7 = zext i32 %1 to i64
  %8 = getelementptr float, ptr addrspace(1) %0, i64 %7
  %9 = load float, ptr addrspace(1) %8, align 4
  %10 = fadd float %9, 0x3FF0000000000000
  %11 = fdiv float %6, %10
  %12 = zext i32 %1 to i64
  %13 = getelementptr float, ptr addrspace(1) %0, i64 %12
  %14 = load float, ptr addrspace(1) %13, align 4
  %15 = call float @air.sqrt.f32(float %14) nounwind willreturn memory(none)
  %16 = fsub float %11, %15
  %17 = zext i32 %1 to i64
  %18 = getelementptr float, ptr addrspace(1) %0, i64 %17
  store float %16, ptr addrspace(1) %18, align 4
  ret void
}

declare float @air.exp.f32(float) nofree nosync mustprogress nounwind willreturn memory(none)

declare float @air.sqrt.f32(float) nofree nosync mustprogress nounwind willreturn memory(none)

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8}
!llvm.ident = !{!9}
!air.version = !{!10}
!air.language_version = !{!11}
!air.compile_options = !{!12, !13, !14}
!air.kernel = !{!15}

!0 = !{i32 2, !"SDK Version", [2 x i32] [i32 15, i32 0]}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{i32 7, !"air.max_device_buffers", i32 31}
!4 = !{i32 7, !"air.max_constant_buffers", i32 31}
!5 = !{i32 7, !"air.max_threadgroup_buffers", i32 31}
!6 = !{i32 7, !"air.max_textures", i32 128}
!7 = !{i32 7, !"air.max_read_write_textures", i32 8}
!8 = !{i32 7, !"air.max_samplers", i32 16}
!9 = !{!"metalworking 0.1.0"}
!10 = !{i32 2, i32 7, i32 0}
!11 = !{!"Metal", i32 3, i32 2, i32 0}
!12 = !{!"air.compile.denorms_disable"}
!13 = !{!"air.compile.fast_math_disable"}
!14 = !{!"air.compile.framebuffer_fetch_enable"}
!15 = !{ptr @exact, !16, !17}
!16 = !{}
!17 = !{!18, !19}
!18 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"x"}
!19 = !{i32 1, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"g"}
