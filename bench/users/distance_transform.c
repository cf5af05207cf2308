#include "users.h"

static inline int least(int a, int b) { return a < b ? a : b; }

void plain(const int image[n][m], int distance[restrict n][m], int farthest[1]) {
  int most = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      int d = 100000;
      for (int i = 0; i < m; ++i) distance[j][i] = d = image[j][i] == 0 ? 0 : least(100000, d + 1);
      d = 100000;
      for (int i = m - 1; i >= 0; --i) distance[j][i] = d = least(distance[j][i], d + 1);
    }
#pragma omp for schedule(static) reduction(max : most)
    for (int block = 0; block < m; block += 64) {
      const int end = block + 64 < m ? block + 64 : m;
      for (int j = 1; j < n; ++j)
#pragma omp simd
        for (int i = block; i < end; ++i) distance[j][i] = least(distance[j][i], distance[j - 1][i] + 1);
      for (int j = n - 2; j >= 0; --j)
#pragma omp simd
        for (int i = block; i < end; ++i) distance[j][i] = least(distance[j][i], distance[j + 1][i] + 1);
      for (int j = 0; j < n; ++j)
#pragma omp simd reduction(max : most)
        for (int i = block; i < end; ++i) most = distance[j][i] > most ? distance[j][i] : most;
    }
  }
  farthest[0] = most;
}
