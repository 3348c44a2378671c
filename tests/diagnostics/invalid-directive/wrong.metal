#includ <metal_stdlib>
//~^ error[MSL0020]: `#includ` is not a directive
kernel void k() {}
