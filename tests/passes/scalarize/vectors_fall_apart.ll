; Each component of a vector becomes a value of its own; loads and stores split, aligned as the element.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g64 = zext i32 %gid to i64
  %src = getelementptr <4 x float>, ptr addrspace(1) %in, i64 %g64
  %v = load <4 x float>, ptr addrspace(1) %src, align 16
  %w = fmul <4 x float> %v, <float 1.0, float 2.0, float 3.0, float 4.0>
  %s = shufflevector <4 x float> %w, <4 x float> poison, <2 x i32> <i32 3, i32 1>
  %t = insertelement <2 x float> %s, float 0.0, i64 1
  %dst = getelementptr <2 x float>, ptr addrspace(1) %out, i64 %g64
  store <2 x float> %t, ptr addrspace(1) %dst, align 8
  ret void
}
; ----------------------------------------------------------------------------
target triple = "air64_v26-apple-macosx14.0.0"

define void @k(ptr addrspace(1) %0, ptr addrspace(1) %1, i32 %2, i32 %3, i32 %4, i32 %5) {
  %7 = call i32 @mw.builtin.thread_position_in_grid.0()
  %8 = call i32 @mw.builtin.thread_index_in_threadgroup.0()
  %9 = call i32 @mw.builtin.thread_index_in_simdgroup.0()
  %10 = call i32 @mw.builtin.simdgroup_index_in_threadgroup.0()
  %11 = zext i32 %7 to i64
  %12 = getelementptr <4 x float>, ptr addrspace(1) %1, i64 %11
  %13 = load float, ptr addrspace(1) %12, align 16
  %14 = getelementptr inbounds i8, ptr addrspace(1) %12, i64 4
  %15 = load float, ptr addrspace(1) %14, align 4
  %16 = getelementptr inbounds i8, ptr addrspace(1) %12, i64 8
  %17 = load float, ptr addrspace(1) %16, align 8
  %18 = getelementptr inbounds i8, ptr addrspace(1) %12, i64 12
  %19 = load float, ptr addrspace(1) %18, align 4
  %20 = fmul float %13, 0x3FF0000000000000
  %21 = fmul float %15, 0x4000000000000000
  %22 = fmul float %17, 0x4008000000000000
  %23 = fmul float %19, 0x4010000000000000
  %24 = getelementptr <2 x float>, ptr addrspace(1) %0, i64 %11
  store float %23, ptr addrspace(1) %24, align 8
  %25 = getelementptr inbounds i8, ptr addrspace(1) %24, i64 4
  store float 0x0000000000000000, ptr addrspace(1) %25, align 4
  ret void
}

declare i32 @mw.builtin.thread_position_in_grid.0()

declare i32 @mw.builtin.thread_index_in_threadgroup.0()

declare i32 @mw.builtin.thread_index_in_simdgroup.0()

declare i32 @mw.builtin.simdgroup_index_in_threadgroup.0()
