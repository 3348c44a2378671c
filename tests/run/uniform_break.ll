; A uniform loop with a uniform break: the value behind it depends on the way out.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %n = load i32, ptr addrspace(1) %in, align 4
  %k = and i32 %n, 7
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %s = phi i32 [ %x, %entry ], [ %s1, %body ]
  %e = icmp eq i32 %i, %k
  br i1 %e, label %left, label %body
body:
  %s0 = mul i32 %s, 7
  %s1 = add i32 %s0, %i
  %i1 = add i32 %i, 1
  %f = icmp eq i32 %i1, 5
  br i1 %f, label %right, label %head
left:
  %l = phi i32 [ %s, %head ]
  br label %join
right:
  %r0 = phi i32 [ %s1, %body ]
  %r = xor i32 %r0, 1
  br label %join
join:
  %v = phi i32 [ %l, %left ], [ %r, %right ]
  store i32 %v, ptr addrspace(1) %dst, align 4
  ret void
}
