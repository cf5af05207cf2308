/* Written by liftgen, which may write it again. */
/* backprop: arrays are stored row by row unless said otherwise, are fastest at multiples of 64 bytes, and do not
 * overlap.
 *
 *   x          float [262144], read
 *   w          float [262144][16], read
 *   before     float [262144][16], read
 *   v          float [16], read
 *   target     float
 *   w_next     float [262144][16], written: result 1 of 3
 *   change     float [262144][16], read and written: result 2 of 3
 *   error      float [1], written: result 3 of 3
 */
#ifndef BACKPROP_H
#define BACKPROP_H

#ifdef __cplusplus
extern "C" {
#endif

void backprop(const float *x, const float *w, const float *before, const float *v, float target,
    float *w_next, float *change, float *error);

#ifdef __cplusplus
}
#endif

#endif
