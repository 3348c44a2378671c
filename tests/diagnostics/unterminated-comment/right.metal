/* a comment /* with a second start
   over lines */
kernel void k() {}
