; Something of everything that the parser reads, in the styles of llvm-dis and of people.
source_filename = "everything"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v26-apple-macosx14.0.0"

%struct.outer = type { %struct.inner, [2 x %"struct.a b<c>"], ptr addrspace(1) }
%struct.inner = type <{ i8, float }>
%"struct.a b<c>" = type { i64, <3 x half> }
%struct._texture = type opaque
%struct.unused = type { i32 }

@llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] zeroinitializer
@table = internal unnamed_addr addrspace(2) constant [4 x i8] c"a\00\22\\", align 4
@shared = internal unnamed_addr addrspace(3) global [32 x %struct.outer] undef, align 8
@fc = internal unnamed_addr addrspace(2) externally_initialized constant i8 undef, section "air.fc_initializer", align 1
@"a name" = external addrspace(2) global i32
@nested = private addrspace(2) constant { i1, <2 x i16>, %struct.inner, ptr addrspace(2) } { i1 true, <2 x i16> <i16 1, i16 -2>, %struct.inner <{ i8 7, float 0x3FD5555560000000 }>, ptr addrspace(2) getelementptr inbounds ([4 x i8], ptr addrspace(2) @table, i64 0, i64 2) }
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(2) @fc to ptr)], section "llvm.metadata"
@0 = private constant i64 ptrtoint (ptr @1 to i64)

; Function Attrs: convergent nounwind
declare void @air.wg.barrier(i32, i32) local_unnamed_addr #1

declare !custom !30 float @air.exp.f32(float %x) #2

declare i32 @variadic(ptr, ...)

declare void @1(ptr noalias readonly captures(none) dereferenceable(16))

define weak_odr void @kernel(ptr addrspace(1) noundef "air-buffer-no-alias" %0, ptr addrspace(2) noundef align 4 dereferenceable(4) %1, <3 x i32> noundef %named, float %2) local_unnamed_addr #0 section "text" {
  %4 = extractelement <3 x i32> %named, i64 0
  %"quoted \22 name" = zext nneg i32 %4 to i64
  %5 = getelementptr inbounds nuw float, ptr addrspace(1) %0, i64 %"quoted \22 name"
  %6 = load float, ptr addrspace(1) %5, align 4, !tbaa !20, !alias.scope !23
  %7 = alloca [4 x i32], align 16
  %8 = alloca i8, i64 %"quoted \22 name", align 1
  %9 = icmp samesign ult i32 %4, 7
  br i1 %9, label %loop, label %14

loop:                                             ; preds = %loop, %3
  %10 = phi float [ %6, %3 ], [ %forward, %loop ]
  %11 = phi i32 [ 0, %3 ], [ %12, %loop ]
  %12 = add nuw nsw i32 %11, 1
  %forward = call fast float @air.exp.f32(float noundef %10) #2
  %13 = fcmp reassoc nnan ole float %forward, 1.000000e+00
  br i1 %13, label %loop, label %14, !llvm.loop !26

14:                                               ; preds = %loop, %3
  %15 = phi float [ %6, %3 ], [ %forward, %loop ]
  switch i32 %4, label %default [
    i32 -1, label %case
    i32 2, label %case
  ]

case:
  tail call void @air.wg.barrier(i32 2, i32 1) #1
  %16 = insertelement <2 x float> poison, float %15, i32 0
  %17 = shufflevector <2 x float> %16, <2 x float> poison, <4 x i32> <i32 0, i32 0, i32 poison, i32 3>
  %18 = shufflevector <4 x float> %17, <4 x float> undef, <2 x i32> zeroinitializer
  %19 = fmul contract <2 x float> %18, splat (float 5.000000e-01)
  %20 = fneg <2 x float> %19
  %21 = select i1 %9, <2 x float> %20, <2 x float> <float 1.0, float 0x7FF8000000000000>
  %22 = bitcast <2 x float> %21 to i64
  %23 = freeze i64 %22
  %24 = or disjoint i64 %23, 1
  %25 = lshr exact i64 %24, 1
  %26 = trunc nuw i64 %25 to i32
  %27 = insertvalue { i32, [2 x i8] } undef, i32 %26, 0
  %28 = insertvalue { i32, [2 x i8] } %27, i8 3, 1, 1
  %29 = extractvalue { i32, [2 x i8] } %28, 1, 1
  store i8 %29, ptr %8, align 1
  store volatile i32 %26, ptr %7, align 4
  store atomic i32 1, ptr addrspace(1) %0 release, align 4
  %30 = load atomic volatile i32, ptr addrspace(1) %0 acquire, align 4
  %31 = atomicrmw umax ptr addrspace(1) %0, i32 %30 monotonic, align 4
  %32 = cmpxchg weak ptr addrspace(1) %0, i32 %30, i32 %31 acq_rel monotonic, align 4
  %33 = extractvalue { i32, i1 } %32, 1
  fence seq_cst
  %34 = call i32 (ptr, ...) @variadic(ptr nonnull %7, i1 zeroext %33)
  call void @1(ptr noalias captures(address, read_provenance) %8)
  unreachable

default:
  %35 = call fastcc %struct.inner @helper(ptr byval(%struct.inner) align 1 %8, half 0xH3C00)
  ret void
}

define internal fastcc %struct.inner @helper(ptr byval(%struct.inner) align 1 %0, half %1) #3 {
entry:
  ret %struct.inner zeroinitializer
}

attributes #0 = { convergent mustprogress nounwind "frame-pointer"="all" "max-work-group-size"="128" "no-builtins" }
attributes #1 = { convergent nounwind }
attributes #2 = { nounwind willreturn memory(none) }
attributes #3 = { noinline memory(read, argmem: readwrite, inaccessiblemem: none) alignstack=16 }

!air.kernel = !{!0}
!llvm.module.flags = !{!4, !5}
!air.version = !{!6}

!0 = !{ptr @kernel, !1, !2}
!1 = !{}
!2 = !{!3, null}
!3 = !{i32 0, !"air.buffer", !"with \22quotes\22 and \C3\A9"}
!4 = !{i32 2, !"SDK Version", [2 x i32] [i32 26, i32 5]}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 2, i32 6, i32 0}
!20 = !{!21, !21, i64 0}
!21 = !{!"float", !22, i64 0}
!22 = !{!"omnipotent char"}
!23 = !{!24}
!24 = distinct !{!24, !25, !"scope"}
!25 = distinct !{!25, !"domain"}
!26 = distinct !{!26, !27}
!27 = !{!"llvm.loop.mustprogress"}
!30 = !{i8 0, i8 2}
!31 = !{!"never used"}
