source_filename = "roles.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v28-apple-macosx26.0.0"

%struct.Params = type { i32, [4 x float], %struct.Inner }
%struct.Inner = type { <3 x float>, i8 }

define void @roles(ptr addrspace(1) noundef "air-buffer-no-alias" %0, ptr addrspace(1) noundef "air-buffer-no-alias" %1, ptr addrspace(2) noundef align 16 dereferenceable(64) "air-buffer-no-alias" %2, ptr addrspace(2) noundef align 4 dereferenceable(4) "air-buffer-no-alias" %3, ptr addrspace(3) noundef "air-buffer-no-alias" %4, <3 x i32> noundef %5, i32 noundef %6, <2 x i16> noundef %7) convergent nounwind "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "no-builtins" "max-work-group-size"="128" {
  %9 = extractelement <3 x i32> %5, i32 0
  %10 = zext i32 %9 to i64
  %11 = getelementptr <4 x float>, ptr addrspace(1) %0, i64 %10
  %12 = getelementptr float, ptr addrspace(1) %11, i64 3
  %13 = load float, ptr addrspace(1) %12, align 4
  %14 = getelementptr %struct.Params, ptr addrspace(2) %2, i32 0, i32 1
  %15 = extractelement <3 x i32> %5, i32 1
  %16 = zext i32 %15 to i64
  %17 = getelementptr float, ptr addrspace(2) %14, i64 %16
  %18 = load float, ptr addrspace(2) %17, align 4
  %19 = getelementptr %struct.Params, ptr addrspace(2) %2, i32 0, i32 2
  %20 = getelementptr %struct.Inner, ptr addrspace(2) %19, i32 0, i32 0
  %21 = getelementptr float, ptr addrspace(2) %20, i64 2
  %22 = load float, ptr addrspace(2) %21, align 4
  %23 = call fast float @llvm.fmuladd.f32(float %13, float %18, float %22)
  %24 = zext i32 %6 to i64
  %25 = getelementptr float, ptr addrspace(3) %4, i64 %24
  store float %23, ptr addrspace(3) %25, align 4
  %26 = zext i32 %6 to i64
  %27 = getelementptr float, ptr addrspace(3) %4, i64 %26
  %28 = load float, ptr addrspace(3) %27, align 4
  %29 = load i32, ptr addrspace(2) %3, align 4
  %30 = call float @air.convert.f.f32.u.i32(i32 %29) nounwind willreturn memory(none)
  %31 = fadd fast float %28, %30
  %32 = extractelement <3 x i32> %5, i32 0
  %33 = zext i32 %32 to i64
  %34 = getelementptr float, ptr addrspace(1) %1, i64 %33
  store float %31, ptr addrspace(1) %34, align 4
  ret void
}

declare float @llvm.fmuladd.f32(float, float, float)

declare float @air.convert.f.f32.u.i32(i32) nofree nosync mustprogress nounwind willreturn memory(none)

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
!15 = !{ptr @roles, !16, !17, !28}
!16 = !{}
!17 = !{!18, !19, !20, !23, !24, !25, !26, !27}
!18 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 16, !"air.arg_type_align_size", i32 16, !"air.arg_type_name", !"float4", !"air.arg_name", !"input"}
!19 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"output"}
!20 = !{i32 2, !"air.buffer", !"air.buffer_size", i32 64, !"air.location_index", i32 2, i32 1, !"air.read", !"air.address_space", i32 2, !"air.struct_type_info", !21, !"air.arg_type_size", i32 64, !"air.arg_type_align_size", i32 16, !"air.arg_type_name", !"Params", !"air.arg_name", !"params"}
!21 = !{i32 0, i32 4, i32 0, !"int", !"count", i32 4, i32 4, i32 4, !"float", !"scale", !"air.struct_type_info", !22, i32 32, i32 32, i32 0, !"Inner", !"inner"}
!22 = !{i32 0, i32 16, i32 0, !"float3", !"at", i32 16, i32 1, i32 0, !"bool", !"flag"}
!23 = !{i32 3, !"air.buffer", !"air.buffer_size", i32 4, !"air.location_index", i32 3, i32 1, !"air.read", !"air.address_space", i32 2, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"uint", !"air.arg_name", !"size"}
!24 = !{i32 4, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 3, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"scratch"}
!25 = !{i32 5, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint3", !"air.arg_name", !"position"}
!26 = !{i32 6, !"air.thread_index_in_simdgroup", !"air.arg_type_name", !"uint", !"air.arg_name", !"lane"}
!27 = !{i32 7, !"air.thread_position_in_threadgroup", !"air.arg_type_name", !"ushort2", !"air.arg_name", !"unused", !"air.arg_unused"}
!28 = !{!"air.max_work_group_size", i32 128}
