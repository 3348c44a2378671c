; Tiles read from memory and from lanes, multiplied side by side in a loop.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %r0 = lshr i32 %lane, 2
  %r1 = and i32 %r0, 4
  %r2 = lshr i32 %lane, 1
  %r3 = and i32 %r2, 3
  %row = or disjoint i32 %r1, %r3
  %c0 = shl i32 %r0, 1
  %c1 = and i32 %c0, 4
  %c2 = shl i32 %lane, 1
  %c3 = and i32 %c2, 2
  %col = or disjoint i32 %c1, %c3
  %l0 = shl i32 %row, 4
  %l1 = add i32 %l0, %col
  %l64 = zext i32 %l1 to i64
  %base = getelementptr i32, ptr addrspace(1) %in, i64 %l64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %x0 = phi <64 x float> [ zeroinitializer, %entry ], [ %m0, %loop ]
  %x1 = phi <64 x float> [ zeroinitializer, %entry ], [ %m1, %loop ]
  %o = shl i32 %i, 8
  %o64 = zext i32 %o to i64
  %pa = getelementptr i32, ptr addrspace(1) %base, i64 %o64
  %pb = getelementptr i32, ptr addrspace(1) %pa, i64 1
  %ia = load i32, ptr addrspace(1) %pa, align 4
  %ib = load i32, ptr addrspace(1) %pb, align 4
  %fa = call float @air.convert.f.f32.s.i32(i32 %ia)
  %fb = call float @air.convert.f.f32.s.i32(i32 %ib)
  %sa = fmul float %fa, 0x3E00000000000000
  %sb = fmul float %fb, 0x3E00000000000000
  %v0 = insertelement <2 x float> poison, float %sa, i32 0
  %v1 = insertelement <2 x float> %v0, float %sb, i32 1
  %a = shufflevector <2 x float> %v1, <2 x float> poison, <64 x i32> <i32 0, i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %b = call <64 x float> @air.simdgroup_matrix_8x8_init_diag.v64f32.f32(float 0x3FE8000000000000)
  %m0 = call <64 x float> @air.simdgroup_matrix_8x8_multiply_accumulate.v64f32.v64f32.v64f32.v64f32(<64 x float> %a, <64 x float> %b, <64 x float> %x0)
  %m1 = call <64 x float> @air.simdgroup_matrix_8x8_multiply_accumulate.v64f32.v64f32.v64f32.v64f32(<64 x float> %a, <64 x float> %a, <64 x float> %x1)
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i1, 3
  br i1 %c, label %loop, label %done
done:
  %y0 = phi <64 x float> [ %m0, %loop ]
  %y1 = phi <64 x float> [ %m1, %loop ]
  %e0 = extractelement <64 x float> %y0, i32 0
  %e1 = extractelement <64 x float> %y0, i32 1
  %e2 = extractelement <64 x float> %y1, i32 0
  %e3 = extractelement <64 x float> %y1, i32 1
  %t0 = fadd float %e0, %e1
  %t1 = fadd float %e2, %e3
  %t = fadd float %t0, %t1
  %w = bitcast float %t to i32
  store i32 %w, ptr addrspace(1) %dst, align 4
  ret void
}
declare float @air.convert.f.f32.s.i32(i32)
declare <64 x float> @air.simdgroup_matrix_8x8_init_diag.v64f32.f32(float)
declare <64 x float> @air.simdgroup_matrix_8x8_multiply_accumulate.v64f32.v64f32.v64f32.v64f32(<64 x float>, <64 x float>, <64 x float>)
