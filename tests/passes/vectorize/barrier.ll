; shape: linear full
; A threadgroup barrier is a call that gives the other simdgroups their turn.
@shared = internal addrspace(3) global [256 x i32] undef, align 4
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %l64 = zext i32 %lid to i64
  %mine = getelementptr [256 x i32], ptr addrspace(3) @shared, i64 0, i64 %l64
  store i32 %lane, ptr addrspace(3) %mine, align 4
  call void @air.wg.barrier(i32 2, i32 1)
  %back = sub i64 255, %l64
  %other = getelementptr [256 x i32], ptr addrspace(3) @shared, i64 0, i64 %back
  %x = load i32, ptr addrspace(3) %other, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %l64
  store i32 %x, ptr addrspace(1) %dst, align 4
  ret void
}
declare void @air.wg.barrier(i32, i32)
; ----------------------------------------------------------------------------
target triple = "air64_v26-apple-macosx14.0.0"

define void @mw_kernel(ptr %0, ptr %1) {
  %3 = getelementptr i8, ptr %0, i64 96
  %4 = load ptr, ptr %3, align 8
  br label %5

5:
  %6 = getelementptr ptr, ptr %1, i64 0
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr ptr, ptr %1, i64 1
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr i8, ptr %0, i64 0
  %11 = load i32, ptr %10, align 4
  %12 = getelementptr i8, ptr %0, i64 24
  %13 = load i32, ptr %12, align 4
  %14 = mul i32 %11, %13
  %15 = getelementptr i8, ptr %0, i64 76
  %16 = load i32, ptr %15, align 4
  %17 = add i32 %14, %16
  %18 = getelementptr i8, ptr %0, i64 60
  %19 = load i32, ptr %18, align 4
  %20 = mul i32 %19, 32
  %21 = getelementptr i8, ptr %0, i64 60
  %22 = load i32, ptr %21, align 4
  %23 = zext i32 %20 to i64
  %24 = getelementptr i8, ptr %4, i64 0
  %25 = getelementptr [256 x i32], ptr %24, i64 0, i64 %23
  %26 = add <32 x i32> zeroinitializer, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %26, ptr align 4 %25, <32 x i1> splat (i1 true))
  call void @mw_barrier(ptr %0)
  %27 = sub i64 255, %23
  %28 = getelementptr i8, ptr %4, i64 0
  %29 = getelementptr [256 x i32], ptr %28, i64 0, i64 %27
  %30 = getelementptr i8, ptr %29, <32 x i32> <i32 0, i32 -4, i32 -8, i32 -12, i32 -16, i32 -20, i32 -24, i32 -28, i32 -32, i32 -36, i32 -40, i32 -44, i32 -48, i32 -52, i32 -56, i32 -60, i32 -64, i32 -68, i32 -72, i32 -76, i32 -80, i32 -84, i32 -88, i32 -92, i32 -96, i32 -100, i32 -104, i32 -108, i32 -112, i32 -116, i32 -120, i32 -124>
  %31 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %30, <32 x i1> splat (i1 true), <32 x i32> zeroinitializer)
  %32 = getelementptr i32, ptr %7, i64 %23
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %31, ptr align 4 %32, <32 x i1> splat (i1 true))
  ret void
}

declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)

declare void @mw_barrier(ptr)

declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>)
