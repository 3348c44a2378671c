; A 32-bit index that is negative in the lanes that do not use it.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %c = icmp uge i32 %g, 5
  br i1 %c, label %in_range, label %done
in_range:
  %k = add i32 %g, -5
  %k64 = zext i32 %k to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %k64
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %dst, align 4
  br label %done
done:
  ret void
}
