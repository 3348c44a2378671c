struct Base { float x; };
struct Derived : Base { float y; };
kernel void one(device float *a) {
  Derived d;
  thread Base *p = &d;
  thread Derived *q = dynamic_cast<thread Derived *>(p);
  //~^ error[MSL0213]: Metal has no `dynamic_cast`
}
kernel void two(device float *a) {
  one(a);
  //~^ error[MSL0213]: the kernel `one` is called like a function
}
