; shape: linear
; The last simdgroup of a threadgroup may have fewer lanes: memory is touched under a mask.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g64 = zext i32 %gid to i64
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  store i32 %lane, ptr addrspace(1) %dst, align 4
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
  %8 = getelementptr i8, ptr %0, i64 72
  %9 = load i32, ptr %8, align 4
  %10 = insertelement <32 x i32> poison, i32 %9, i32 0
  %11 = shufflevector <32 x i32> %10, <32 x i32> poison, <32 x i32> zeroinitializer
  %12 = icmp ult <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %11
  %13 = getelementptr i8, ptr %0, i64 0
  %14 = load i32, ptr %13, align 4
  %15 = getelementptr i8, ptr %0, i64 24
  %16 = load i32, ptr %15, align 4
  %17 = mul i32 %14, %16
  %18 = getelementptr i8, ptr %0, i64 76
  %19 = load i32, ptr %18, align 4
  %20 = add i32 %17, %19
  %21 = getelementptr i8, ptr %0, i64 60
  %22 = load i32, ptr %21, align 4
  %23 = mul i32 %22, 32
  %24 = getelementptr i8, ptr %0, i64 60
  %25 = load i32, ptr %24, align 4
  %26 = zext i32 %20 to i64
  %27 = getelementptr i32, ptr %5, i64 %26
  %28 = add <32 x i32> zeroinitializer, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %28, ptr align 4 %27, <32 x i1> %12)
  ret void
}

declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
