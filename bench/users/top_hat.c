#include "users.h"

typedef unsigned char byte;
STAGE byte eroded[n][m];

static inline byte less(byte a, byte b) { return a < b ? a : b; }
static inline byte more(byte a, byte b) { return a > b ? a : b; }
static inline int within(int i, int size) { return i < 0 ? 0 : i < size ? i : size - 1; }

#define SEVEN(f, x) f(f(f(x(0), x(1)), f(x(2), x(3))), f(f(x(4), x(5)), x(6)))
#define DOWN(k) r[k][i]
#define ALONG(k) wide[i + k]

/* Both passes for row j. */
#define SQUARE(name, f)                                                                          \
  static inline void name(const byte x[n][m], int j, byte out[m]) {                              \
    const byte *r[7];                                                                            \
    byte wide[m + 6];                                                                            \
    for (int k = 0; k < 7; ++k) r[k] = x[within(j + k - 3, n)];                                  \
    _Pragma("omp simd") for (int i = 0; i < m; ++i) wide[i + 3] = SEVEN(f, DOWN);                \
    for (int i = 0; i < 3; ++i) wide[i] = wide[3], wide[m + 3 + i] = wide[m + 2];                \
    _Pragma("omp simd") for (int i = 0; i < m; ++i) out[i] = SEVEN(f, ALONG);                    \
  }
SQUARE(erode, less)
SQUARE(dilate, more)

void plain(const byte image[n][m], byte small[restrict n][m], int brightest[1]) {
  int largest = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) erode(image, j, eroded[j]);
#pragma omp for schedule(static) reduction(max : largest)
    for (int j = 0; j < n; ++j) {
      byte row[m];
      dilate((const byte(*)[m])eroded, j, row);
      byte best = 0;
#pragma omp simd reduction(max : best)
      for (int i = 0; i < m; ++i) {
        const byte hat = small[j][i] = (byte)(image[j][i] - row[i]);
        best = more(best, hat);
      }
      largest = best > largest ? best : largest;
    }
  }
  brightest[0] = largest;
}
