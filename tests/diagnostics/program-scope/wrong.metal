float scale = 2;
  //~^ error[MSL0232]: `scale` at program scope lives in `thread` memory
const float bias = 1;
  //~^ error[MSL0232]: `bias` at program scope lives in `thread` memory
constant float offset;
  //~^ error[MSL0232]: `offset` at program scope has no value
threadgroup float shared[32];
  //~^ error[MSL0232]: `shared` at program scope lives in `threadgroup` memory
kernel void one(device float *a) {
  a[0] = scale * a[1] + offset;
}
