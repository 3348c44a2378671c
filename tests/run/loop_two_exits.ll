; A loop with two exits that lead to different blocks, and a path that continues.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %n = and i32 %x, 31
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %s = phi i32 [ 1, %entry ], [ %s2, %latch ]
  %e = icmp eq i32 %i, %n
  br i1 %e, label %exit1, label %body
body:
  %s1 = add i32 %s, %i
  %m = urem i32 %s1, 7
  %z = icmp eq i32 %m, 6
  br i1 %z, label %exit2, label %maybe
maybe:
  %o = and i32 %s1, 1
  %oc = icmp eq i32 %o, 0
  br i1 %oc, label %latch, label %odd
odd:
  %so = mul i32 %s1, 5
  br label %latch
latch:
  %s2 = phi i32 [ %s1, %maybe ], [ %so, %odd ]
  %i1 = add i32 %i, 1
  br label %head
exit1:
  %r1 = phi i32 [ %s, %head ]
  %q1 = add i32 %r1, 1000
  br label %join
exit2:
  %r2 = phi i32 [ %s1, %body ]
  %q2 = sub i32 5000, %r2
  br label %join
join:
  %q = phi i32 [ %q1, %exit1 ], [ %q2, %exit2 ]
  store i32 %q, ptr addrspace(1) %dst, align 4
  ret void
}
