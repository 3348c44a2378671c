struct Node { float value; };
struct List { device List *rest; };
kernel void one(device float *a) {
  Node node;
  node.value = 1;
  a[0] = node.value;
}
