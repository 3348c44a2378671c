; Lanes leave a loop in different iterations; what they leave with is from their own.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %n = and i32 %x, 15
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ %x, %entry ], [ %s1, %loop ]
  %s0 = mul i32 %s, 1664525
  %s1 = add i32 %s0, %i
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i, %n
  br i1 %c, label %loop, label %done
done:
  %r = phi i32 [ %s1, %loop ]
  %k = phi i32 [ %i1, %loop ]
  %t = xor i32 %r, %k
  store i32 %t, ptr addrspace(1) %dst, align 4
  ret void
}
