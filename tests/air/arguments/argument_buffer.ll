source_filename = "argument_buffer.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v28-apple-macosx26.0.0"

%struct.Pointers = type { ptr addrspace(1), ptr addrspace(2), [3 x ptr addrspace(1)] }

define void @gather(ptr addrspace(2) noundef align 8 dereferenceable(40) "air-buffer-no-alias" %0, i32 noundef %1) convergent nounwind "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "no-builtins" {
  %3 = getelementptr %struct.Pointers, ptr addrspace(2) %0, i32 0, i32 1
  %4 = load ptr addrspace(2), ptr addrspace(2) %3, align 8
  %5 = load i32, ptr addrspace(2) %4, align 4
  %6 = getelementptr %struct.Pointers, ptr addrspace(2) %0, i32 0, i32 2
  %7 = getelementptr ptr addrspace(1), ptr addrspace(2) %6, i64 1
  %8 = load ptr addrspace(1), ptr addrspace(2) %7, align 8
  %9 = zext i32 %1 to i64
  %10 = getelementptr i8, ptr addrspace(1) %8, i64 %9
  %11 = load i8, ptr addrspace(1) %10, align 1
  %12 = zext i8 %11 to i32
  %13 = add i32 %5, %12
  %14 = call float @air.convert.f.f32.s.i32(i32 %13) nounwind willreturn memory(none)
  %15 = getelementptr %struct.Pointers, ptr addrspace(2) %0, i32 0, i32 0
  %16 = load ptr addrspace(1), ptr addrspace(2) %15, align 8
  %17 = zext i32 %1 to i64
  %18 = getelementptr float, ptr addrspace(1) %16, i64 %17
  store float %14, ptr addrspace(1) %18, align 4
  ret void
}

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
!15 = !{ptr @gather, !16, !17}
!16 = !{}
!17 = !{!18, !23}
!18 = !{i32 0, !"air.indirect_buffer", !"air.buffer_size", i32 40, !"air.location_index", i32 0, i32 1, !"air.read", !"air.address_space", i32 2, !"air.struct_type_info", !19, !"air.arg_type_size", i32 40, !"air.arg_type_align_size", i32 8, !"air.arg_type_name", !"Pointers", !"air.arg_name", !"pointers"}
!19 = !{i32 0, i32 8, i32 0, !"float", !"x", !"air.indirect_argument", !20, i32 8, i32 8, i32 0, !"int", !"n", !"air.indirect_argument", !21, i32 16, i32 8, i32 3, !"uchar", !"list", !"air.indirect_argument", !22}
!20 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"x"}
!21 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read", !"air.address_space", i32 2, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"int", !"air.arg_name", !"n"}
!22 = !{i32 2, !"air.buffer", !"air.location_index", i32 2, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 1, !"air.arg_type_align_size", i32 1, !"air.arg_type_name", !"uchar", !"air.arg_name", !"list"}
!23 = !{i32 1, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"g"}
