; Some lanes return; the others reduce among themselves.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %b = and i32 %x, 3
  %c = icmp eq i32 %b, 0
  br i1 %c, label %gone, label %stay
gone:
  store i32 77, ptr addrspace(1) %dst, align 4
  ret void
stay:
  %r = call i32 @air.simd_sum.u.i32(i32 %x)
  %p = call i32 @air.simd_prefix_exclusive_sum.u.i32(i32 %x)
  %t = xor i32 %r, %p
  store i32 %t, ptr addrspace(1) %dst, align 4
  ret void
}
declare i32 @air.simd_sum.u.i32(i32)
declare i32 @air.simd_prefix_exclusive_sum.u.i32(i32)
