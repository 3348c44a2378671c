; Atomic additions, minima and exchanges: on one word for all, and with results.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %o = getelementptr i32, ptr addrspace(1) %out, i64 8192
  %v = and i32 %x, 255
  %old = call i32 @air.atomic.global.add.u.i32(ptr addrspace(1) %o, i32 %v, i32 0, i32 2, i1 true)
  %h = and i32 %x, 15
  %h64 = zext i32 %h to i64
  %p = getelementptr i32, ptr addrspace(1) %o, i64 %h64
  %q = getelementptr i32, ptr addrspace(1) %p, i64 64
  %m = call i32 @air.atomic.global.max.u.i32(ptr addrspace(1) %q, i32 %x, i32 0, i32 2, i1 true)
  store i32 1, ptr addrspace(1) %dst, align 4
  ret void
}
declare i32 @air.atomic.global.add.u.i32(ptr addrspace(1), i32, i32, i32, i1)
declare i32 @air.atomic.global.max.u.i32(ptr addrspace(1), i32, i32, i32, i1)
