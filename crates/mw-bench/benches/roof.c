/* The roofline: the plain C loops that a programmer would write for the same work, on all cores.
 *
 * Reads commands from standard input and answers each with one line:
 *   prepare WORK   allocates and fills the arrays            -> ok
 *   run WORK       does the work once                        -> seconds
 *   release WORK   frees the arrays                          -> ok
 * Threads are made once; each takes an equal part of the rows or elements.
 * Build: cc -O3 -march=native -ffast-math -pthread roof.c -lm
 */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 1024, AXIS = 4096, SIDE = 4096, GROUP = 64 };

typedef struct {
  const char *name;
  size_t size; /* elements, rows, or the side of a matrix */
  void (*part)(size_t begin, size_t end);
  size_t floats[3]; /* sizes of the arrays a, b, c */
} Work;

static float *a, *b, *c;
static size_t side;

static void vadd(size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++) c[i] = a[i] + b[i];
}

static void gelu(size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++) {
    float x = a[i];
    c[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
}

static void rms_norm(size_t begin, size_t end) {
  for (size_t r = begin; r < end; r++) {
    const float *x = a + r * AXIS;
    float *y = c + r * AXIS, sum = 0;
    for (int i = 0; i < AXIS; i++) sum += x[i] * x[i];
    float q = 1.0f / sqrtf(sum / AXIS + 1e-5f);
    for (int i = 0; i < AXIS; i++) y[i] = x[i] * q * b[i];
  }
}

static void softmax(size_t begin, size_t end) {
  for (size_t r = begin; r < end; r++) {
    const float *x = a + r * AXIS;
    float *y = c + r * AXIS, top = x[0], sum = 0;
    for (int i = 0; i < AXIS; i++) top = x[i] > top ? x[i] : top;
    for (int i = 0; i < AXIS; i++) {
      y[i] = expf(x[i] - top);
      sum += y[i];
    }
    float q = 1.0f / sum;
    for (int i = 0; i < AXIS; i++) y[i] *= q;
  }
}

static void matmul(size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++) {
    float *y = c + i * side;
    memset(y, 0, side * sizeof *y);
    for (size_t k = 0; k < side; k++) {
      float x = a[i * side + k];
      const float *row = b + k * side;
      for (size_t j = 0; j < side; j++) y[j] += x * row[j];
    }
  }
}

/* a: packed words, then scales and biases; b: the vector. */
static void qmv(size_t begin, size_t end) {
  const uint32_t *words = (const uint32_t *)a;
  const float *scales = a + SIDE * SIDE / 8, *biases = scales + SIDE * SIDE / GROUP;
  for (size_t r = begin; r < end; r++) {
    float total = 0;
    for (int g = 0; g < SIDE / GROUP; g++) {
      float dot = 0, sum = 0;
      const uint32_t *w = words + (r * SIDE + g * GROUP) / 8;
      const float *x = b + g * GROUP;
      for (int i = 0; i < GROUP; i++) {
        dot += x[i] * (float)((w[i >> 3] >> (4 * (i & 7))) & 15u);
        sum += x[i];
      }
      size_t at = r * (SIDE / GROUP) + g;
      total += scales[at] * dot + biases[at] * sum;
    }
    c[r] = total;
  }
}

#define MI ((size_t)1 << 20)
static const Work works[] = {
    {"vadd-4Mi", 4 * MI, vadd, {4 * MI, 4 * MI, 4 * MI}},
    {"vadd-256Mi", 256 * MI, vadd, {256 * MI, 256 * MI, 256 * MI}},
    {"gelu-4Mi", 4 * MI, gelu, {4 * MI, 1, 4 * MI}},
    {"rms_norm-1024x4096", ROWS, rms_norm, {ROWS * AXIS, AXIS, ROWS * AXIS}},
    {"softmax-1024x4096", ROWS, softmax, {ROWS * AXIS, 1, ROWS * AXIS}},
    {"matmul-512", 512, matmul, {512 * 512, 512 * 512, 512 * 512}},
    {"matmul-1024", 1024, matmul, {MI, MI, MI}},
    {"qmv-4bit-4096", SIDE, qmv, {SIDE * SIDE / 8 + 2 * SIDE * SIDE / GROUP, SIDE, SIDE}},
};

/* --- threads: each waits for the next round and does its part --- */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER, ended = PTHREAD_COND_INITIALIZER;
static const Work *current;
static long threads, running, generation;

static void do_part(long index) {
  size_t per = (current->size + threads - 1) / threads, begin = per * index, end = begin + per;
  if (end > current->size) end = current->size;
  if (begin < end) current->part(begin, end);
}

static void *worker(void *argument) {
  long index = (long)argument, seen = 0;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (generation == seen) pthread_cond_wait(&begun, &lock);
    seen = generation;
    pthread_mutex_unlock(&lock);
    do_part(index);
    pthread_mutex_lock(&lock);
    if (--running == 0) pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static double run(const Work *work) {
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  pthread_mutex_lock(&lock);
  current = work;
  running = threads - 1;
  generation++;
  pthread_cond_broadcast(&begun);
  pthread_mutex_unlock(&lock);
  do_part(0);
  pthread_mutex_lock(&lock);
  while (running > 0) pthread_cond_wait(&ended, &lock);
  pthread_mutex_unlock(&lock);
  clock_gettime(CLOCK_MONOTONIC, &to);
  return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
}

static float *filled(size_t count, unsigned seed) {
  size_t bytes = (count * sizeof(float) + 4095) / 4096 * 4096;
  float *array = aligned_alloc(4096, bytes);
  if (!array) exit(1);
  for (size_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    array[i] = (float)(int)(seed >> 8) / 4194304.0f - 2.0f;
  }
  return array;
}

int main(void) {
  char line[128];
  threads = sysconf(_SC_NPROCESSORS_ONLN);
  const char *setting = getenv("MW_THREADS");
  if (setting && atol(setting) > 0) threads = atol(setting);
  for (long i = 1; i < threads; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, worker, (void *)i)) return 1;
  }
  while (fgets(line, sizeof line, stdin)) {
    char command[16], name[64];
    if (sscanf(line, "%15s %63s", command, name) != 2) continue;
    const Work *work = NULL;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
      if (!strcmp(works[i].name, name)) work = &works[i];
    if (!work) {
      puts("none");
    } else if (!strcmp(command, "prepare")) {
      a = filled(work->floats[0], 1);
      b = filled(work->floats[1], 2);
      c = filled(work->floats[2], 3);
      side = work->size;
      puts("ok");
    } else if (!strcmp(command, "run")) {
      printf("%.9f\n", run(work));
    } else {
      free(a);
      free(b);
      free(c);
      puts("ok");
    }
    fflush(stdout);
  }
  return 0;
}
