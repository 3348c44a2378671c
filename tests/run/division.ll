; Quotients and remainders by zero and by minus one, in three widths.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %d0 = and i32 %x, 3
  %d = sub i32 %d0, 1
  %top = and i32 %x, 16
  %z = icmp eq i32 %top, 0
  %n = select i1 %z, i32 -2147483648, i32 %x
  %q = sdiv i32 %n, %d
  %r = srem i32 %n, %d
  %uq = udiv i32 %n, %d
  %ur = urem i32 %n, %d
  %n16 = trunc i32 %n to i16
  %d16 = trunc i32 %d to i16
  %q16 = sdiv i16 %n16, %d16
  %qx = sext i16 %q16 to i32
  %n64 = sext i32 %n to i64
  %d64 = sext i32 %d to i64
  %q64 = sdiv i64 %n64, %d64
  %r64 = urem i64 %n64, %d64
  %t64 = xor i64 %q64, %r64
  %t = trunc i64 %t64 to i32
  %a = add i32 %q, %r
  %b = xor i32 %uq, %ur
  %c = add i32 %a, %b
  %e = xor i32 %c, %qx
  %f = add i32 %e, %t
  store i32 %f, ptr addrspace(1) %dst, align 4
  ret void
}
