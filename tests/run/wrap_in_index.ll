; A 32-bit index that wraps around between two lanes.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %k = add i32 %g, -16
  %m = shl i32 %k, 28
  %n = lshr i32 %m, 28
  %h = add i32 %n, -3
  %j = add i32 %h, 4294967290
  %t = and i32 %j, 4095
  %t64 = zext i32 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %t64
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = add i32 %lane, -7
  %w64 = zext i32 %w to i64
  %w32 = trunc i64 %w64 to i32
  %z = lshr i64 %w64, 8
  %z32 = trunc i64 %z to i32
  %y = xor i32 %z32, %w32
  %s = add i32 %v, %y
  store i32 %s, ptr addrspace(1) %dst, align 4
  ret void
}
