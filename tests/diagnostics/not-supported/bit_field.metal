struct Flags { uint low : 4; };
  //~^ error[MSL0214]: bit-fields are not supported
kernel void one(device Flags *flags) {
}
