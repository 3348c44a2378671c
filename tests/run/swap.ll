; Two values that change places in every iteration of a divergent loop.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %n = and i32 %x, 7
  br label %loop
loop:
  %a = phi i32 [ %x, %entry ], [ %b, %loop ]
  %b = phi i32 [ 99, %entry ], [ %a, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %i1 = add i32 %i, 1
  %c = icmp ule i32 %i1, %n
  br i1 %c, label %loop, label %done
done:
  %ra = phi i32 [ %a, %loop ]
  %rb = phi i32 [ %b, %loop ]
  %d = sub i32 %ra, %rb
  store i32 %d, ptr addrspace(1) %dst, align 4
  ret void
}
