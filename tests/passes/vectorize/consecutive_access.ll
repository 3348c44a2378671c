; shape: linear full
; Lanes that touch neighbours make one wide load and one wide store; no mask is needed in full simdgroups.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g64 = zext i32 %gid to i64
  %src = getelementptr float, ptr addrspace(1) %in, i64 %g64
  %x = load float, ptr addrspace(1) %src, align 4
  %y = fmul float %x, 2.0
  %dst = getelementptr float, ptr addrspace(1) %out, i64 %g64
  store float %y, ptr addrspace(1) %dst, align 4
  ret void
}
; ----------------------------------------------------------------------------
target triple = "air64_v26-apple-macosx14.0.0"

define void @mw_kernel(ptr %0, ptr %1) {
  br label %3

3:
  %4 = getelementptr ptr, ptr %1, i64 0
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr ptr, ptr %1, i64 1
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr i8, ptr %0, i64 0
  %9 = load i32, ptr %8, align 4
  %10 = getelementptr i8, ptr %0, i64 24
  %11 = load i32, ptr %10, align 4
  %12 = mul i32 %9, %11
  %13 = getelementptr i8, ptr %0, i64 76
  %14 = load i32, ptr %13, align 4
  %15 = add i32 %12, %14
  %16 = getelementptr i8, ptr %0, i64 60
  %17 = load i32, ptr %16, align 4
  %18 = mul i32 %17, 32
  %19 = getelementptr i8, ptr %0, i64 60
  %20 = load i32, ptr %19, align 4
  %21 = zext i32 %15 to i64
  %22 = getelementptr float, ptr %7, i64 %21
  %23 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 4 %22, <32 x i1> splat (i1 true), <32 x i32> zeroinitializer)
  %24 = bitcast <32 x i32> %23 to <32 x float>
  %25 = fmul <32 x float> %24, splat (float 0x4000000000000000)
  %26 = getelementptr float, ptr %5, i64 %21
  %27 = bitcast <32 x float> %25 to <32 x i32>
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %27, ptr align 4 %26, <32 x i1> splat (i1 true))
  ret void
}

declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)

declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
