; Every instruction, flag and operand form that the reader knows, in LLVM 22's opaque-pointer bitcode.
target datalayout = "e-p:64:64:64-n8:16:32"
target triple = "air64_v28-apple-macosx26.0.0"

%pair = type { i32, <3 x float>, [2 x half] }
%opaque = type opaque

@tile = internal addrspace(3) global [4 x float] undef, align 4
@table = internal unnamed_addr addrspace(2) constant [3 x i32] [i32 1, i32 -2, i32 3], align 4

declare ptr @make(ptr addrspace(2))
declare float @air.fma.f32(float, float, float) #1
declare void @air.wg.barrier(i32, i32) #2
declare void @variadic(i32, ...)
declare void @llvm.assume(i1 noundef)
declare void @llvm.lifetime.start.p0(ptr captures(none))
declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) noalias writeonly captures(none), ptr addrspace(1) noalias readonly captures(none), i64, i1 immarg)

define weak_odr void @arithmetic(i32 %a, i32 %b, float %x, float %y, ptr addrspace(1) noundef "air-buffer-no-alias" %out) #0 {
entry:
  %add = add nuw nsw i32 %a, %b
  %sub = sub nsw i32 %add, 7
  %mul = mul nuw i32 %sub, -3
  %udiv = udiv exact i32 %mul, %b
  %sdiv = sdiv i32 %udiv, %b
  %urem = urem i32 %sdiv, 5
  %srem = srem i32 %urem, -5
  %shl = shl nuw nsw i32 %srem, 2
  %lshr = lshr exact i32 %shl, 1
  %ashr = ashr i32 %lshr, 1
  %and = and i32 %ashr, 255
  %or = or disjoint i32 %and, 256
  %xor = xor i32 %or, -1
  %fadd = fadd fast float %x, %y
  %fsub = fsub nnan ninf nsz float %fadd, %y
  %fmul = fmul arcp contract afn reassoc float %fsub, 0x7FF8000000000000
  %fdiv = fdiv float %fmul, -0.0
  %frem = frem float %fdiv, 1.0
  %fneg = fneg nsz float %frem
  %fcmp = fcmp ninf ult float %fneg, %x
  %icmp = icmp samesign sgt i32 %xor, 0
  %sel = select contract i1 %fcmp, float %fneg, float %x
  %isel = select i1 %icmp, i32 %xor, i32 %a
  %fr = freeze i32 %isel
  store float %sel, ptr addrspace(1) %out, align 4
  store volatile i32 %fr, ptr addrspace(1) %out, align 4
  ret void
}

define void @casts(i64 %wide, half %h, bfloat %b, double %d, ptr addrspace(1) %p, <2 x i16> %v) {
  %t = trunc nuw nsw i64 %wide to i32
  %z = zext nneg i32 %t to i64
  %s = sext i32 %t to i64
  %f1 = fpext contract half %h to float
  %f2 = fptrunc nnan double %d to float
  %f3 = fpext bfloat %b to float
  %i1 = fptosi float %f1 to i32
  %i2 = fptoui float %f2 to i8
  %f4 = uitofp nneg i32 %i1 to float
  %f5 = sitofp i8 %i2 to half
  %bc = bitcast <2 x i16> %v to i32
  %pi = ptrtoint ptr addrspace(1) %p to i64
  %ip = inttoptr i64 %pi to ptr
  %ac = addrspacecast ptr %ip to ptr addrspace(1)
  ret void
}

define <4 x float> @vectors(<4 x float> %v, <64 x float> %m, i32 %i) {
  %e = extractelement <4 x float> %v, i32 %i
  %n = insertelement <4 x float> poison, float %e, i64 2
  %two = shufflevector <64 x float> %m, <64 x float> poison, <2 x i32> <i32 0, i32 1>
  %big = shufflevector <2 x float> %two, <2 x float> poison, <64 x i32> <i32 0, i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %splat = shufflevector <4 x float> %n, <4 x float> undef, <4 x i32> zeroinitializer
  %lt = fcmp olt <4 x float> %splat, zeroinitializer
  %sel = select <4 x i1> %lt, <4 x float> %splat, <4 x float> splat (float 2.0)
  %other = extractelement <64 x float> %big, i32 1
  %r = insertelement <4 x float> %sel, float %other, i32 0
  ret <4 x float> %r
}

