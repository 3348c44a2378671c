struct Node;
struct List { List rest; };
  //~^ error[MSL0210]: `List` cannot hold an object of itself
kernel void one(device float *a) {
  Node node;
  //~^ error[MSL0210]: `Node` is declared but not defined here
  a[0] = 1;
}
