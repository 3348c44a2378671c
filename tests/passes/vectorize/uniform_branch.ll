; shape: linear full
; A condition that is the same in all lanes stays a branch.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %limit = load i32, ptr addrspace(1) %in, align 4
  %c = icmp ugt i32 %limit, 7
  br i1 %c, label %yes, label %end
yes:
  %g64 = zext i32 %gid to i64
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  store i32 %limit, ptr addrspace(1) %dst, align 4
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
  %21 = load i32, ptr %7, align 4
  %22 = icmp ugt i32 %21, 7
  br i1 %22, label %23, label %28

23:
  %24 = zext i32 %15 to i64
  %25 = getelementptr i32, ptr %5, i64 %24
  %26 = insertelement <32 x i32> poison, i32 %21, i32 0
  %27 = shufflevector <32 x i32> %26, <32 x i32> poison, <32 x i32> zeroinitializer
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %27, ptr align 4 %25, <32 x i1> splat (i1 true))
  br label %29

28:
  br label %29

29:
  ret void
}

declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