define { i32, i1 } @aggregates({ i32, [2 x float] } %s, ptr addrspace(1) %p) {
  %m = extractvalue { i32, [2 x float] } %s, 1, 1
  %u = insertvalue { i32, [2 x float] } %s, float %m, 1, 0
  %x = cmpxchg weak volatile ptr addrspace(1) %p, i32 1, i32 7 acq_rel monotonic, align 4
  %y = cmpxchg ptr addrspace(1) %p, i32 1, i32 7 syncscope("singlethread") seq_cst seq_cst
  ret { i32, i1 } %x
}

define void @memory(ptr sret(%pair) %r, i32 %n, ptr byval(%pair) align 16 %q, ptr addrspace(1) %p, <2 x ptr> %vp) {
  %one = alloca i32, align 4
  %many = alloca [4 x i32], align 16
  %dynamic = alloca i8, i32 %n, align 1
  call void @llvm.lifetime.start.p0(ptr %one)
  %field = getelementptr inbounds nuw %pair, ptr %q, i64 0, i32 1
  %loose = getelementptr nusw i8, ptr %field, i64 4
  %plain = getelementptr i8, ptr addrspace(1) %p, i32 %n
  %lanes = getelementptr i32, <2 x ptr> %vp, i64 1
  %splat = getelementptr i32, ptr %many, <2 x i64> <i64 0, i64 1>
  %v = load <3 x float>, ptr %field, align 16
  %vol = load volatile i8, ptr %loose, align 1
  %at = load atomic i32, ptr addrspace(1) %plain syncscope("singlethread") monotonic, align 4
  store atomic i32 3, ptr addrspace(1) %p release, align 4
  %old = atomicrmw volatile add ptr addrspace(1) %p, i32 %n seq_cst, align 4
  %fold = atomicrmw fadd ptr addrspace(1) %p, float 1.0 monotonic
  %min = atomicrmw umin ptr addrspace(3) @tile, i32 %n acquire
  fence acq_rel
  store i8 %vol, ptr %dynamic, align 1
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 4 @tile, ptr addrspace(1) align 4 %p, i64 16, i1 false)
  ret void
}

define internal fastcc i32 @control(i32 %n, i64 %w) unnamed_addr {
entry:
  switch i32 %n, label %default [
    i32 -1, label %loop
    i32 3, label %three
  ]
loop:
  ; Both phis are used before they are defined, one through a forward reference in an instruction.
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %f = phi fast float [ 1.0, %entry ], [ %g, %loop ]
  %next = add i32 %i, 1
  %g = fadd float %f, %f
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %default, !llvm.loop !0
three:
  switch i64 %w, label %default [ i64 -9223372036854775808, label %dead ]
default:
  %r = phi i32 [ %n, %entry ], [ %next, %loop ], [ 3, %three ]
  ret i32 %r
dead:
  unreachable
}

define i32 @later() {
entry:
  br label %a
b:
  ; %late is defined in a block that stands further down.
  %use = add i32 %late, 1
  %use2 = getelementptr i8, ptr addrspace(1) %latep, i32 %use
  %cast = bitcast ptr addrspace(1) %latep to ptr addrspace(1)
  %l = load i32, ptr addrspace(1) %cast
  ret i32 %l
a:
  %late = add i32 4, 5
  %latep = inttoptr i64 64 to ptr addrspace(1)
  br label %b
}

define void @calls(ptr %callback, i1 %c, float %x) {
  %r = tail call fast float @air.fma.f32(float %x, float %x, float 1.0) #3
  call void @air.wg.barrier(i32 2, i32 1) #2
  notail call void %callback(i32 noundef 1)
  call void (i32, ...) @variadic(i32 1, float %x, i64 2)
  call void @llvm.assume(i1 %c)
  %n = call fastcc i32 @control(i32 1, i64 2), !range !1
  %p = call ptr @make(ptr addrspace(2) getelementptr inbounds ([3 x i32], ptr addrspace(2) @table, i64 0, i64 1))
  ret void
}

define i32 @musttail(i32 %a) {
  %r = musttail call i32 @musttail(i32 %a)
  ret i32 %r
}

attributes #0 = { convergent mustprogress nounwind "max-work-group-size"="32" "no-builtins" }
attributes #1 = { nofree nosync nounwind willreturn memory(none) }
attributes #2 = { convergent mustprogress nounwind willreturn }
attributes #3 = { nounwind memory(argmem: read, inaccessiblemem: write) }

!0 = distinct !{!0, !2}
!1 = !{i32 0, i32 2}
!2 = !{!"llvm.loop.mustprogress"}
