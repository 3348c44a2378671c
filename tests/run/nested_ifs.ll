; Divergent branches inside divergent branches, with values that meet again.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %b0 = and i32 %x, 1
  %c0 = icmp eq i32 %b0, 0
  br i1 %c0, label %a, label %b
a:
  %b1 = and i32 %x, 2
  %c1 = icmp eq i32 %b1, 0
  br i1 %c1, label %aa, label %ab
aa:
  %v0 = mul i32 %x, 3
  br label %aj
ab:
  %v1 = add i32 %x, 7
  br label %aj
aj:
  %v2 = phi i32 [ %v0, %aa ], [ %v1, %ab ]
  br label %join
b:
  %v3 = xor i32 %x, 255
  br label %join
join:
  %v4 = phi i32 [ %v2, %aj ], [ %v3, %b ]
  store i32 %v4, ptr addrspace(1) %dst, align 4
  ret void
}
