; Shuffles by constants and by values, some from lanes that do not run.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %b = and i32 %x, 5
  %c = icmp ne i32 %b, 0
  br i1 %c, label %some, label %done
some:
  %x16 = trunc i32 %x to i16
  %s0 = call i32 @air.simd_shuffle_xor.u.i32(i32 %x, i16 5)
  %s1 = call i32 @air.simd_shuffle_down.u.i32(i32 %x, i16 3)
  %s2 = call i32 @air.simd_shuffle.u.i32(i32 %x, i16 %x16)
  %s3 = call i32 @air.simd_shuffle_and_fill_up.u.i32(i32 %x, i32 %gid, i16 2, i16 16)
  %s4 = call i32 @air.quad_sum.u.i32(i32 %x)
  %s5 = call i32 @air.simd_broadcast_first.u.i32(i32 %x)
  %t0 = add i32 %s0, %s1
  %t1 = xor i32 %t0, %s2
  %t2 = add i32 %t1, %s3
  %t3 = xor i32 %t2, %s4
  %t4 = add i32 %t3, %s5
  store i32 %t4, ptr addrspace(1) %dst, align 4
  br label %done
done:
  ret void
}
declare i32 @air.simd_shuffle_xor.u.i32(i32, i16)
declare i32 @air.simd_shuffle_down.u.i32(i32, i16)
declare i32 @air.simd_shuffle.u.i32(i32, i16)
declare i32 @air.simd_shuffle_and_fill_up.u.i32(i32, i32, i16, i16)
declare i32 @air.quad_sum.u.i32(i32)
declare i32 @air.simd_broadcast_first.u.i32(i32)
