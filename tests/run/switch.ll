; A divergent switch with a shared case and a default.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %b = and i32 %x, 7
  switch i32 %b, label %other [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %one
    i32 5, label %five
  ]
zero:
  br label %join
one:
  %v1 = mul i32 %x, 9
  br label %join
five:
  %v5 = lshr i32 %x, 3
  br label %one5
one5:
  %w5 = add i32 %v5, 11
  br label %join
other:
  %vo = sub i32 0, %x
  br label %join
join:
  %v = phi i32 [ 42, %zero ], [ %v1, %one ], [ %w5, %one5 ], [ %vo, %other ]
  store i32 %v, ptr addrspace(1) %dst, align 4
  ret void
}
