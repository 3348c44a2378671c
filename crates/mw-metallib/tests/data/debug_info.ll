; Lines are kept, other debug information is skipped; the code around it must come out whole.
target triple = "air64_v28-apple-macosx26.0.0"

define void @k(i32 %x) !dbg !5 {
  #dbg_value(i32 %x, !9, !DIExpression(), !10)
  %y = add i32 %x, 1, !dbg !10
  #dbg_value(i32 %y, !9, !DIExpression(), !10)
  ret void, !dbg !10
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "p", isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.metal", directory: "/")
!2 = !{i32 2, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !6)
!5 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !4, unit: !0, retainedNodes: !7)
!6 = !{null}
!7 = !{!9}
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!9 = !DILocalVariable(name: "x", scope: !5, file: !1, line: 1, type: !8)
!10 = !DILocation(line: 2, column: 3, scope: !5)
