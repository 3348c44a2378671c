; Bytes and half words gathered and scattered with a stride.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %r = mul i32 %g, 5
  %s = and i32 %r, 4095
  %s64 = zext i32 %s to i64
  %p8 = getelementptr i8, ptr addrspace(1) %in, i64 %s64
  %b = load i8, ptr addrspace(1) %p8, align 1
  %p16 = getelementptr i16, ptr addrspace(1) %in, i64 %s64
  %h = load i16, ptr addrspace(1) %p16, align 2
  %bw = zext i8 %b to i16
  %m = mul i16 %bw, %h
  %o = mul i32 %g, 3
  %o64 = zext i32 %o to i64
  %q16 = getelementptr i16, ptr addrspace(1) %out, i64 %o64
  store i16 %m, ptr addrspace(1) %q16, align 2
  %e = mul i32 %g, 7
  %e1 = add i32 %e, 40000
  %e64 = zext i32 %e1 to i64
  %q8 = getelementptr i8, ptr addrspace(1) %out, i64 %e64
  store i8 %b, ptr addrspace(1) %q8, align 1
  ret void
}
