source_filename = "conversions.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v28-apple-macosx26.0.0"

define void @conversions(ptr addrspace(1) noundef "air-buffer-no-alias" %0, ptr addrspace(1) noundef "air-buffer-no-alias" %1, ptr addrspace(1) noundef "air-buffer-no-alias" %2, ptr addrspace(1) noundef "air-buffer-no-alias" %3, ptr addrspace(1) noundef "air-buffer-no-alias" %4, i32 noundef %5) convergent nounwind "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "no-builtins" {
  %7 = zext i32 %5 to i64
  %8 = getelementptr i32, ptr addrspace(1) %2, i64 %7
  %9 = load i32, ptr addrspace(1) %8, align 4
  %10 = call float @air.convert.f.f32.s.i32(i32 %9) nounwind willreturn memory(none)
  %11 = zext i32 %5 to i64
  %12 = getelementptr i8, ptr addrspace(1) %3, i64 %11
  %13 = load i8, ptr addrspace(1) %12, align 1
  %14 = call float @air.convert.f.f32.u.i8(i8 %13) nounwind willreturn memory(none)
  %15 = fadd fast float %10, %14
  %16 = zext i32 %5 to i64
  %17 = getelementptr bfloat, ptr addrspace(1) %4, i64 %16
  %18 = load bfloat, ptr addrspace(1) %17, align 2
  %19 = fpext bfloat %18 to float
  %20 = fadd fast float %15, %19
  %21 = zext i32 %5 to i64
  %22 = getelementptr float, ptr addrspace(1) %0, i64 %21
  store float %20, ptr addrspace(1) %22, align 4
  %23 = zext i32 %5 to i64
  %24 = getelementptr float, ptr addrspace(1) %0, i64 %23
  %25 = load float, ptr addrspace(1) %24, align 4
  %26 = call i32 @air.convert.s.i32.f.f32(float %25) nounwind willreturn memory(none)
  %27 = zext i32 %5 to i64
  %28 = getelementptr float, ptr addrspace(1) %0, i64 %27
  %29 = load float, ptr addrspace(1) %28, align 4
  %30 = call i1 @air.convert.u.i1.f.f32(float %29) nounwind willreturn memory(none)
  %31 = zext i1 %30 to i32
  %32 = add i32 %26, %31
  %33 = zext i32 %5 to i64
  %34 = getelementptr i32, ptr addrspace(1) %2, i64 %33
  store i32 %32, ptr addrspace(1) %34, align 4
  %35 = zext i32 %5 to i64
  %36 = getelementptr float, ptr addrspace(1) %0, i64 %35
  %37 = load float, ptr addrspace(1) %36, align 4
  %38 = insertelement <4 x float> poison, float %37, i32 0
  %39 = insertelement <4 x float> %38, float 0x3FF0000000000000, i32 1
  %40 = insertelement <4 x float> %39, float 0x4000000000000000, i32 2
  %41 = insertelement <4 x float> %40, float 0x4008000000000000, i32 3
  %42 = call <4 x half> @air.convert.f.v4f16.f.v4f32(<4 x float> %41) nounwind willreturn memory(none)
  %43 = zext i32 %5 to i64
  %44 = getelementptr <4 x half>, ptr addrspace(1) %1, i64 %43
  store <4 x half> %42, ptr addrspace(1) %44, align 8
  %45 = zext i32 %5 to i64
  %46 = getelementptr float, ptr addrspace(1) %0, i64 %45
  %47 = load float, ptr addrspace(1) %46, align 4
  %48 = fptrunc float %47 to bfloat
  %49 = zext i32 %5 to i64
  %50 = getelementptr bfloat, ptr addrspace(1) %4, i64 %49
  store bfloat %48, ptr addrspace(1) %50, align 2
  %51 = zext i32 %5 to i64
  %52 = getelementptr i32, ptr addrspace(1) %2, i64 %51
  %53 = load i32, ptr addrspace(1) %52, align 4
  %54 = and i32 %5, 7
  %55 = and i32 %54, 31
  %56 = ashr i32 %53, %55
  %57 = trunc i32 %56 to i8
  %58 = zext i32 %5 to i64
  %59 = getelementptr i8, ptr addrspace(1) %3, i64 %58
  store i8 %57, ptr addrspace(1) %59, align 1
  ret void
}

declare float @air.convert.f.f32.s.i32(i32) nofree nosync mustprogress nounwind willreturn memory(none)

declare float @air.convert.f.f32.u.i8(i8) nofree nosync mustprogress nounwind willreturn memory(none)

declare i32 @air.convert.s.i32.f.f32(float) nofree nosync mustprogress nounwind willreturn memory(none)

declare i1 @air.convert.u.i1.f.f32(float) nofree nosync mustprogress nounwind willreturn memory(none)

declare <4 x half> @air.convert.f.v4f16.f.v4f32(<4 x float>) nofree nosync mustprogress nounwind willreturn memory(none)

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
!15 = !{ptr @conversions, !16, !17}
!16 = !{}
!17 = !{!18, !19, !20, !21, !22, !23}
!18 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"f"}
!19 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 8, !"air.arg_type_align_size", i32 8, !"air.arg_type_name", !"half4", !"air.arg_name", !"h"}
!20 = !{i32 2, !"air.buffer", !"air.location_index", i32 2, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"int", !"air.arg_name", !"i"}
!21 = !{i32 3, !"air.buffer", !"air.location_index", i32 3, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 1, !"air.arg_type_align_size", i32 1, !"air.arg_type_name", !"uchar", !"air.arg_name", !"u"}
!22 = !{i32 4, !"air.buffer", !"air.location_index", i32 4, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 2, !"air.arg_type_align_size", i32 2, !"air.arg_type_name", !"bfloat", !"air.arg_name", !"b"}
!23 = !{i32 5, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"g"}
