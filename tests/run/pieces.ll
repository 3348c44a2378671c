; Each lane moves four neighbouring words to and from a place of its own.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %r = xor i32 %g, 21
  %i4 = shl i32 %r, 2
  %j64 = zext i32 %i4 to i64
  %p0 = getelementptr i32, ptr addrspace(1) %in, i64 %j64
  %a0 = load i32, ptr addrspace(1) %p0, align 4
  %p1 = getelementptr i32, ptr addrspace(1) %p0, i64 1
  %a1 = load i32, ptr addrspace(1) %p1, align 4
  %p2 = getelementptr i32, ptr addrspace(1) %p0, i64 2
  %a2 = load i32, ptr addrspace(1) %p2, align 4
  %p3 = getelementptr i32, ptr addrspace(1) %p0, i64 3
  %a3 = load i32, ptr addrspace(1) %p3, align 4
  %q0 = getelementptr i32, ptr addrspace(1) %out, i64 %j64
  store i32 %a0, ptr addrspace(1) %q0, align 4
  %q1 = getelementptr i32, ptr addrspace(1) %q0, i64 1
  store i32 %a1, ptr addrspace(1) %q1, align 4
  %q2 = getelementptr i32, ptr addrspace(1) %q0, i64 2
  store i32 %a2, ptr addrspace(1) %q2, align 4
  %q3 = getelementptr i32, ptr addrspace(1) %q0, i64 3
  store i32 %a3, ptr addrspace(1) %q3, align 4
  ret void
}
