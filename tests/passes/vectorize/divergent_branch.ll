; shape: linear full
; A condition that differs between lanes becomes a mask; the side that no lane takes is jumped over.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %c = icmp ult i32 %lane, 5
  br i1 %c, label %yes, label %end
yes:
  %g64 = zext i32 %gid to i64
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  store i32 1, ptr addrspace(1) %dst, align 4
  br label %end
end:
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
  %21 = add <32 x i32> zeroinitializer, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %22 = icmp ult <32 x i32> %21, splat (i32 5)
  %23 = select <32 x i1> splat (i1 true), <32 x i1> %22, <32 x i1> zeroinitializer
  %24 = xor <32 x i1> %22, splat (i1 true)
  %25 = select <32 x i1> splat (i1 true), <32 x i1> %24, <32 x i1> zeroinitializer
  %26 = bitcast <32 x i1> %23 to i32
  %27 = icmp ne i32 %26, 0
  br i1 %27, label %28, label %31

28:
  %29 = zext i32 %15 to i64
  %30 = getelementptr i32, ptr %5, i64 %29
  call void @llvm.masked.store.v32i32.p0(<32 x i32> splat (i32 1), ptr align 4 %30, <32 x i1> %23)
  br label %31

31:
  ret void
}

declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
