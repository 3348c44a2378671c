template <typename T> struct P { T a; T b; };
template <typename T, int N> struct Q { typedef typename Q<P<T>, N - 1>::type type; };
template <typename T> struct Q<T, 0> { typedef T type; };
kernel void k(device int *x) { Q<int, 60>::type v; x[0] = sizeof(v); }
