; Threadgroup memory read back in reverse behind a barrier.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %l64 = zext i32 %lid to i64
  %t = getelementptr [256 x i32], ptr addrspace(3) @tile, i64 0, i64 %l64
  store i32 %x, ptr addrspace(3) %t, align 4
  call void @air.wg.barrier(i32 2, i32 1)
  %f = xor i32 %lid, 1
  %f64 = zext i32 %f to i64
  %u = getelementptr [256 x i32], ptr addrspace(3) @tile, i64 0, i64 %f64
  %v = load i32, ptr addrspace(3) %u, align 4
  call void @air.wg.barrier(i32 2, i32 1)
  store i32 %v, ptr addrspace(1) %dst, align 4
  ret void
}
@tile = internal addrspace(3) global [256 x i32] zeroinitializer, align 4
declare void @air.wg.barrier(i32, i32)
