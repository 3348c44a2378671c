; A block that two conditions lead to: an unstructured join.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %b0 = and i32 %x, 1
  %c0 = icmp eq i32 %b0, 0
  br i1 %c0, label %yes, label %second
second:
  %b1 = and i32 %x, 4
  %c1 = icmp eq i32 %b1, 0
  br i1 %c1, label %yes, label %no
yes:
  %w = phi i32 [ 1, %entry ], [ 2, %second ]
  %s = call i32 @air.simd_sum.u.i32(i32 %w)
  %v = add i32 %s, %x
  br label %join
no:
  %u = mul i32 %x, 13
  br label %join
join:
  %r = phi i32 [ %v, %yes ], [ %u, %no ]
  store i32 %r, ptr addrspace(1) %dst, align 4
  ret void
}
declare i32 @air.simd_sum.u.i32(i32)
