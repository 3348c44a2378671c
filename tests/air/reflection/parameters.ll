source_filename = "parameters.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v28-apple-macosx26.0.0"

%struct.Pair = type { float, float }
%struct.Counters = type { i32, float }
%struct.Pair.0 = type { i32, i32 }

define void @pairs_float(ptr addrspace(1) noundef "air-buffer-no-alias" %0, ptr addrspace(2) noundef align 4 dereferenceable(8) "air-buffer-no-alias" %1, ptr addrspace(2) noundef "air-buffer-no-alias" %2, ptr addrspace(1) noundef "air-buffer-no-alias" %3, ptr addrspace(1) noundef "air-buffer-no-alias" %4, ptr addrspace(2) noundef align 4 dereferenceable(8) "air-buffer-no-alias" %5, ptr addrspace(2) noundef align 4 dereferenceable(4) "air-buffer-no-alias" %6, ptr addrspace(2) noundef "air-buffer-no-alias" %7, i32 noundef %8) convergent nounwind "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "no-builtins" {
  %10 = alloca ptr addrspace(2), align 8
  store ptr addrspace(2) %7, ptr %10, align 8
  %11 = call i32 @_ZNU11MTLconstantK4PairIiE3sumEv(ptr addrspace(2) %5) convergent nounwind
  %12 = load ptr addrspace(2), ptr %10, align 8
  %13 = load i32, ptr addrspace(2) %12, align 4
  %14 = load ptr addrspace(2), ptr %10, align 8
  %15 = load i32, ptr addrspace(2) %6, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr i32, ptr addrspace(2) %14, i64 %16
  store ptr addrspace(2) %17, ptr %10, align 8
  %18 = getelementptr %struct.Pair, ptr addrspace(2) %1, i32 0, i32 0
  %19 = load float, ptr addrspace(2) %18, align 4
  %20 = getelementptr i32, ptr addrspace(2) %2, i64 1
  %21 = load i32, ptr addrspace(2) %20, align 4
  %22 = mul i32 %8, %21
  %23 = add i32 %22, %13
  %24 = zext i32 %23 to i64
  %25 = getelementptr %struct.Pair, ptr addrspace(1) %0, i64 %24
  %26 = getelementptr %struct.Pair, ptr addrspace(1) %25, i32 0, i32 0
  store float %19, ptr addrspace(1) %26, align 4
  %27 = getelementptr %struct.Counters, ptr addrspace(1) %3, i32 0, i32 0
  %28 = call i32 @air.atomic.global.add.u.i32(ptr addrspace(1) %27, i32 1, i32 0, i32 2, i1 true) nounwind willreturn
  %29 = call i32 @air.atomic.global.add.u.i32(ptr addrspace(1) %4, i32 1, i32 0, i32 2, i1 true) nounwind willreturn
  ret void
}

define internal i32 @_ZNU11MTLconstantK4PairIiE3sumEv(ptr addrspace(2) %0) unnamed_addr convergent nounwind "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "no-builtins" {
  %2 = getelementptr %struct.Pair.0, ptr addrspace(2) %0, i32 0, i32 0
  %3 = load i32, ptr addrspace(2) %2, align 4
  %4 = getelementptr %struct.Pair.0, ptr addrspace(2) %0, i32 0, i32 1
  %5 = load i32, ptr addrspace(2) %4, align 4
  %6 = add i32 %3, %5
  ret i32 %6
}

declare i32 @air.atomic.global.add.u.i32(ptr addrspace(1), i32, i32, i32, i1) mustprogress nounwind willreturn

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
!15 = !{ptr @pairs_float, !16, !17}
!16 = !{}
!17 = !{!18, !20, !22, !23, !26, !28, !30, !31, !32}
!18 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.struct_type_info", !19, !"air.arg_type_size", i32 8, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"Pair<float>", !"air.arg_name", !"out"}
!19 = !{i32 0, i32 4, i32 0, !"float", !"first", i32 4, i32 4, i32 0, !"float", !"second"}
!20 = !{i32 1, !"air.buffer", !"air.buffer_size", i32 8, !"air.location_index", i32 1, i32 1, !"air.read", !"air.address_space", i32 2, !"air.struct_type_info", !21, !"air.arg_type_size", i32 8, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"Pair", !"air.arg_name", !"written"}
!21 = !{i32 0, i32 4, i32 0, !"float", !"first", i32 4, i32 4, i32 0, !"float", !"second"}
!22 = !{i32 2, !"air.buffer", !"air.buffer_size", i32 12, !"air.location_index", i32 2, i32 1, !"air.read", !"air.address_space", i32 2, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"int", !"air.arg_name", !"strides"}
!23 = !{i32 3, !"air.buffer", !"air.location_index", i32 3, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.struct_type_info", !24, !"air.arg_type_size", i32 8, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"Counters", !"air.arg_name", !"counters"}
!24 = !{!"air.struct_type_info", !25, i32 0, i32 4, i32 0, !"metal::_atomic", !"count", i32 4, i32 4, i32 0, !"float", !"rest"}
!25 = !{i32 0, i32 4, i32 0, !"uint", !"__s"}
!26 = !{i32 4, !"air.buffer", !"air.location_index", i32 4, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.struct_type_info", !27, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"metal::_atomic", !"air.arg_name", !"total"}
!27 = !{i32 0, i32 4, i32 0, !"uint", !"__s"}
!28 = !{i32 5, !"air.buffer", !"air.buffer_size", i32 8, !"air.location_index", i32 5, i32 1, !"air.read", !"air.address_space", i32 2, !"air.struct_type_info", !29, !"air.arg_type_size", i32 8, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"Pair", !"air.arg_name", !"only_summed", !"air.arg_unused"}
!29 = !{i32 0, i32 4, i32 0, !"int", !"first", i32 4, i32 4, i32 0, !"int", !"second"}
!30 = !{i32 6, !"air.buffer", !"air.buffer_size", i32 4, !"air.location_index", i32 6, i32 1, !"air.read", !"air.address_space", i32 2, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"int", !"air.arg_name", !"only_added", !"air.arg_unused"}
!31 = !{i32 7, !"air.buffer", !"air.location_index", i32 7, i32 1, !"air.read", !"air.address_space", i32 2, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"int", !"air.arg_name", !"numbers"}
!32 = !{i32 8, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"i"}
