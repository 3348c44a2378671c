source_filename = "vectors.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v28-apple-macosx26.0.0"

%struct.Mixed = type { i8, [3 x float], <3 x float>, <2 x i8> }

define void @vectors(ptr addrspace(1) noundef "air-buffer-no-alias" %0, i32 noundef %1) convergent nounwind "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "no-builtins" {
  %3 = alloca %struct.Mixed, align 16
  %4 = zext i32 %1 to i64
  %5 = getelementptr %struct.Mixed, ptr addrspace(1) %0, i64 %4
  %6 = load i8, ptr addrspace(1) %5, align 16
  %7 = trunc i8 %6 to i1
  %8 = zext i1 %7 to i8
  store i8 %8, ptr %3, align 16
  %9 = getelementptr i8, ptr addrspace(1) %5, i64 4
  %10 = load <3 x float>, ptr addrspace(1) %9, align 4
  %11 = getelementptr i8, ptr %3, i64 4
  store <3 x float> %10, ptr %11, align 4
  %12 = getelementptr i8, ptr addrspace(1) %5, i64 16
  %13 = load <3 x float>, ptr addrspace(1) %12, align 16
  %14 = getelementptr i8, ptr %3, i64 16
  store <3 x float> %13, ptr %14, align 16
  %15 = getelementptr i8, ptr addrspace(1) %5, i64 32
  %16 = load <2 x i8>, ptr addrspace(1) %15, align 16
  %17 = trunc <2 x i8> %16 to <2 x i1>
  %18 = getelementptr i8, ptr %3, i64 32
  %19 = zext <2 x i1> %17 to <2 x i8>
  store <2 x i8> %19, ptr %18, align 16
  %20 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 1
  %21 = getelementptr float, ptr %20, i64 1
  %22 = load float, ptr %21, align 4
  %23 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 1
  %24 = load float, ptr %23, align 4
  %25 = insertelement <2 x float> poison, float %22, i32 0
  %26 = insertelement <2 x float> %25, float %24, i32 1
  %27 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 2
  %28 = extractelement <2 x float> %26, i32 0
  %29 = getelementptr float, ptr %27, i64 2
  store float %28, ptr %29, align 4
  %30 = extractelement <2 x float> %26, i32 1
  store float %30, ptr %27, align 4
  %31 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 2
  %32 = load float, ptr %31, align 4
  %33 = insertelement <3 x float> poison, float %32, i32 0
  %34 = shufflevector <3 x float> %33, <3 x float> poison, <3 x i32> zeroinitializer
  %35 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 1
  %36 = load <3 x float>, ptr %35, align 4
  %37 = fadd fast <3 x float> %34, %36
  %38 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 1
  store <3 x float> %37, ptr %38, align 4
  %39 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 0
  %40 = load i8, ptr %39, align 1
  %41 = trunc i8 %40 to i1
  %42 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 0
  %43 = load i8, ptr %42, align 1
  %44 = trunc i8 %43 to i1
  %45 = xor i1 %44, true
  %46 = insertelement <2 x i1> poison, i1 %41, i32 0
  %47 = insertelement <2 x i1> %46, i1 %45, i32 1
  %48 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 3
  %49 = zext <2 x i1> %47 to <2 x i8>
  store <2 x i8> %49, ptr %48, align 2
  %50 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 3
  %51 = load <2 x i8>, ptr %50, align 2
  %52 = trunc <2 x i8> %51 to <2 x i1>
  %53 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 2
  %54 = load float, ptr %53, align 4
  %55 = getelementptr float, ptr %53, i64 1
  %56 = load float, ptr %55, align 4
  %57 = insertelement <2 x float> poison, float %54, i32 0
  %58 = insertelement <2 x float> %57, float %56, i32 1
  %59 = fcmp fast ogt <2 x float> %58, splat (float 0x3FF0000000000000)
  %60 = and <2 x i1> %52, %59
  %61 = call i1 @air.any.v2i1(<2 x i1> %60) nounwind willreturn memory(none)
  %62 = getelementptr %struct.Mixed, ptr %3, i32 0, i32 0
  %63 = zext i1 %61 to i8
  store i8 %63, ptr %62, align 1
  %64 = zext i32 %1 to i64
  %65 = getelementptr %struct.Mixed, ptr addrspace(1) %0, i64 %64
  %66 = load i8, ptr %3, align 16
  %67 = trunc i8 %66 to i1
  %68 = zext i1 %67 to i8
  store i8 %68, ptr addrspace(1) %65, align 16
  %69 = getelementptr i8, ptr %3, i64 4
  %70 = load <3 x float>, ptr %69, align 4
  %71 = getelementptr i8, ptr addrspace(1) %65, i64 4
  store <3 x float> %70, ptr addrspace(1) %71, align 4
  %72 = getelementptr i8, ptr %3, i64 16
  %73 = load <3 x float>, ptr %72, align 16
  %74 = getelementptr i8, ptr addrspace(1) %65, i64 16
  store <3 x float> %73, ptr addrspace(1) %74, align 16
  %75 = getelementptr i8, ptr %3, i64 32
  %76 = load <2 x i8>, ptr %75, align 16
  %77 = trunc <2 x i8> %76 to <2 x i1>
  %78 = getelementptr i8, ptr addrspace(1) %65, i64 32
  %79 = zext <2 x i1> %77 to <2 x i8>
  store <2 x i8> %79, ptr addrspace(1) %78, align 16
  ret void
}

declare i1 @air.any.v2i1(<2 x i1>) nofree nosync mustprogress nounwind willreturn memory(none)

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
!15 = !{ptr @vectors, !16, !17}
!16 = !{}
!17 = !{!18, !20}
!18 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.struct_type_info", !19, !"air.arg_type_size", i32 48, !"air.arg_type_align_size", i32 16, !"air.arg_type_name", !"Mixed", !"air.arg_name", !"x"}
!19 = !{i32 0, i32 1, i32 0, !"bool", !"flag", i32 4, i32 12, i32 0, !"packed_float3", !"packed", i32 16, i32 16, i32 0, !"float3", !"wide", i32 32, i32 2, i32 0, !"bool2", !"flags"}
!20 = !{i32 1, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"g"}
