; A kernel with a bit of everything that an engine implements itself.
@shared = internal addrspace(3) global [256 x float] undef, align 4
declare void @air.wg.barrier(i32, i32) convergent nounwind willreturn
declare float @air.simd_sum.f32(float) convergent nounwind willreturn
declare float @air.exp.f32(float) nounwind memory(none)
declare half @air.convert.f.f16.f.f32(float) nounwind memory(none)
declare float @air.convert.f.f32.f.f16(half) nounwind memory(none)
declare float @llvm.fma.f32(float, float, float)
declare i32 @air.atomic.global.add.u.i32(ptr addrspace(1), i32, i32, i32, i1) nounwind

define void @mix(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(1) %count, i32 %id, i32 %local, i32 %size) convergent nounwind {
  %wide = zext i32 %id to i64
  %from = getelementptr float, ptr addrspace(1) %in, i64 %wide
  %x = load float, ptr addrspace(1) %from, align 4
  %e = call float @air.exp.f32(float %x)
  %h = call half @air.convert.f.f16.f.f32(float %e)
  %r = call float @air.convert.f.f32.f.f16(half %h)
  %local64 = zext i32 %local to i64
  %mine = getelementptr [256 x float], ptr addrspace(3) @shared, i64 0, i64 %local64
  store float %r, ptr addrspace(3) %mine, align 4
  call void @air.wg.barrier(i32 2, i32 1)
  %after = add i32 %local, 33
  %other = urem i32 %after, %size
  %other64 = zext i32 %other to i64
  %theirs = getelementptr [256 x float], ptr addrspace(3) @shared, i64 0, i64 %other64
  %y = load float, ptr addrspace(3) %theirs, align 4
  %odd = and i32 %id, 3
  %some = icmp eq i32 %odd, 1
  br i1 %some, label %sum, label %join
sum:
  %s = call float @air.simd_sum.f32(float %y)
  %old = call i32 @air.atomic.global.add.u.i32(ptr addrspace(1) %count, i32 1, i32 0, i32 2, i1 true)
  br label %join
join:
  %z = phi float [ %y, %0 ], [ %s, %sum ]
  %q = sdiv i32 %id, %odd
  %qf = sitofp i32 %q to float
  %m = call float @llvm.fma.f32(float %x, float %z, float %qf)
  %to = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %m, ptr addrspace(1) %to, align 4
  ret void
}

!air.kernel = !{!0}
!air.version = !{!20}
!air.language_version = !{!21}
!air.compile_options = !{!22}
!0 = !{ptr @mix, !1, !2}
!1 = !{}
!2 = !{!3, !4, !5, !6, !7, !8}
!3 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"in"}
!4 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"out"}
!5 = !{i32 2, !"air.buffer", !"air.location_index", i32 2, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"uint", !"air.arg_name", !"count"}
!6 = !{i32 3, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"id"}
!7 = !{i32 4, !"air.thread_index_in_threadgroup", !"air.arg_type_name", !"uint", !"air.arg_name", !"local"}
!8 = !{i32 5, !"air.threads_per_threadgroup", !"air.arg_type_name", !"uint", !"air.arg_name", !"size"}
!20 = !{i32 2, i32 6, i32 0}
!21 = !{!"Metal", i32 3, i32 1, i32 0}
!22 = !{!"air.compile.denorms_disable"}
