; Constants of every kind, globals of every form, metadata.
target triple = "air64_v28-apple-macosx26.0.0"

%pair = type { i32, <3 x float>, [2 x half] }
%packed = type <{ i8, i32 }>
%nested = type { %pair, [2 x %packed], ptr }

@bytes = private addrspace(2) constant [4 x i8] c"abc\00"
@raw = private addrspace(2) constant [3 x i8] c"\FF\00a"
@halves = internal constant [2 x half] [half 1.0, half 0xH7E00]
@bfloats = internal constant [2 x bfloat] [bfloat 1.0, bfloat 0xR7FC1]
@floats = internal constant <4 x float> <float 1.0, float -0.0, float 0x7FF0000000000000, float 0x36A0000000000000>
@doubles = internal constant [1 x double] [double 0x7FF0000000000001]
@longs = internal constant [3 x i64] [i64 -1, i64 9223372036854775807, i64 -9223372036854775808]
@bits = internal constant [2 x i1] [i1 true, i1 false]
@odd = internal constant [2 x i24] [i24 -1, i24 4]
@mixed = internal constant <2 x i32> <i32 1, i32 poison>
@undefs = internal constant [2 x i32] undef
@zeros = internal constant [1000000 x i64] zeroinitializer
@struct = internal constant %pair { i32 1, <3 x float> <float 1.0, float 2.0, float 3.0>, [2 x half] zeroinitializer }
@nested = internal constant %nested { %pair zeroinitializer, [2 x %packed] [%packed <{ i8 1, i32 2 }>, %packed undef], ptr @f }
@literal = internal constant { i8, ptr addrspace(3) } { i8 7, ptr addrspace(3) null }
@address = internal constant ptr getelementptr inbounds ([3 x i64], ptr @longs, i64 0, i64 1)
@nowhere = internal constant ptr getelementptr ([3 x i64], ptr @longs, i64 0, i64 0)
@cast = internal constant ptr addrspacecast (ptr addrspace(2) @bytes to ptr)
@through = internal constant ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(2) @bytes to ptr), i64 2)
@number = internal constant i64 ptrtoint (ptr @longs to i64)
@sum = internal constant i64 add (i64 ptrtoint (ptr @longs to i64), i64 4)
@difference = internal constant i64 sub (i64 ptrtoint (ptr @longs to i64), i64 ptrtoint (ptr @bits to i64))
@selfish = internal global ptr @selfish
@external = external addrspace(2) global i32, align 4
@fc = internal unnamed_addr addrspace(2) externally_initialized constant i8 undef, section "air.fc_initializer", align 1
@local = internal local_unnamed_addr addrspace(3) global [8 x float] undef, align 16, !tag !4
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]
@llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(2) @fc to ptr)], section "llvm.metadata"
@weak = weak addrspace(2) constant i32 1
@linkonce = linkonce_odr addrspace(2) constant i32 2
@common = common global i32 0
@"strange name\22" = internal global i32 0

define void @f() section "air.externally_defined" {
  ret void
}

define internal void @init() section "air.static_init" !tag !4 {
  %x = load i8, ptr addrspace(2) @fc, align 1, !range !5
  ret void
}

define void @kernel(ptr addrspace(1) %out, i32 %gid) {
  %1 = add <2 x i32> <i32 1, i32 undef>, splat (i32 4)
  %2 = insertelement <2 x float> <float undef, float 1.0>, float 0x3FB99999A0000000, i32 0
  %3 = fadd half 0xH3C00, 0xHFC00
  %4 = fadd bfloat 0xR3F80, 0xR0001
  %5 = fadd double 0x3FF0000000000001, 4.5
  %6 = add i64 -9223372036854775808, 1
  %7 = add i17 -1, 3
  %8 = icmp eq ptr addrspace(1) %out, null
  store [2 x i32] [i32 1, i32 2], ptr addrspace(1) %out
  store %pair undef, ptr addrspace(1) %out
  store ptr @f, ptr addrspace(1) %out
  ret void
}

!air.kernel = !{!0}
!air.version = !{!6}
!air.language_version = !{!7}
!empty = !{}
!llvm.module.flags = !{!8}
!0 = !{ptr @kernel, !1, !2}
!1 = !{}
!2 = !{!3, !9}
!3 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"größe"}
!4 = distinct !{!4, null, ptr addrspace(2) @fc, float 1.5}
!5 = !{i8 0, i8 2}
!6 = !{i32 2, i32 8, i32 0}
!7 = !{!"Metal", i32 4, i32 0, i32 0}
!8 = !{i32 1, !"wchar_size", i32 4}
!9 = !{i32 1, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"gid"}
