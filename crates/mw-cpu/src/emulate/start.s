// Start of a program that runs one launch on AArch64 Linux, without a library.
// x20: block of addresses that `image.rs` fills. Ring entries are 32 bytes: stack pointer, next, previous,
// context. The frame that a switch saves is that of `switch.rs`.

.macro save
    sub sp, sp, #160
    stp x19, x20, [sp]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
.endm
.macro restore
    ldp x19, x20, [sp]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
.endm

.text
.globl _start
_start:
    movz x20, #0x10, lsl #32
    ldr x0, [x20, #24]
    msr fpcr, x0
    ldr x21, [x20]              // threadgroups left
    ldr x22, [x20, #8]          // their table
.Lgroup:
    cbz x21, .Lwrite
    ldr x0, [x20, #80]          // threadgroup memory gets its first values
    ldr x1, [x20, #88]
    ldr x2, [x20, #96]
    bl memcpy
    ldp x23, x24, [x22], #16    // contexts, count
    ldr x25, [x20, #56]         // ring
    ldr x26, [x20, #48]         // stacks
    mov x27, #0
.Lfibre:
    add x0, x25, x27, lsl #5
    add x1, x27, #1
    add x1, x26, x1, lsl #20
    sub x1, x1, #160
    adr x2, .Lfibre_start
    str x2, [x1, #88]
    str x0, [x1]
    str x20, [x1, #8]
    str x1, [x0]
    add x3, x27, #1
    cmp x3, x24
    csel x3, xzr, x3, eq
    add x3, x25, x3, lsl #5
    str x3, [x0, #8]
    sub x3, x27, #1
    sub x4, x24, #1
    cmp x27, #0
    csel x3, x4, x3, eq
    add x3, x25, x3, lsl #5
    str x3, [x0, #16]
    ldr x3, [x20, #104]         // size of a context
    madd x3, x27, x3, x23
    str x3, [x0, #24]
    ldr x4, [x20, #112]         // offset of its owner
    str x0, [x3, x4]
    add x27, x27, #1
    cmp x27, x24
    b.lo .Lfibre
    adr x30, .Lgroup_done
    save
    mov x9, sp
    str x9, [x20, #64]
    ldr x9, [x25]
    mov sp, x9
    restore
    ret
.Lgroup_done:
    sub x21, x21, #1
    b .Lgroup

.Lfibre_start:                  // x19: ring entry
    ldr x0, [x19, #24]
    ldr x1, [x20, #16]
    bl mw_kernel
    ldr x1, [x19, #8]
    cmp x1, x19
    b.eq .Lhome
    ldr x2, [x19, #16]
    str x1, [x2, #8]
    str x2, [x1, #16]
    ldr x9, [x1]
    mov sp, x9
    restore
    ret
.Lhome:
    ldr x9, [x20, #64]
    mov sp, x9
    restore
    ret

.Lwrite:
    ldr x21, [x20, #32]
    ldr x22, [x20, #40]
.Lmore:
    cbz x22, .Lexit
    mov x0, #1
    mov x1, x21
    mov x2, x22
    mov x8, #64
    svc #0
    cmp x0, #0
    b.le .Lfail
    add x21, x21, x0
    sub x22, x22, x0
    b .Lmore
.Lexit:
    mov x0, #0
    mov x8, #93
    svc #0
.Lfail:
    mov x0, #9
    mov x8, #93
    svc #0

.globl mw_barrier
mw_barrier:
    movz x9, #0x10, lsl #32
    ldr x9, [x9, #112]
    ldr x0, [x0, x9]
    ldr x1, [x0, #8]
    cmp x0, x1
    b.eq .Lalone
    save
    mov x9, sp
    str x9, [x0]
    ldr x9, [x1]
    mov sp, x9
    restore
.Lalone:
    ret

.globl memcpy
memcpy:
.Lforward:
    mov x9, x0
.Lcopy:
    cbz x2, .Lcopied
    ldrb w10, [x1], #1
    strb w10, [x9], #1
    sub x2, x2, #1
    b .Lcopy
.Lcopied:
    ret
.globl memmove
memmove:
    cmp x0, x1
    b.ls .Lforward
.Lback:
    cbz x2, .Lcopied
    sub x2, x2, #1
    ldrb w10, [x1, x2]
    strb w10, [x0, x2]
    b .Lback
.globl memset
memset:
    mov x9, x0
.Lset:
    cbz x2, .Lcopied
    strb w1, [x9], #1
    sub x2, x2, #1
    b .Lset
