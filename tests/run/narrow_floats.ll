; Arithmetic in half and bfloat, and conversions between the formats.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g = and i32 %gid, 1023
  %g64 = zext i32 %g to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %g64
  %x = load i32, ptr addrspace(1) %src, align 4
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %v = and i32 %x, 65535
  %i = call float @air.convert.f.f32.u.i32(i32 %v)
  %f = fmul float %i, 0x3F50624DE0000000
  %h = fptrunc float %f to half
  %b = fptrunc float %f to bfloat
  %h2 = fmul half %h, %h
  %h3 = call half @llvm.fmuladd.f16(half %h2, half %h, half %h)
  %b2 = fadd bfloat %b, %b
  %b3 = call bfloat @llvm.fmuladd.bf16(bfloat %b2, bfloat %b, bfloat %b)
  %hf = fpext half %h3 to float
  %bf = fpext bfloat %b3 to float
  %s = fadd float %hf, %bf
  %r = call float @air.simd_sum.f32(float %s)
  %d = fdiv float %s, %r
  %w = bitcast float %d to i32
  store i32 %w, ptr addrspace(1) %dst, align 4
  ret void
}
declare float @air.convert.f.f32.u.i32(i32)
declare half @llvm.fmuladd.f16(half, half, half)
declare bfloat @llvm.fmuladd.bf16(bfloat, bfloat, bfloat)
declare float @air.simd_sum.f32(float)
