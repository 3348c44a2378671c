; A private array with an index that differs between lanes.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %p = alloca [8 x i32], align 4
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %q = getelementptr [8 x i32], ptr %p, i64 0, i64 %i
  %it = trunc i64 %i to i32
  %v = mul i32 %it, %x
  store i32 %v, ptr %q, align 4
  %i1 = add i64 %i, 1
  %c = icmp ult i64 %i1, 8
  br i1 %c, label %fill, label %pick
pick:
  %k = and i32 %x, 7
  %k64 = zext i32 %k to i64
  %r = getelementptr [8 x i32], ptr %p, i64 0, i64 %k64
  store i32 12345, ptr %r, align 4
  %y = lshr i32 %x, 3
  %k2 = and i32 %y, 7
  %k264 = zext i32 %k2 to i64
  %r2 = getelementptr [8 x i32], ptr %p, i64 0, i64 %k264
  %w = load i32, ptr %r2, align 4
  store i32 %w, ptr addrspace(1) %dst, align 4
  ret void
}
