source_filename = "threadgroup.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v28-apple-macosx26.0.0"

%struct.Pair = type { float, float }

@_ZZ8exchangePU9MTLdevicefjE6shared = internal unnamed_addr addrspace(3) global [64 x float] undef, align 4

define void @exchange(ptr addrspace(1) noundef "air-buffer-no-alias" %0, i32 noundef %1) convergent nounwind "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "no-builtins" {
  %3 = alloca %struct.Pair, align 4
  %4 = alloca %struct.Pair, align 4
  %5 = zext i32 %1 to i64
  %6 = getelementptr float, ptr addrspace(1) %0, i64 %5
  %7 = load float, ptr addrspace(1) %6, align 4
  %8 = zext i32 %1 to i64
  %9 = getelementptr float, ptr addrspace(3) @_ZZ8exchangePU9MTLdevicefjE6shared, i64 %8
  store float %7, ptr addrspace(3) %9, align 4
  call void @air.wg.barrier(i32 2, i32 1) convergent nounwind willreturn
  %10 = getelementptr %struct.Pair, ptr %4, i32 0, i32 0
  %11 = zext i32 %1 to i64
  %12 = getelementptr float, ptr addrspace(3) @_ZZ8exchangePU9MTLdevicefjE6shared, i64 %11
  %13 = load float, ptr addrspace(3) %12, align 4
  store float %13, ptr %10, align 4
  %14 = getelementptr %struct.Pair, ptr %4, i32 0, i32 1
  %15 = xor i32 %1, 1
  %16 = zext i32 %15 to i64
  %17 = getelementptr float, ptr addrspace(3) @_ZZ8exchangePU9MTLdevicefjE6shared, i64 %16
  %18 = load float, ptr addrspace(3) %17, align 4
  store float %18, ptr %14, align 4
  call void @_Z7ordered4Pair(ptr %3, ptr %4) convergent nounwind
  %19 = and i32 %1, 1
  %20 = icmp ne i32 %19, 0
  br i1 %20, label %21, label %24

21:
  %22 = getelementptr %struct.Pair, ptr %3, i32 0, i32 1
  %23 = load float, ptr %22, align 4
  br label %27

24:
  %25 = getelementptr %struct.Pair, ptr %3, i32 0, i32 0
  %26 = load float, ptr %25, align 4
  br label %27

27:
  %28 = phi float [ %23, %21 ], [ %26, %24 ]
  %29 = zext i32 %1 to i64
  %30 = getelementptr float, ptr addrspace(1) %0, i64 %29
  store float %28, ptr addrspace(1) %30, align 4
  ret void
}

declare void @air.wg.barrier(i32, i32) convergent mustprogress nounwind willreturn

define internal void @_Z7ordered4Pair(ptr %0, ptr %1) unnamed_addr convergent nounwind "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "no-builtins" {
  %3 = getelementptr %struct.Pair, ptr %1, i32 0, i32 0
  %4 = load float, ptr %3, align 4
  %5 = getelementptr %struct.Pair, ptr %1, i32 0, i32 1
  %6 = load float, ptr %5, align 4
  %7 = fcmp fast ogt float %4, %6
  br i1 %7, label %8, label %15

8:
  %9 = getelementptr %struct.Pair, ptr %1, i32 0, i32 0
  %10 = load float, ptr %9, align 4
  %11 = getelementptr %struct.Pair, ptr %1, i32 0, i32 1
  %12 = load float, ptr %11, align 4
  %13 = getelementptr %struct.Pair, ptr %1, i32 0, i32 0
  store float %12, ptr %13, align 4
  %14 = getelementptr %struct.Pair, ptr %1, i32 0, i32 1
  store float %10, ptr %14, align 4
  br label %15

15:
  %16 = load float, ptr %1, align 4
  store float %16, ptr %0, align 4
  %17 = getelementptr i8, ptr %1, i64 4
  %18 = load float, ptr %17, align 4
  %19 = getelementptr i8, ptr %0, i64 4
  store float %18, ptr %19, align 4
  ret void
}

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
!15 = !{ptr @exchange, !16, !17}
!16 = !{}
!17 = !{!18, !19}
!18 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"x"}
!19 = !{i32 1, !"air.thread_index_in_threadgroup", !"air.arg_type_name", !"uint", !"air.arg_name", !"t"}
