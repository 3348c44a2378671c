; A tile copied to threadgroup memory by a whole simdgroup, some of it from outside the source.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %ev = alloca ptr, align 8
  %s = and i32 %group, 7
  %s64 = zext i32 %s to i64
  %t = getelementptr [8 x [128 x i32]], ptr addrspace(3) @tile, i64 0, i64 %s64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 40
  %e = call ptr @air.simdgroup_async_copy_2d.p3i8.p1i8(i64 4, i64 4, ptr addrspace(3) %t, i64 16, i64 1, <2 x i64> <i64 16, i64 8>, ptr addrspace(1) %src, i64 20, i64 1, <2 x i64> <i64 15, i64 6>, <2 x i64> <i64 -2, i64 1>, i32 0)
  store ptr %e, ptr %ev, align 8
  call void @air.wait_simdgroup_events(i32 1, ptr %ev)
  %l0 = mul i32 %lane, 3
  %l64 = zext i32 %l0 to i64
  %p = getelementptr i32, ptr addrspace(3) %t, i64 %l64
  %v = load i32, ptr addrspace(3) %p, align 4
  store i32 %v, ptr addrspace(1) %dst, align 4
  ret void
}
@tile = internal addrspace(3) global [8 x [128 x i32]] zeroinitializer, align 16
declare ptr @air.simdgroup_async_copy_2d.p3i8.p1i8(i64, i64, ptr addrspace(3), i64, i64, <2 x i64>, ptr addrspace(1), i64, i64, <2 x i64>, <2 x i64>, i32)
declare void @air.wait_simdgroup_events(i32, ptr)
