; A divergent loop inside a uniform one, with a collective in between.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %j1, %olatch ]
  %acc = phi i32 [ 0, %entry ], [ %acc2, %olatch ]
  %sh = lshr i32 %x, %j
  %n = and i32 %sh, 3
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %i1, %inner ]
  %a = phi i32 [ %acc, %outer ], [ %a1, %inner ]
  %a0 = mul i32 %a, 3
  %a1 = add i32 %a0, %j
  %i1 = add i32 %i, 1
  %c = icmp ule i32 %i1, %n
  br i1 %c, label %inner, label %olatch
olatch:
  %a2 = phi i32 [ %a1, %inner ]
  %m = call i32 @air.simd_max.u.i32(i32 %a2)
  %acc2 = xor i32 %m, %a2
  %j1 = add i32 %j, 1
  %oc = icmp ult i32 %j1, 6
  br i1 %oc, label %outer, label %done
done:
  %r = phi i32 [ %acc2, %olatch ]
  store i32 %r, ptr addrspace(1) %dst, align 4
  ret void
}
declare i32 @air.simd_max.u.i32(i32)
