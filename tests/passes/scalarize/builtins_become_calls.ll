; Thread indices are parameters in AIR; afterwards they are calls, so that a helper can ask too.
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %gid, i32 %lid, i32 %lane, i32 %group) {
entry:
  %g64 = zext i32 %gid to i64
  %dst = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  %sum = add i32 %lid, %lane
  store i32 %sum, ptr addrspace(1) %dst, align 4
  ret void
}
; ----------------------------------------------------------------------------
target triple = "air64_v26-apple-macosx14.0.0"

define void @k(ptr addrspace(1) %0, ptr addrspace(1) %1, i32 %2, i32 %3, i32 %4, i32 %5) {
  %7 = call i32 @mw.builtin.thread_position_in_grid.0()
  %8 = call i32 @mw.builtin.thread_index_in_threadgroup.0()
  %9 = call i32 @mw.builtin.thread_index_in_simdgroup.0()
  %10 = call i32 @mw.builtin.simdgroup_index_in_threadgroup.0()
  %11 = zext i32 %7 to i64
  %12 = getelementptr i32, ptr addrspace(1) %0, i64 %11
  %13 = add i32 %8, %9
  store i32 %13, ptr addrspace(1) %12, align 4
  ret void
}

declare i32 @mw.builtin.thread_position_in_grid.0()

declare i32 @mw.builtin.thread_index_in_threadgroup.0()

declare i32 @mw.builtin.thread_index_in_simdgroup.0()

declare i32 @mw.builtin.simdgroup_index_in_threadgroup.0()
