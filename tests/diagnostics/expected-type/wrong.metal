kernel void k(device *a, uint i [[thread_position_in_grid]]) {
  //~^ error[MSL0103]: expected the type of a parameter, found `*`
}
