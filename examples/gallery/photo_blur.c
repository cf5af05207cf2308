#define ELEMENT unsigned char
#include "gallery.h"

static long near(long i) { return i < 0 ? 0 : i < n ? i : n - 1; }

static void plain(const unsigned char *photo, unsigned char *restrict smooth) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j) {
    const unsigned char *a = photo + near(j - 1) * n, *b = photo + j * n, *c = photo + near(j + 1) * n;
    unsigned char *to = smooth + j * n;
    for (long i = 0; i < n; i += n - 1)
      to[i] = (unsigned char)((a[near(i - 1)] + a[i] + a[near(i + 1)] + b[near(i - 1)] + b[i] + b[near(i + 1)] +
                               c[near(i - 1)] + c[i] + c[near(i + 1)]) / 9);
    for (long i = 1; i < n - 1; ++i)
      to[i] = (unsigned char)((a[i - 1] + a[i] + a[i + 1] + b[i - 1] + b[i] + b[i + 1] + c[i - 1] + c[i] + c[i + 1]) / 9);
  }
}

int main(void) {
  unsigned char *photo = zeros(n * n), *expected = zeros(n * n), *smooth = zeros(n * n);
  for (long i = 0; i < n * n; ++i) photo[i] = (unsigned char)(rand() % 256);
  MEASURE(plain(photo, expected), KERNEL(photo, smooth));
  return differ(expected, smooth, n * n);
}
