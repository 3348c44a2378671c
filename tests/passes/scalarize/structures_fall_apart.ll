; A structure that is loaded whole becomes its leaves, at their own offsets.
%struct.pair = type { i8, float }
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %pair = load %struct.pair, ptr addrspace(1) %in, align 4
  %a = extractvalue %struct.pair %pair, 0
  %b = extractvalue %struct.pair %pair, 1
  %swapped = insertvalue %struct.pair poison, i8 %a, 0
  %whole = insertvalue %struct.pair %swapped, float %b, 1
  store %struct.pair %whole, ptr addrspace(1) %out, align 4
  ret void
}
; ----------------------------------------------------------------------------
target triple = "air64_v26-apple-macosx14.0.0"

define void @k(ptr addrspace(1) %0, ptr addrspace(1) %1, i32 %2, i32 %3, i32 %4, i32 %5) {
  %7 = call i32 @mw.builtin.thread_position_in_grid.0()
  %8 = call i32 @mw.builtin.thread_index_in_threadgroup.0()
  %9 = call i32 @mw.builtin.thread_index_in_simdgroup.0()
  %10 = call i32 @mw.builtin.simdgroup_index_in_threadgroup.0()
  %11 = load i8, ptr addrspace(1) %1, align 4
  %12 = getelementptr inbounds i8, ptr addrspace(1) %1, i64 4
  %13 = load float, ptr addrspace(1) %12, align 4
  store i8 %11, ptr addrspace(1) %0, align 4
  %14 = getelementptr inbounds i8, ptr addrspace(1) %0, i64 4
  store float %13, ptr addrspace(1) %14, align 4
  ret void
}

declare i32 @mw.builtin.thread_position_in_grid.0()

declare i32 @mw.builtin.thread_index_in_threadgroup.0()

declare i32 @mw.builtin.thread_index_in_simdgroup.0()

declare i32 @mw.builtin.simdgroup_index_in_threadgroup.0()
