; shape: linear full
; A sum over the simdgroup is a butterfly of shuffles in a fixed order; its result is uniform.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g64 = zext i32 %gid to i64
  %src = getelementptr float, ptr addrspace(1) %in, i64 %g64
  %x = load float, ptr addrspace(1) %src, align 4
  %s = call float @air.simd_sum.f32(float %x)
  store float %s, ptr addrspace(1) %out, align 4
  ret void
}
declare float @air.simd_sum.f32(float)
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
  %25 = select <32 x i1> splat (i1 true), <32 x float> %24, <32 x float> splat (float 0x8000000000000000)
  %26 = shufflevector <32 x float> %25, <32 x float> %25, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %27 = shufflevector <32 x float> %25, <32 x float> %25, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %28 = fadd <16 x float> %26, %27
  %29 = shufflevector <16 x float> %28, <16 x float> %28, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %30 = shufflevector <16 x float> %28, <16 x float> %28, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %31 = fadd <8 x float> %29, %30
  %32 = shufflevector <8 x float> %31, <8 x float> %31, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %33 = shufflevector <8 x float> %31, <8 x float> %31, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %34 = fadd <4 x float> %32, %33
  %35 = shufflevector <4 x float> %34, <4 x float> %34, <2 x i32> <i32 0, i32 1>
  %36 = shufflevector <4 x float> %34, <4 x float> %34, <2 x i32> <i32 2, i32 3>
  %37 = fadd <2 x float> %35, %36
  %38 = shufflevector <2 x float> %37, <2 x float> %37, <1 x i32> zeroinitializer
  %39 = shufflevector <2 x float> %37, <2 x float> %37, <1 x i32> <i32 1>
  %40 = fadd <1 x float> %38, %39
  %41 = extractelement <1 x float> %40, i32 0
  %42 = bitcast float %41 to i32
  store i32 %42, ptr %5, align 4
  ret void
}

declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
