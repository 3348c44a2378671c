source_filename = "tables.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v28-apple-macosx26.0.0"

@_ZL7weights = internal unnamed_addr addrspace(2) constant [4 x float] [float 0x3FE0000000000000, float 0x3FD0000000000000, float 0x3FC0000000000000, float 0x3FB0000000000000], align 4

define void @tables(ptr addrspace(1) noundef "air-buffer-no-alias" %0, i32 noundef %1) convergent nounwind "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "no-builtins" {
  %3 = alloca [20 x i32], align 4
  call void @llvm.memset.p0.i64(ptr %3, i8 0, i64 80, i1 false)
  store i32 1, ptr %3, align 4
  %4 = getelementptr i32, ptr %3, i64 1
  store i32 2, ptr %4, align 4
  %5 = getelementptr i32, ptr %3, i64 2
  store i32 3, ptr %5, align 4
  %6 = urem i32 %1, 20
  %7 = zext i32 %6 to i64
  %8 = getelementptr i32, ptr %3, i64 %7
  %9 = load i32, ptr %8, align 4
  %10 = add i32 %9, 1
  %11 = urem i32 %1, 20
  %12 = zext i32 %11 to i64
  %13 = getelementptr i32, ptr %3, i64 %12
  store i32 %10, ptr %13, align 4
  %14 = and i32 %1, 3
  %15 = zext i32 %14 to i64
  %16 = getelementptr float, ptr addrspace(2) @_ZL7weights, i64 %15
  %17 = load float, ptr addrspace(2) %16, align 4
  %18 = add i32 %1, 1
  %19 = urem i32 %18, 20
  %20 = zext i32 %19 to i64
  %21 = getelementptr i32, ptr %3, i64 %20
  %22 = load i32, ptr %21, align 4
  %23 = call float @air.convert.f.f32.s.i32(i32 %22) nounwind willreturn memory(none)
  %24 = fmul fast float %17, %23
  %25 = zext i32 %1 to i64
  %26 = getelementptr float, ptr addrspace(1) %0, i64 %25
  store float %24, ptr addrspace(1) %26, align 4
  ret void
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

declare float @air.convert.f.f32.s.i32(i32) nofree nosync mustprogress nounwind willreturn memory(none)

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
!15 = !{ptr @tables, !16, !17}
!16 = !{}
!17 = !{!18, !19}
!18 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"x"}
!19 = !{i32 1, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"g"}
